// A program of another MPI than the tracer's would read handles of the wrong size. It is started again
// without the tracer, before it does anything, and the folder of the trace says so.
#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "trace/tracer/mpi.hpp"

namespace {

/// Whether the program has an MPI library that is not of the tracer's family. False where it has none.
bool has_other_mpi() {
  const bool has_mpi = dlsym(RTLD_DEFAULT, "PMPI_Init") != nullptr;
  const bool is_open_mpi = dlsym(RTLD_DEFAULT, "ompi_mpi_comm_world") != nullptr;
#if defined(OPEN_MPI)
  return has_mpi && !is_open_mpi;
#else
  return has_mpi && is_open_mpi;
#endif
}

/// Takes the tracer out of LD_PRELOAD, which lists it first.
void remove_from_preload() {
  const char* const preloaded = getenv("LD_PRELOAD");  // NOLINT(concurrency-mt-unsafe): before main()
  const char* const rest = preloaded != nullptr ? std::strpbrk(preloaded, ": ") : nullptr;
  if (rest != nullptr && rest[1] != '\0') {
    setenv("LD_PRELOAD", rest + 1, 1);  // NOLINT(concurrency-mt-unsafe)
  } else {
    unsetenv("LD_PRELOAD");  // NOLINT(concurrency-mt-unsafe)
  }
}

__attribute__((constructor)) void leave_other_mpi(int /*count*/, char** words, char** /*variables*/) {
  const char* const folder = getenv("GROMA_TRACE_DIR");  // NOLINT(concurrency-mt-unsafe)
  if (folder == nullptr || !has_other_mpi()) {
    return;
  }
  const int place = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (place >= 0) {
    const int note = openat(place, "other-mpi", O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
    if (note >= 0) {
      close(note);
    }
    close(place);
  }
  unsetenv("GROMA_TRACE_DIR");  // NOLINT(concurrency-mt-unsafe)
  remove_from_preload();
  execv("/proc/self/exe", words);
}

}  // namespace
