// A program of another MPI than the tracer's is started again without the tracer, before it does anything,
// and the folder of the trace says so. Where a program opens the other MPI later, frame.cpp finds that out.
#include "trace/tracer/other_mpi.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "trace/tracer/mpi.hpp"

namespace groma::trace {

bool is_own_family(const void* world) {
#if defined(OPEN_MPI)
  return world != nullptr;
#else
  return world == nullptr;
#endif
}

void note_other_mpi(const char* folder) {
  const int place = folder != nullptr ? open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
  if (place < 0) {
    return;
  }
  const int note = openat(place, "other-mpi", O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
  if (note >= 0) {
    close(note);
  }
  close(place);
}

}  // namespace groma::trace

namespace {

/// Whether the program is linked with an MPI library that is not of the tracer's family.
bool has_other_mpi() {
  return dlsym(RTLD_DEFAULT, "PMPI_Init") != nullptr &&
         !groma::trace::is_own_family(dlsym(RTLD_DEFAULT, "ompi_mpi_comm_world"));
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
  groma::trace::note_other_mpi(folder);
  unsetenv("GROMA_TRACE_DIR");  // NOLINT(concurrency-mt-unsafe)
  remove_from_preload();
  execv("/proc/self/exe", words);
}

}  // namespace
