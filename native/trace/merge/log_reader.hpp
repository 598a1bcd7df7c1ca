// Reads the log of a thread. Whatever the file holds, nothing outside of it is read.
#pragma once

#include <array>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/mapped_file.hpp"
#include "base/result.hpp"
#include "trace/log/calls.hpp"
#include "trace/log/format.hpp"

namespace groma::trace {

/// A request that a call completed or started.
struct RequestMark {
  std::uint64_t handle = 0;
  log::Completion how = log::Completion::plain;
  std::int64_t source = log::kAny;
  std::int64_t tag = log::kAny;
};

/// Ranks `first`, `first + step`, … of the world.
struct Run {
  std::int64_t first = 0;
  std::int64_t step = 1;
  std::uint64_t length = 0;
  auto operator<=>(const Run&) const = default;
};

/// A communicator as one process has it.
struct CommunicatorDefinition {
  std::uint64_t id = 0;  ///< of the process
  bool inter = false;
  std::vector<Run> members;
  std::vector<Run> remote;
};

/// Calls of one kind that got nothing.
struct MissSum {
  std::uint64_t count = 0;
  std::uint64_t ticks = 0;
};
using Misses = std::array<MissSum, log::kMisses>;

/// An executable or a library of a traced program, and what its file was when it was traced.
struct Module {
  std::string path;
  std::uint64_t bytes = 0;
  std::uint64_t modified = 0;  ///< seconds since 1970
  auto operator<=>(const Module&) const = default;
};

/// Where calls of a program return to: an address in its module, or in memory of no module (no path).
struct CallSite {
  Module module;
  std::uint64_t address = 0;
  auto operator<=>(const CallSite&) const = default;
};

/// A call with what was recorded of it.
struct CallRecord {
  const log::CallInfo* call = nullptr;
  bool failed = false;
  std::uint64_t entered = 0;  ///< ticks
  std::uint64_t left = 0;     ///< ticks
  std::array<std::uint64_t, log::kFieldCount> fields{};
  std::vector<RequestMark> requests;
  /// Of each counter of the thread what it counted before the call, then of each what it counted in it; empty
  /// where that is not known.
  std::vector<std::uint64_t> counters;
  bool has_misses = false;
  Misses misses{};       ///< since the call before, where they are counted
  std::size_t site = 0;  ///< in LogReader::sites(), from 1; 0: not known

  [[nodiscard]] bool has(log::Field field) const {
    return !failed && (call->fields & log::field_bit(field)) != 0;
  }
  [[nodiscard]] std::uint64_t at(log::Field field) const { return fields[static_cast<std::size_t>(field)]; }
  [[nodiscard]] std::int64_t signed_at(log::Field field) const {
    return static_cast<std::int64_t>(at(field));
  }
};

/// A begin or end of a region, or a value, which the program gave.
struct UserRecord {
  std::uint64_t ticks = 0;
  std::uint64_t name = 0;
  bool is_region = false;
  std::uint64_t value = 0;                   ///< of a region: 1 at its begin, 0 at its end
  std::vector<std::uint64_t> counters = {};  ///< what each counter counted since the record before
};

/// What a log holds next.
enum class LogItem : std::uint8_t { kEnd, kCall, kCommunicator, kUser };

/// Nothing is known of what happened between these ticks.
struct TickGap {
  std::uint64_t from = ~std::uint64_t{0};
  std::uint64_t to = 0;
};

class LogReader {
 public:
  /// Refuses what is no log of this version.
  static Result<LogReader> open(const std::filesystem::path& path);

  [[nodiscard]] const log::Header& header() const { return header_; }
  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::size_t bytes() const { return file_.bytes().size(); }
  /// Names of the counters of this thread.
  [[nodiscard]] std::vector<std::string> counters() const;

  /// The next item; the accessors below hold what it says until the call after.
  LogItem next();
  [[nodiscard]] const CallRecord& call() const { return call_; }
  [[nodiscard]] const UserRecord& user() const { return user_; }
  /// Complete once the item after it is read, because its members follow: see definitions().
  std::vector<CommunicatorDefinition> take_definitions() {
    return definitions_.empty() ? std::vector<CommunicatorDefinition>{} : std::exchange(definitions_, {});
  }
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
  /// All that were read. Their numbers stay, also after rewind().
  [[nodiscard]] const std::vector<CallSite>& sites() const { return sites_; }

  /// At the end: what got nothing after the last call; nullptr if that is none.
  [[nodiscard]] const Misses* misses_left() const { return has_misses_ ? &misses_ : nullptr; }

  /// Ticks of the last record.
  [[nodiscard]] std::uint64_t last() const { return last_; }
  /// Chunks that could not be read to their end, or at all.
  [[nodiscard]] std::uint64_t damaged() const { return damaged_ + holes_; }
  [[nodiscard]] std::uint64_t missing() const { return missing_; }  ///< chunks that were written over
  [[nodiscard]] bool has_gap() const { return gap_.to != 0; }
  /// Where chunks are missing. Reads the log up to there, and goes back to the begin.
  TickGap find_gap();

  /// Back to the begin.
  void rewind();

 private:
  LogReader(MappedFile file, std::string path);
  class Cursor;

  void find_chunks();
  [[nodiscard]] std::uint64_t ticks_at(std::size_t chunk) const;
  bool next_chunk();
  /// Where the records of the current chunk must come to.
  [[nodiscard]] std::size_t must_reach(std::size_t begin) const;
  /// The rest of it is damaged.
  void give_up_chunk();
  /// What belongs to the next call.
  void forget_pending();
  std::optional<LogItem> read(Cursor record);
  std::optional<LogItem> read_call(Cursor record, std::uint64_t head);
  std::optional<LogItem> read_requests(Cursor& record);
  std::optional<LogItem> read_counters(Cursor& record);
  std::optional<LogItem> read_misses(Cursor& record);
  std::optional<LogItem> read_communicator(Cursor& record);
  std::optional<LogItem> read_members(Cursor& record);
  std::optional<LogItem> read_name(Cursor& record);
  std::optional<LogItem> read_module(Cursor& record);
  std::optional<LogItem> read_module_path(Cursor& record);
  std::optional<LogItem> read_site(Cursor& record);
  void forget_sites();
  std::optional<LogItem> read_user(Cursor& record, bool is_region);
  std::uint64_t read_handle(Cursor& record);

  MappedFile file_;
  std::string path_;
  log::Header header_{};
  std::vector<std::size_t> chunks_;  ///< offsets in the order of writing
  std::size_t next_chunk_ = 0;
  std::size_t at_ = 0;
  std::size_t end_ = 0;
  std::size_t must_reach_ = 0;
  std::uint64_t last_ = 0;
  std::uint64_t handle_ = 0;
  std::uint64_t number_ = 0;  ///< of the chunk
  std::uint64_t damaged_ = 0;
  std::uint64_t holes_ = 0;  ///< chunks that were written and are not there
  std::uint64_t missing_ = 0;
  TickGap gap_;
  CallRecord call_;
  std::vector<RequestMark> requests_;
  std::vector<std::uint64_t> counters_;
  bool has_misses_ = false;
  Misses misses_{};
  UserRecord user_;
  std::vector<CommunicatorDefinition> definitions_;
  std::vector<std::string> names_;
  std::vector<CallSite> sites_;
  std::map<CallSite, std::size_t> site_numbers_;
  std::vector<Module> chunk_modules_;  ///< by their numbers in the chunk
  std::vector<std::size_t> chunk_sites_;
};

}  // namespace groma::trace
