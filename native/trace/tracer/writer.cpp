#include "trace/tracer/writer.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>

#include "trace/tracer/clock.hpp"

namespace groma::trace {
namespace {

std::uint8_t* map(int file, std::uint64_t offset, std::size_t bytes) {
  void* const mapped =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, static_cast<off_t>(offset));
#if defined(MADV_POPULATE_WRITE)
  // One call instead of a fault for each page. Older systems do not know it; the faults come then.
  if (mapped != MAP_FAILED) {
    madvise(mapped, bytes, MADV_POPULATE_WRITE);
  }
#endif
  return mapped == MAP_FAILED ? nullptr : static_cast<std::uint8_t*>(mapped);
}

/// Where the disk is full, a mapping would end the program: the blocks are to be there first.
bool reserve(int file, std::uint64_t offset, std::size_t bytes) {
  rlimit most{};
  if (getrlimit(RLIMIT_FSIZE, &most) == 0 && offset + bytes > most.rlim_cur) {
    return false;  // a signal would end the program
  }
  int error = EINTR;  // a signal of the program may interrupt it
  while (error == EINTR) {
    error = posix_fallocate(file, static_cast<off_t>(offset), static_cast<off_t>(bytes));
  }
  return error == 0;
}

/// A file while it grows.
class GrowingFile {
 public:
  GrowingFile(const char* path, int flags) : file_(::open(path, flags | O_RDWR | O_CLOEXEC, 0644)) {}
  GrowingFile(const GrowingFile&) = delete;
  GrowingFile& operator=(const GrowingFile&) = delete;
  GrowingFile(GrowingFile&&) = delete;
  GrowingFile& operator=(GrowingFile&&) = delete;
  ~GrowingFile() {
    if (file_ >= 0) {
      ::close(file_);
    }
  }

  [[nodiscard]] bool is_open() const { return file_ >= 0; }
  [[nodiscard]] bool reserve(std::uint64_t offset, std::size_t bytes) const {
    return file_ >= 0 && trace::reserve(file_, offset, bytes);
  }
  [[nodiscard]] std::uint8_t* map(std::uint64_t offset, std::size_t bytes) const {
    return file_ >= 0 ? trace::map(file_, offset, bytes) : nullptr;
  }

 private:
  int file_;
};

}  // namespace

std::array<char, 4096> Writer::path() const {
  std::array<char, 4096> made{};
  const int length = std::snprintf(made.data(), made.size(), "%s/%s", folder_, name_.data());
  if (length < 0 || static_cast<std::size_t>(length) >= made.size()) {
    made[0] = '\0';
  }
  return made;
}

namespace {

/// Another process has the name of a log: what says in it that threads have no log counts this one, too.
void count_in_other_log(const char* path) {
  const GrowingFile file(path, 0);
  struct stat found {};
  const bool is_whole =
      stat(path, &found) == 0 && static_cast<std::size_t>(found.st_size) >= log::kHeaderBytes;
  std::uint8_t* const mapped = is_whole ? file.map(0, log::kHeaderBytes) : nullptr;
  if (mapped != nullptr) {
    __atomic_fetch_add(&reinterpret_cast<log::Header*>(mapped)->no_logs, 1U, __ATOMIC_RELAXED);
    munmap(mapped, log::kHeaderBytes);
  }
}

}  // namespace

bool Writer::open(const LogOptions& options, const log::Header& start, std::uint32_t thread) {
  folder_ = options.folder;
  std::snprintf(name_.data(), name_.size(), "%016lx.%u.%u.log", static_cast<unsigned long>(start.world),
                start.rank, thread);
  const GrowingFile file(path().data(), O_CREAT | O_EXCL);
  if (!file.is_open() && errno == EEXIST) {
    count_in_other_log(path().data());
  }
  if (!file.reserve(0, log::kHeaderBytes)) {
    return false;
  }
  std::uint8_t* const mapped = file.map(0, log::kHeaderBytes);
  if (mapped == nullptr) {
    return false;
  }
  std::memcpy(mapped, &start, sizeof start);
  header_ = reinterpret_cast<log::Header*>(mapped);
  header_->thread = thread;
  header_->when_full = options.when_full;
  most_slots_ = options.most_bytes == 0 ? ~std::uint64_t{0}
                                        : std::max<std::uint64_t>(2, options.most_bytes / log::kChunkBytes);
  last_ = start.begin_ticks;
  section_ = 1;
  return true;
}

std::uint8_t* Writer::map_chunk(std::uint64_t slot) {
  const std::uint64_t offset = log::kHeaderBytes + slot * log::kChunkBytes;
  const GrowingFile file(path().data(), 0);
  if (slot >= slots_ && !file.reserve(offset, log::kChunkBytes)) {
    return nullptr;
  }
  std::uint8_t* const mapped = file.map(offset, log::kChunkBytes);
  if (mapped != nullptr && slot < slots_) {
    // The number goes first: a reader never takes old records for new ones.
    reinterpret_cast<log::ChunkHeader*>(mapped)->number = 0;
    std::memset(mapped, 0, log::kChunkBytes);
  }
  slots_ = std::max(slots_, slot + 1);
  return mapped;
}

void Writer::lose() {
  if (header_->lost++ == 0) {
    header_->lost_since = last_;
  }
}

std::size_t Writer::used() const {
  return at_ != nullptr ? static_cast<std::size_t>(at_ - chunk_) : resting_;
}

void Writer::rest() {
  if (at_ != nullptr) {
    resting_ = used();
    munmap(chunk_, log::kChunkBytes);
    chunk_ = at_ = end_ = nullptr;
  }
}

/// True if there is room for a record then.
bool Writer::wake() {
  const std::uint64_t offset = log::kHeaderBytes + slot_ * log::kChunkBytes;
  const GrowingFile file(path().data(), 0);
  chunk_ = file.reserve(offset, log::kChunkBytes) ? file.map(offset, log::kChunkBytes) : nullptr;
  if (chunk_ == nullptr) {
    return false;
  }
  at_ = chunk_ + resting_;
  end_ = chunk_ + log::kChunkBytes;
  resting_ = 0;
  return static_cast<std::size_t>(end_ - at_) > log::kLongestRecord;
}

bool Writer::next_chunk() {
  if (resting_ != 0 && wake()) {
    return true;
  }
  const bool ring = header_->when_full == log::WhenFull::newest;
  if (has_stopped_ || (written_ >= most_slots_ && !ring)) {
    lose();
    return false;
  }
  // The first chunk stays: it has the communicators and the begin of the run.
  const std::uint64_t slot =
      written_ < most_slots_ ? written_ : 1 + (written_ - most_slots_) % (most_slots_ - 1);
  std::uint8_t* const mapped = map_chunk(slot);
  if (mapped == nullptr) {
    has_stopped_ = true;  // the header still says that chunks are missing because newer ones replaced them
    lose();
    return false;
  }
  if (chunk_ != nullptr) {
    munmap(chunk_, log::kChunkBytes);
  }
  chunk_ = mapped;
  slot_ = slot;
  resting_ = 0;
  at_ = chunk_ + sizeof(log::ChunkHeader);
  end_ = chunk_ + log::kChunkBytes;
  auto* const head = reinterpret_cast<log::ChunkHeader*>(chunk_);
  head->ticks = last_;
  head->number = ++written_;
  ++section_;
  handle_ = 0;
  header_->latest = clock_pair();
  return true;
}

void Writer::rewind() {
  ++section_;
  if (chunk_ != nullptr) {
    std::memset(chunk_ + sizeof(log::ChunkHeader), 0, log::kChunkBytes - sizeof(log::ChunkHeader));
    at_ = chunk_ + sizeof(log::ChunkHeader);
    reinterpret_cast<log::ChunkHeader*>(chunk_)->ticks = header_->begin_ticks;
  }
  header_->lost = header_->lost_since = 0;
  last_ = header_->begin_ticks;
  handle_ = 0;
}

void Writer::close(const log::ClockPair& end, bool is_free) {
  header_->latest = end;
  header_->in_call = 0;
  header_->progress = log::Progress::finished;
  if (header_->when_full != log::WhenFull::stop || used() == 0) {
    return;
  }
  const std::uint64_t bytes = log::kHeaderBytes + slot_ * log::kChunkBytes + used();
  header_->bytes = bytes;  // before the file is cut: a reader must not miss what is there
  if (is_free && truncate(path().data(), static_cast<off_t>(bytes)) != 0) {
    // The file is longer than it needs to be.
  }
}

void Writer::reopen() {
  header_->bytes = 0;
  header_->progress = log::Progress::running;
  if (header_->when_full != log::WhenFull::stop || at_ == nullptr) {
    return;
  }
  const GrowingFile file(path().data(), 0);
  if (!file.reserve(log::kHeaderBytes + slot_ * log::kChunkBytes, log::kChunkBytes)) {
    rest();  // a write beyond the end of the file would end the program
  }
}

}  // namespace groma::trace
