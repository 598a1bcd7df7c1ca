#include "trace/tracer/real.hpp"

#include <dlfcn.h>
#include <link.h>

#include <cstdio>
#include <cstring>

namespace groma::trace {
namespace {

void* library = nullptr;  ///< of MPI, if the program loads it by itself

int find_library(dl_phdr_info* info, std::size_t /*size*/, void* found) {
  const char* const slash = std::strrchr(info->dlpi_name, '/');
  if (slash != nullptr && std::strncmp(slash, "/libmpi", 7) == 0) {
    void* const handle = dlopen(info->dlpi_name, RTLD_LAZY | RTLD_NOLOAD);
    if (handle != nullptr && dlsym(handle, "PMPI_Init") != nullptr) {
      *static_cast<void**>(found) = handle;
      return 1;
    }
  }
  return 0;
}

void* in_library(const char* name) {
  if (library == nullptr) {
    dl_iterate_phdr(find_library, static_cast<void*>(&library));
  }
  return library == nullptr ? nullptr : dlsym(library, name);
}

}  // namespace

void* find_real(const char* name) {
  void* const found = dlsym(RTLD_DEFAULT, name);
  return found != nullptr ? found : in_library(name);
}

void* find_next(const char* name) {
  void* const found = dlsym(RTLD_NEXT, name);
  return found != nullptr ? found : in_library(name);
}

void* find_wrapped(const char* name) {
  void* const found = find_next(name);
  if (found != nullptr) {
    return found;
  }
  char profiling[128];  // NOLINT(modernize-avoid-c-arrays)
  std::snprintf(profiling, sizeof profiling, "P%s", name);
  return find_real(profiling);
}

}  // namespace groma::trace
