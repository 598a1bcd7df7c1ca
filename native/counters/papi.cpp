#include "counters/papi.hpp"

#include <dlfcn.h>
#include <pthread.h>

#include <array>
#include <cstdlib>

namespace groma::counters {
namespace {

constexpr int kOk = 0;
constexpr int kNewSet = -1;

/// The functions of libpapi that are used; versions 5 to 7 agree in them.
struct Library {
  int (*library_init)(int) = nullptr;
  int (*thread_init)(unsigned long (*)()) = nullptr;
  int (*create_eventset)(int*) = nullptr;
  int (*add_named_event)(int, const char*) = nullptr;
  int (*start)(int) = nullptr;
  int (*read)(int, long long*) = nullptr;
  int (*stop)(int, long long*) = nullptr;
  int (*cleanup_eventset)(int) = nullptr;
  int (*destroy_eventset)(int*) = nullptr;
  const char* (*strerror)(int) = nullptr;
  std::string reason;  // why it cannot be used
};

template <class F>
bool find(void* library, const char* name, F& function) {
  function = reinterpret_cast<F>(dlsym(library, name));
  return function != nullptr;
}

bool find_all(void* library, Library& papi) {
  return find(library, "PAPI_library_init", papi.library_init) &&
         find(library, "PAPI_thread_init", papi.thread_init) &&
         find(library, "PAPI_create_eventset", papi.create_eventset) &&
         find(library, "PAPI_add_named_event", papi.add_named_event) &&
         find(library, "PAPI_start", papi.start) && find(library, "PAPI_read", papi.read) &&
         find(library, "PAPI_stop", papi.stop) &&
         find(library, "PAPI_cleanup_eventset", papi.cleanup_eventset) &&
         find(library, "PAPI_destroy_eventset", papi.destroy_eventset) &&
         find(library, "PAPI_strerror", papi.strerror);
}

void* load() {
  if (const char* chosen = std::getenv("GROMA_PAPI_LIBRARY")) return dlopen(chosen, RTLD_NOW | RTLD_LOCAL);
  for (const char* name : {"libpapi.so.7.2", "libpapi.so.7.1", "libpapi.so.7.0", "libpapi.so.7",
                           "libpapi.so.6.0", "libpapi.so.6", "libpapi.so.5", "libpapi.so"}) {
    if (void* library = dlopen(name, RTLD_NOW | RTLD_LOCAL)) return library;
  }
  return nullptr;
}

/// PAPI wants to hear the version that its caller was compiled for, and answers with it if that is its own.
bool initialise(const Library& papi) {
  for (int major = 7; major >= 5; --major) {
    for (int minor = 0; minor < 10; ++minor) {
      const int version = (major << 24) | (minor << 16);
      if (papi.library_init(version) == version) return true;
    }
  }
  return false;
}

unsigned long this_thread() {
  return static_cast<unsigned long>(pthread_self());
}

Library loaded() {
  Library papi;
  void* library = load();
  if (library == nullptr) {
    papi.reason = "PAPI is not installed (libpapi.so; GROMA_PAPI_LIBRARY may name it)";
  } else if (!find_all(library, papi)) {
    papi.reason = "this libpapi lacks functions that versions 5 to 7 have";
  } else if (!initialise(papi)) {
    papi.reason = "PAPI does not start (versions 5 to 7 are known)";
  } else {
    papi.thread_init(this_thread);
  }
  return papi;
}

const Library& library() {
  static const Library papi = loaded();
  return papi;
}

void remove(int set) {
  library().cleanup_eventset(set);
  library().destroy_eventset(&set);
}

std::string refusal(const std::string& name, int error) {
  return "PAPI refuses " + name + ": " + library().strerror(error);
}

std::string add_all(int set, std::span<const std::string> names) {
  for (const std::string& name : names) {
    const int answer = library().add_named_event(set, name.c_str());
    if (answer != kOk) return refusal(name, answer);
  }
  const int answer = library().start(set);
  return answer == kOk ? std::string{} : refusal("to start", answer);
}

}  // namespace

std::unique_ptr<PapiSet> PapiSet::open(std::span<const std::string> names, std::string& reason) {
  reason = library().reason;
  int set = kNewSet;
  if (reason.empty() && library().create_eventset(&set) != kOk) reason = "PAPI gives no set of events";
  if (!reason.empty()) return nullptr;
  reason = add_all(set, names);
  if (reason.empty()) return std::unique_ptr<PapiSet>(new PapiSet(set));
  remove(set);
  return nullptr;
}

PapiSet::~PapiSet() {
  library().stop(set_, nullptr);
  remove(set_);
}

bool PapiSet::read(std::span<std::uint64_t> values) const noexcept {
  static_assert(sizeof(long long) == sizeof(std::uint64_t));
  return library().read(set_, reinterpret_cast<long long*>(values.data())) == kOk;
}

}  // namespace groma::counters
