#include "base/pages.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <limits>
#include <string>
#include <system_error>
#include <utility>

namespace groma {
namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20U;
constexpr std::size_t kSmallPage = 4096;

std::uint64_t number_in(const std::string& path, std::string_view key) {
  std::ifstream file(path);
  std::string word;
  while (file >> word) {
    std::uint64_t number = 0;
    if (word == key && file >> number) return number;
  }
  return std::numeric_limits<std::uint64_t>::max();
}

std::uint64_t first_number(const std::string& path) {
  std::ifstream file(path);
  std::uint64_t number = 0;
  return file >> number ? number : std::numeric_limits<std::uint64_t>::max();
}

/// "0::/a/b" of /proc/self/cgroup (version 2), empty where there is none.
std::string cgroup_path(const std::string& root) {
  std::ifstream file(root + "proc/self/cgroup");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("0::")) return line.substr(3);
  }
  return {};
}

std::uint64_t headroom(std::uint64_t limit, std::uint64_t used) {
  if (limit == std::numeric_limits<std::uint64_t>::max()) return limit;
  if (used == std::numeric_limits<std::uint64_t>::max()) return limit;
  return limit > used ? limit - used : 0;
}

/// Every ancestor's limit binds; inside a container the own group may be mounted at the root.
std::uint64_t cgroup_headroom(const std::string& root) {
  const std::string base = root + "sys/fs/cgroup";
  std::uint64_t least = headroom(first_number(base + "/memory/memory.limit_in_bytes"),
                                 first_number(base + "/memory/memory.usage_in_bytes"));
  for (std::string path = cgroup_path(root);; path.resize(path.find_last_of('/'))) {
    const std::string group = base + path;
    least = std::min(least, headroom(first_number(group + "/memory.max"),
                                     first_number(group + "/memory.current")));
    if (path.empty() || path.find_last_of('/') == std::string::npos) return least;
  }
}

}  // namespace

std::string_view name_of(PageMode mode) { return mode == PageMode::kHuge ? "huge" : "small"; }

Result<Block> Block::map(Bytes size, PageMode mode) {
  const std::size_t wanted = std::max<std::size_t>(size.value(), kSmallPage);
  const std::size_t mapped = wanted + kHugePage;
  void* mapping = mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapping == MAP_FAILED) {
    return Error{"memory.refused",
                 "cannot map " + std::to_string(size.value()) +
                     " bytes: " + std::generic_category().message(errno),
                 "free memory or lower the maximum size"};
  }
  const auto start = reinterpret_cast<std::uintptr_t>(mapping);
  auto* data = reinterpret_cast<std::byte*>((start + kHugePage - 1) / kHugePage * kHugePage);
  // A kernel without transparent huge pages refuses the advice; small pages are then what there is.
  madvise(data, wanted, mode == PageMode::kHuge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
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

Block::~Block() { release(); }

void Block::release() noexcept {
  if (mapping_ != nullptr) munmap(mapping_, mapped_);
}

void Block::touch() const {
  for (std::size_t at = 0; at < size_; at += kSmallPage) {
    reinterpret_cast<volatile unsigned char*>(data_)[at] = 1;
  }
}

Bytes available_memory(std::string_view root) {
  const std::string base(root);
  std::uint64_t kib = number_in(base + "proc/meminfo", "MemAvailable:");
  if (kib == std::numeric_limits<std::uint64_t>::max()) kib = std::uint64_t{1} << 20U;
  return Bytes(std::min(kib << 10U, cgroup_headroom(base)));
}

}  // namespace groma
