// Items in their order, more of them than memory holds.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/result.hpp"

namespace groma {

/// Sorts what is added in runs on disk, and merges these. The file of all runs has no name once it is open.
/// Equal items keep no order: `Before` has to tell all apart whose order counts.
template <class Item, class Before>
class SortedRuns {
  static_assert(std::is_trivially_copyable_v<Item>);

 public:
  explicit SortedRuns(std::filesystem::path scratch) : scratch_(std::move(scratch)) {}
  SortedRuns(const SortedRuns&) = delete;
  SortedRuns& operator=(const SortedRuns&) = delete;
  SortedRuns(SortedRuns&&) = delete;
  SortedRuns& operator=(SortedRuns&&) = delete;
  ~SortedRuns() {
    if (file_ >= 0) ::close(file_);
  }

  void add(const Item& item) {
    if (buffer_.capacity() == 0) buffer_.reserve(kInMemory);
    buffer_.push_back(item);
    if (buffer_.size() == kInMemory) spill();
  }
  /// After the last. An error if a run could not be kept.
  Status finish() {
    std::sort(buffer_.begin(), buffer_.end(), Before{});
    auto last = std::make_unique<Run>();
    last->buffer = std::move(buffer_);
    runs_.push_back(std::move(last));
    for (const auto& run : runs_) {
      refill(*run);
      if (run->at < run->buffer.size()) heap_.push_back(run.get());
    }
    std::make_heap(heap_.begin(), heap_.end(), later);
    return status();
  }
  /// The first failure. Runs are read while they are popped: only at the end is it known that all were.
  [[nodiscard]] Status status() const {
    if (failure_) return *failure_;
    return Done{};
  }

  /// The next of all, or null at the end. Valid until pop().
  [[nodiscard]] const Item* front() const { return heap_.empty() ? nullptr : &first(*heap_.front()); }
  void pop() {
    std::pop_heap(heap_.begin(), heap_.end(), later);
    Run& run = *heap_.back();
    if (++run.at == run.buffer.size()) refill(run);
    if (run.at < run.buffer.size()) {
      std::push_heap(heap_.begin(), heap_.end(), later);
    } else {
      heap_.pop_back();
    }
  }

 private:
  struct Run {
    std::uint64_t offset = 0;  ///< in the file, of what was not read
    std::uint64_t left = 0;    ///< items in the file; 0: all of it is in the buffer
    std::vector<Item> buffer;
    std::size_t at = 0;
  };
  static const Item& first(const Run& run) { return run.buffer[run.at]; }
  static bool later(const Run* a, const Run* b) { return Before{}(first(*b), first(*a)); }

  void spill() {
    std::sort(buffer_.begin(), buffer_.end(), Before{});
    if (is_open() && write_all()) {
      auto run = std::make_unique<Run>();
      run->offset = size_;
      run->left = buffer_.size();
      size_ += buffer_.size() * sizeof(Item);
      runs_.push_back(std::move(run));
    } else {
      fail({"unwritable", "parts cannot be kept in " + scratch_.string() + ": " + std::strerror(errno),
            "free space there, or name another folder with TMPDIR"});
    }
    buffer_.clear();
  }
  /// One file for all runs: a process may have a thousand open, and there may be more runs than that.
  bool is_open() {
    if (file_ >= 0) return true;
    std::string path = (scratch_ / "groma-runs-XXXXXX").string();
    file_ = mkostemp(path.data(), O_CLOEXEC);
    return file_ >= 0 && unlink(path.c_str()) == 0;
  }
  bool write_all() const {
    const char* at = reinterpret_cast<const char*>(buffer_.data());
    std::uint64_t offset = size_;
    for (std::size_t left = buffer_.size() * sizeof(Item); left > 0;) {
      const auto written = ::pwrite(file_, at, left, static_cast<off_t>(offset));
      if (written < 0 && errno == EINTR) continue;
      if (written <= 0) return false;
      at += written;
      offset += static_cast<std::uint64_t>(written);
      left -= static_cast<std::size_t>(written);
    }
    return true;
  }
  /// Small pieces: there may be many runs.
  void refill(Run& run) {
    constexpr std::uint64_t piece = 1024;
    if (run.left == 0) return;
    run.buffer.resize(std::min(piece, run.left));
    run.at = 0;
    const std::size_t bytes = run.buffer.size() * sizeof(Item);
    if (::pread(file_, run.buffer.data(), bytes, static_cast<off_t>(run.offset)) !=
        static_cast<ssize_t>(bytes)) {
      run.buffer.clear();
      run.left = 0;
      fail_reading();
      return;
    }
    run.offset += bytes;
    run.left -= run.buffer.size();
  }

  /// Apart from refill(), which is short enough then to become part of what calls it.
  [[gnu::noinline]] void fail_reading() {
    fail({"unreadable", "parts that were kept in " + scratch_.string() + " cannot be read again",
          "check the disk, or name another folder with TMPDIR"});
  }
  void fail(Error failure) {
    if (!failure_) failure_ = std::move(failure);
  }

  static constexpr std::size_t kInMemory = 1U << 18U;
  std::filesystem::path scratch_;
  int file_ = -1;           ///< of all runs but the last
  std::uint64_t size_ = 0;  ///< bytes of the runs in it
  std::vector<Item> buffer_;
  std::vector<std::unique_ptr<Run>> runs_;
  std::vector<Run*> heap_;
  std::optional<Error> failure_;
};

}  // namespace groma
