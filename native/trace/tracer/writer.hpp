// The log of one thread while it is written.
#pragma once

#include <array>
#include <atomic>
#include <cstring>

#include "trace/log/calls.hpp"
#include "trace/log/format.hpp"

namespace groma::trace {

/// A record that is being written. It counts only once its length is there.
class Record {
 public:
  Record() = default;
  explicit Record(std::uint8_t* begin) : begin_(begin), at_(begin + 1) {}

  explicit operator bool() const { return begin_ != nullptr; }
  // Inlined by force: with a call in between, the place to write to would live in memory.
  [[gnu::always_inline]] void put(std::uint64_t value) { at_ = log::put_number(at_, value); }
  [[gnu::always_inline]] void put_signed(std::int64_t value) { put(log::zigzag(value)); }
  void text(const char* value, std::size_t length) {
    std::memcpy(at_, value, length);
    at_ += length;
  }
  [[nodiscard]] std::size_t size() const { return static_cast<std::size_t>(at_ - begin_); }
  [[nodiscard]] std::size_t room() const { return log::kLongestRecord - size(); }
  [[nodiscard]] std::uint8_t* end() const { return at_; }

  /// After this a reader sees the record, also when the process is killed.
  [[gnu::always_inline]] void commit() {
    std::atomic_signal_fence(std::memory_order_release);
    *static_cast<volatile std::uint8_t*>(begin_) = static_cast<std::uint8_t>(size());
  }

  // What MPI says with constants of its own; wrapping.hpp defines these.
  void source(int rank);
  void root(int rank);
  void tag(int value);
  void handle(std::uint64_t bits);

 private:
  std::uint8_t* begin_ = nullptr;
  std::uint8_t* at_ = nullptr;
};

/// What a log is opened with.
struct LogOptions {
  const char* folder;
  std::uint64_t most_bytes;  ///< of the chunks of a thread; 0: no bound
  log::WhenFull when_full;
};

/// Writes the log of its thread. No locks, and no memory but mappings of the file. The file is open only
/// while it grows: programs close descriptors that they do not know, and get their numbers for files of their
/// own. Not thread-safe.
class Writer {
 public:
  /// False if the file cannot be made. `start` holds what all threads of the process share.
  bool open(const LogOptions& options, const log::Header& start, std::uint32_t thread);
  /// To be called once at the end, by any thread. The file is cut to what it holds if the owner certainly
  /// records nothing meanwhile.
  void close(const log::ClockPair& end, bool is_free);
  /// Goes on after close().
  void reopen();
  /// Gives the memory of the records back. The next record takes it again.
  void rest();

  [[nodiscard]] bool is_open() const { return header_ != nullptr; }
  [[nodiscard]] log::Header& header() { return *header_; }
  /// Counts chunks, also one that is begun anew: what an earlier section says does not hold in a later one.
  [[nodiscard]] std::uint64_t section() const { return section_; }

  /// A record, or none if the log is full.
  [[gnu::always_inline]] Record begin() {
    if (at_ == nullptr || static_cast<std::size_t>(end_ - at_) <= log::kLongestRecord) [[unlikely]] {
      if (!next_chunk()) {
        return {};
      }
    }
    return Record(at_);
  }
  [[gnu::always_inline]] void commit(Record& record) {
    at_ = record.end();
    record.commit();
  }

  /// The ticks since the last record, which then was at `now`.
  [[gnu::always_inline]] std::uint64_t since_last(std::uint64_t now) {
    const std::uint64_t passed = now - last_;
    last_ = now;
    return passed;
  }
  std::int64_t handle_difference(std::uint64_t handle) {
    const auto difference = static_cast<std::int64_t>(handle - handle_);
    handle_ = handle;
    return difference;
  }

  /// Forgets what was recorded since the log was opened; for calibration.
  void rewind();

 private:
  bool next_chunk();
  /// An empty path if it is too long.
  [[nodiscard]] std::array<char, 4096> path() const;
  bool wake();
  std::uint8_t* map_chunk(std::uint64_t slot);
  /// How much of the chunk is used; 0: there is none.
  [[nodiscard]] std::size_t used() const;
  void lose();

  log::Header* header_ = nullptr;
  std::uint8_t* chunk_ = nullptr;
  std::uint8_t* at_ = nullptr;
  std::uint8_t* end_ = nullptr;
  std::uint64_t last_ = 0;
  std::uint64_t handle_ = 0;
  std::uint64_t written_ = 0;  ///< chunks
  std::uint64_t section_ = 0;  ///< from 1
  std::uint64_t slots_ = 0;    ///< chunks that the file has
  std::uint64_t slot_ = 0;     ///< that of the chunk
  std::size_t resting_ = 0;    ///< what the chunk uses while it is not mapped
  std::uint64_t most_slots_ = 0;
  bool has_stopped_ = false;  ///< no chunk could be made
  const char* folder_ = nullptr;
  std::array<char, 48> name_{};
};

}  // namespace groma::trace
