#include "trace/tracer/real.hpp"

#include <dlfcn.h>
#include <link.h>

#include <array>
#include <atomic>
#include <climits>
#include <cstdio>
#include <cstring>

namespace groma::trace {
namespace {

using Path = std::array<char, PATH_MAX>;

std::atomic<void*> library{nullptr};  ///< of MPI, if the program loads it by itself
/// The library that has the Fortran of MPI, if a library of the program brings it for itself alone.
std::atomic<void*> fortran_library{nullptr};

/// The path of an object that is loaded, by its place among all. False behind the last.
bool path_of_object(std::size_t place, Path& path) {
  struct Search {
    std::size_t rest;
    Path* path;
  } search{place, &path};
  const auto visit = [](dl_phdr_info* info, std::size_t /*size*/, void* argument) {
    auto& sought = *static_cast<Search*>(argument);
    if (sought.rest-- != 0) {
      return 0;
    }
    std::snprintf(sought.path->data(), sought.path->size(), "%s", info->dlpi_name);
    return 1;
  };
  return dl_iterate_phdr(visit, static_cast<void*>(&search)) != 0;
}

/// What `find` finds first in a loaded object whose file has this prefix; the object stays open then. Null if
/// in none. None is opened while the loader goes through them: another thread that opens one would wait for
/// this one and be waited for.
template <class Find>
void* first_in_objects(const char* prefix, Find find) {
  Path path;
  for (std::size_t place = 0; path_of_object(place, path); ++place) {
    const char* const slash = std::strrchr(path.data(), '/');
    const bool is_meant = slash != nullptr && std::strncmp(slash + 1, prefix, std::strlen(prefix)) == 0;
    void* const object = is_meant ? dlopen(path.data(), RTLD_LAZY | RTLD_NOLOAD) : nullptr;
    if (void* const found = object != nullptr ? find(object) : nullptr) {
      return found;
    }
    if (object != nullptr) {
      dlclose(object);
    }
  }
  return nullptr;
}

bool is_of_tracer(const void* address) {
  Dl_info of_address{};
  Dl_info own{};
  return dladdr(address, &of_address) != 0 && dladdr(static_cast<const void*>(&library), &own) != 0 &&
         of_address.dli_fbase == own.dli_fbase;
}

void* in_library(const char* name) {
  if (library == nullptr) {
    library = first_in_objects("libmpi", [](void* object) -> void* {
      return dlsym(object, "PMPI_Init") != nullptr ? object : nullptr;
    });
  }
  return library == nullptr ? nullptr : dlsym(library, name);
}

/// In a scope that is not global: a library that the program opened (RTLD_LOCAL) brings its own libraries.
void* in_any_object(const char* name) {
  void* const found = first_in_objects("", [name](void* object) -> void* {
    void* const address = dlsym(object, name);
    return address != nullptr && !is_of_tracer(address) ? address : nullptr;
  });
  Dl_info info{};
  if (found != nullptr && dladdr(found, &info) != 0 && std::strncmp(name, "mpi_", 4) == 0) {
    fortran_library = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  }
  return found;
}

}  // namespace

void* find_real(const char* name) {
  void* found = dlsym(RTLD_DEFAULT, name);
  if (found == nullptr) {
    found = in_library(name);
  }
  if (found == nullptr && fortran_library != nullptr) {
    found = dlsym(fortran_library, name);
  }
  return found;
}

void* find_next(const char* name) {
  void* found = dlsym(RTLD_NEXT, name);
  if (found == nullptr) {
    found = in_library(name);
  }
  return found != nullptr ? found : in_any_object(name);
}

void* find_wrapped(const char* name) {
  void* found = dlsym(RTLD_NEXT, name);
  if (found == nullptr) {
    found = in_library(name);
  }
  if (found != nullptr) {
    return found;
  }
  char profiling[128];  // NOLINT(modernize-avoid-c-arrays)
  std::snprintf(profiling, sizeof profiling, "P%s", name);
  return find_real(profiling);
}

const void* place_of_fortran() {
  return fortran_library.load(std::memory_order_relaxed);
}

}  // namespace groma::trace
