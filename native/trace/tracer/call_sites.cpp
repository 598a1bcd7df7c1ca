#include "trace/tracer/call_sites.hpp"

#include <dlfcn.h>
#include <link.h>
#include <sys/stat.h>
#include <unistd.h>
#include <unwind.h>

#include <algorithm>
#include <climits>
#include <cstdlib>

#include "trace/tracer/wrapping.hpp"

namespace groma::trace {
namespace {

thread_local constinit ThreadOwned<CallSites> owned(&ThreadState::sites);

constexpr std::size_t kLongestPiece = 200;  // of a path, in one record

void put_module(Writer& writer, std::uint64_t number, const char* path) {
  struct stat file {};
  const bool is_known = *path == '/' && stat(path, &file) == 0;
  std::size_t rest = std::strlen(path);
  if (Record record = writer.begin()) {
    record.put(static_cast<std::uint64_t>(log::Head::module));
    record.put(number);
    record.put(is_known ? static_cast<std::uint64_t>(file.st_size) : 0);
    record.put(is_known ? static_cast<std::uint64_t>(file.st_mtim.tv_sec) : 0);
    record.text(path, std::min(rest, kLongestPiece));
    writer.commit(record);
  }
  while (rest > kLongestPiece) {
    path += kLongestPiece;
    rest -= kLongestPiece;
    if (Record record = writer.begin()) {
      record.put(static_cast<std::uint64_t>(log::Head::module_path));
      record.text(path, std::min(rest, kLongestPiece));
      writer.commit(record);
    }
  }
}

/// MPICH's interfaces mpif.h and mpi, as its builders and vendors name them.
bool is_binding(const char* name) {
  const char* const slash = std::strrchr(name, '/');
  const char* const file = slash == nullptr ? name : slash + 1;
  static constexpr std::array bindings{"libmpifort", "libmpichfort", "libmpichf90", "libfmpich"};
  return std::any_of(bindings.begin(), bindings.end(),
                     [file](const char* one) { return std::strncmp(file, one, std::strlen(one)) == 0; });
}

/// The whole path of a module; the program itself has no name.
const char* path_of(const char* name, std::array<char, PATH_MAX>& path) {
  if (*name == '\0') {
    const auto length = readlink("/proc/self/exe", path.data(), path.size() - 1);
    path[length > 0 ? static_cast<std::size_t>(length) : 0] = '\0';
    return path.data();
  }
  return realpath(name, path.data()) != nullptr ? path.data() : name;
}

}  // namespace

CallSites* CallSites::open() {
  return owned.make();
}

std::uint64_t CallSites::find(const void* address, Writer& writer) {
  if (section_ != writer.section()) {
    section_ = writer.section();
    sites_ = used_modules_ = 0;
  }
  std::size_t at = place(address);
  for (; entries_[at].section == section_; at = (at + 1) % kPlaces) {
    if (entries_[at].address == address) {
      return entries_[at].number;
    }
  }
  if (sites_ == log::kMaxSites) {
    return 0;
  }
  const std::uint64_t number = describe(address, writer);
  if (number != 0) {
    entries_[at] = {address, section_, number};
  }
  return number;
}

namespace {

/// Goes up the stack from a frame of the binding.
struct Search {
  CallSites* sites;
  Writer* writer;
  const void* binding;
  bool reached;
  std::uint64_t number;
};

}  // namespace

std::uint64_t CallSites::beyond_binding(const void* address, Writer& writer) {
  Search search{this, &writer, address, false, 0};
  _Unwind_Backtrace(
      [](_Unwind_Context* frame, void* argument) {
        auto& found = *static_cast<Search*>(argument);
        // NOLINTNEXTLINE(performance-no-int-to-ptr): the unwinder gives a number
        const auto* const at = reinterpret_cast<const void*>(_Unwind_GetIP(frame));
        if (found.reached) {
          found.number = found.sites->find(at, *found.writer);
          if (found.number != kInBinding) {
            return _URC_END_OF_STACK;
          }
        }
        found.reached = found.reached || at == found.binding;
        return _URC_NO_REASON;
      },
      static_cast<void*>(&search));
  return search.number == kInBinding ? 0 : search.number;
}

std::uint64_t CallSites::describe(const void* address, Writer& writer) {
  Dl_info info{};
  link_map* map = nullptr;
  // The instruction before: a call that never returns may be the last of its module.
  const auto* const called = static_cast<const char*>(address) - 1;
  const bool is_known = dladdr1(called, &info, reinterpret_cast<void**>(&map), RTLD_DL_LINKMAP) != 0;
  if (is_known && map != nullptr && is_binding(map->l_name)) {
    return kInBinding;
  }
  const std::uint64_t bias = is_known && map != nullptr ? map->l_addr : 0;
  const std::uint64_t of = is_known && map != nullptr ? module(bias, map->l_name, writer) : 0;
  Record record = writer.begin();
  if (!record) {
    return 0;
  }
  record.put(static_cast<std::uint64_t>(log::Head::site));
  record.put(++sites_);
  record.put(of);
  record.put(reinterpret_cast<std::uintptr_t>(address) - (of == 0 ? 0 : bias));
  writer.commit(record);
  return sites_;
}

/// Its number, from 1; 0 if there are too many.
std::uint64_t CallSites::module(std::uint64_t bias, const char* name, Writer& writer) {
  const auto identity = reinterpret_cast<std::uintptr_t>(name);
  for (std::size_t i = 0; i < used_modules_; ++i) {
    if (modules_[i].bias == bias && modules_[i].name == identity) {
      return modules_[i].number;
    }
  }
  if (used_modules_ == log::kMaxModules) {
    return 0;
  }
  const std::uint64_t number = used_modules_ + 1;
  modules_[used_modules_++] = {bias, identity, number};
  std::array<char, PATH_MAX> path{};
  put_module(writer, number, path_of(name, path));
  return number;
}

}  // namespace groma::trace
