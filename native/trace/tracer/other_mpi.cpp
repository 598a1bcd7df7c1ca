// A program of another MPI than the tracer's is started again without the tracer, before it does anything,
// and the folder of the trace says so. Where a program opens the other MPI later, frame.cpp finds that out.
#include "trace/tracer/other_mpi.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <string>

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

/// Whether a word of LD_PRELOAD names the tracer, which was loaded from a file at `own`.
bool names_tracer(const std::string& word, const char* own) {
  if (word.find('/') == std::string::npos) {  // found in a folder of LD_LIBRARY_PATH
    const char* const slash = std::strrchr(own, '/');
    return word == (slash == nullptr ? own : slash + 1);
  }
  struct stat named {};
  struct stat loaded {};
  return stat(word.c_str(), &named) == 0 && stat(own, &loaded) == 0 && named.st_dev == loaded.st_dev &&
         named.st_ino == loaded.st_ino;
}

/// Takes the tracer out of LD_PRELOAD, wherever that lists it.
void remove_from_preload() {
  const char* preloaded = getenv("LD_PRELOAD");  // NOLINT(concurrency-mt-unsafe): before main()
  Dl_info own{};
  if (preloaded == nullptr || dladdr(reinterpret_cast<const void*>(&remove_from_preload), &own) == 0) {
    return;
  }
  std::string kept;
  while (*preloaded != '\0') {
    const std::string word(preloaded, std::strcspn(preloaded, ": "));
    preloaded += word.size();
    preloaded += std::strspn(preloaded, ": ");
    if (!word.empty() && !names_tracer(word, own.dli_fname)) {
      kept += (kept.empty() ? "" : ":") + word;
    }
  }
  if (kept.empty()) {
    unsetenv("LD_PRELOAD");  // NOLINT(concurrency-mt-unsafe)
  } else {
    setenv("LD_PRELOAD", kept.c_str(), 1);  // NOLINT(concurrency-mt-unsafe)
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
