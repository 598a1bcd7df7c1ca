#include "base/mapped_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <memory>
#include <string>
#include <utility>

namespace groma {
namespace {

// A process may have 65,530 mappings on most systems, those of the allocator included. A traced run of as
// many threads has as many logs; most are short, and are copied once there are many.
constexpr std::size_t kMappingsBeforeCopies = 16384;
constexpr std::size_t kCopiedBytes = std::size_t{64} << 10U;
constexpr std::size_t kMappingsOfOthers = 4096;

std::atomic<std::size_t>& mappings() {
  static std::atomic<std::size_t> number{0};
  return number;
}

std::size_t most_mappings() {
  static const std::size_t limit = [] {
    std::size_t most = 65530;
    std::ifstream("/proc/sys/vm/max_map_count") >> most;
    return most;
  }();
  return limit;
}

}  // namespace

Result<MappedFile> MappedFile::open(const std::filesystem::path& path) {
  return open(path, mappings());
}

Result<MappedFile> MappedFile::open(const std::filesystem::path& path, std::size_t others) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);  // a FIFO would wait for a writer
  struct stat status {};
  if (file < 0 || fstat(file, &status) != 0) {
    const Error error{"unreadable", path.string() + " cannot be read: " + std::strerror(errno),
                      "check the name and the permissions"};
    if (file >= 0) ::close(file);
    return error;
  }
  if (!S_ISREG(status.st_mode)) {
    ::close(file);
    return Error{"unreadable", path.string() + " is not a regular file", "name a file on a disk"};
  }
  const auto size = static_cast<std::size_t>(status.st_size);
  const bool copies = size <= kCopiedBytes && others >= kMappingsBeforeCopies;
  if (!copies && others + kMappingsOfOthers >= most_mappings()) {
    ::close(file);
    return Error{"too-many", path.string() + " is one mapping too many for the limit of this system",
                 "raise it: sysctl vm.max_map_count=" + std::to_string(2 * most_mappings())};
  }
  auto made = copies ? copy_of(file, size, path) : mapping_of(file, size, path);
  ::close(file);
  return made;
}

Result<MappedFile> MappedFile::mapping_of(int file, std::size_t size, const std::filesystem::path& path) {
  if (size == 0) return MappedFile(nullptr, 0, false);
  void* mapped = mmap(nullptr, size, PROT_READ, MAP_SHARED, file, 0);
  if (mapped == MAP_FAILED) {
    return Error{"unreadable", path.string() + " cannot be mapped: " + std::strerror(errno),
                 "copy it to a file system that allows mappings"};
  }
  ++mappings();
  return MappedFile(static_cast<const std::uint8_t*>(mapped), size, true);
}

Result<MappedFile> MappedFile::copy_of(int file, std::size_t size, const std::filesystem::path& path) {
  auto copy = std::make_unique<std::uint8_t[]>(size);  // NOLINT: no vector, for mappings are arrays too
  for (std::size_t done = 0; done < size;) {
    const auto got = ::read(file, copy.get() + done, size - done);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) {
      return Error{"unreadable", path.string() + " cannot be read to its end", "check the disk"};
    }
    done += static_cast<std::size_t>(got);
  }
  return MappedFile(copy.release(), size, false);
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)),
      size_(std::exchange(other.size_, 0)),
      mapped_(std::exchange(other.mapped_, false)) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  std::swap(mapped_, other.mapped_);
  return *this;
}

MappedFile::~MappedFile() {
  if (mapped_) {
    munmap(const_cast<std::uint8_t*>(data_), size_);  // NOLINT
    --mappings();
  } else {
    delete[] data_;
  }
}

void MappedFile::forget_before(std::size_t offset) const {
  const std::size_t whole = offset & ~std::size_t{0xffff};
  if (whole > 0 && mapped_) {
    madvise(const_cast<std::uint8_t*>(data_), whole, MADV_DONTNEED);  // NOLINT
  }
}

}  // namespace groma
