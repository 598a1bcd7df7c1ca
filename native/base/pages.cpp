#include "base/pages.hpp"

#include <sys/mman.h>
#include <sys/resource.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <limits>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "base/cgroup.hpp"

namespace groma {
namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20U;
constexpr std::size_t kSmallPage = 4096;
constexpr std::uint64_t kUnknown = std::numeric_limits<std::uint64_t>::max();

std::uint64_t number_in(const std::string& path, std::string_view key) {
  std::ifstream file(path);
  std::string word;
  while (file >> word) {
    std::uint64_t number = 0;
    if (word == key && file >> number) return number;
  }
  return kUnknown;
}

std::uint64_t first_number(const std::string& path) {
  std::ifstream file(path);
  std::uint64_t number = 0;
  return file >> number ? number : kUnknown;
}

std::uint64_t less(std::uint64_t limit, std::uint64_t used) {
  return limit - std::min(limit, used);
}

/// Files of a memory controller; every version of cgroups has its own names.
struct MemoryController {
  std::vector<std::string_view> limits;  ///< the tightest counts; beyond memory.high a group is slowed down
  std::string_view used;
  std::string_view file_cache;  ///< key in memory.stat: counted as used, but given back when memory is wanted
};
const MemoryController kVersion1{{"memory.limit_in_bytes"}, "memory.usage_in_bytes", "total_inactive_file"};
const MemoryController kVersion2{{"memory.max", "memory.high"}, "memory.current", "inactive_file"};

std::uint64_t headroom(const CgroupFolder& group) {
  const MemoryController& controller = group.version == 1 ? kVersion1 : kVersion2;
  std::uint64_t limit = kUnknown;
  for (const std::string_view name : controller.limits)
    limit = std::min(limit, first_number(group.path + std::string(name)));
  const std::uint64_t used = first_number(group.path + std::string(controller.used));
  if (limit == kUnknown || used == kUnknown) return limit;
  const std::uint64_t cache = number_in(group.path + "memory.stat", controller.file_cache);
  return less(limit, cache == kUnknown ? used : less(used, cache));
}

std::uint64_t cgroup_headroom(const std::string& root) {
  std::uint64_t least = kUnknown;
  for (const CgroupFolder& group : cgroup_folders("memory", root)) least = std::min(least, headroom(group));
  return least;
}

/// What ulimit -v and ulimit -d leave; both count what is mapped, touched or not.
std::uint64_t headroom_of_mappings(const std::string& root, const MappingLimits& limits) {
  const std::string status = root + "proc/self/status";
  const auto left = [&](std::uint64_t limit, std::string_view key) {
    const std::uint64_t kib = number_in(status, key);
    return limit == kUnknown || kib > kUnknown >> 10U ? limit : less(limit, kib << 10U);
  };
  return std::min(left(limits.address_space.value(), "VmSize:"), left(limits.data.value(), "VmData:"));
}

Error refused(Bytes size, int reason) {
  return {"memory.refused",
          "cannot map " + std::to_string(size.value()) + " bytes: " + std::generic_category().message(reason),
          "free memory or lower the maximum size"};
}

}  // namespace

std::string_view name_of(PageMode mode) {
  return mode == PageMode::kHuge ? "huge" : "small";
}

Result<Block> Block::map(Bytes size, PageMode mode) {
  const std::size_t wanted = std::max<std::size_t>(size.value(), kSmallPage);
  if (wanted > std::numeric_limits<std::ptrdiff_t>::max() - 2 * kHugePage) return refused(size, ENOMEM);
  // Whole huge pages, because the kernel uses none at the end of a mapping that it does not fill.
  const std::size_t advised = (wanted + kHugePage - 1) / kHugePage * kHugePage;
  const std::size_t mapped = advised + kHugePage;
  void* mapping = mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapping == MAP_FAILED) return refused(size, errno);
  const std::size_t beyond = reinterpret_cast<std::uintptr_t>(mapping) % kHugePage;
  std::byte* const data = static_cast<std::byte*>(mapping) + (kHugePage - beyond) % kHugePage;
  // A kernel without transparent huge pages refuses the advice; small pages are then what there is.
  madvise(data, advised, mode == PageMode::kHuge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
  return Block(mapping, mapped, data, wanted);
}

Block::Block(void* mapping, std::size_t mapped, std::byte* data, std::size_t size)
    : mapping_(mapping), mapped_(mapped), data_(data), size_(size) {}

Block::Block(Block&& other) noexcept
    : mapping_(std::exchange(other.mapping_, nullptr)),
      mapped_(std::exchange(other.mapped_, 0)),
      data_(std::exchange(other.data_, nullptr)),
      size_(std::exchange(other.size_, 0)) {}

Block& Block::operator=(Block&& other) noexcept {
  if (this != &other) {
    release();
    mapping_ = std::exchange(other.mapping_, nullptr);
    mapped_ = std::exchange(other.mapped_, 0);
    data_ = std::exchange(other.data_, nullptr);
    size_ = std::exchange(other.size_, 0);
  }
  return *this;
}

Block::~Block() {
  release();
}

void Block::release() noexcept {
  if (mapping_ != nullptr) munmap(mapping_, mapped_);
}

void Block::touch(std::size_t begin, std::size_t end) const {
  for (std::size_t at = (begin + kSmallPage - 1) / kSmallPage * kSmallPage; at < end; at += kSmallPage) {
    reinterpret_cast<volatile unsigned char*>(data_)[at] = 1;
  }
}

Bytes available_memory(std::string_view root, const MappingLimits& limits) {
  constexpr Bytes kAssumedFree = 1024_MiB;
  const std::string base(root);
  const std::uint64_t kib = number_in(base + "proc/meminfo", "MemAvailable:");
  const std::uint64_t free = kib > kUnknown >> 10U ? kAssumedFree.value() : kib << 10U;
  return Bytes(std::min({free, cgroup_headroom(base), headroom_of_mappings(base, limits)}));
}

MappingLimits mapping_limits() {
  const auto soft = [](auto resource) {
    rlimit limit{};
    const bool known = getrlimit(resource, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
    return Bytes(known ? limit.rlim_cur : kUnknown);
  };
  return {soft(RLIMIT_AS), soft(RLIMIT_DATA)};
}

}  // namespace groma
