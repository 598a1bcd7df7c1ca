// Reads a trace of Paraver: NAME.prv or NAME.prv.gz, with NAME.pcf and NAME.row where they are there. What is
// not as the format has it is passed over and counted; only a file without a header is refused.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "trace/model/trace.hpp"

namespace groma::trace {

/// A defect of a trace that can be read nevertheless.
enum class TraceDefect : std::uint8_t {
  kNoUnit,
  kWrongDuration,
  kUnsorted,
  kRepeated,
  kOldRecord,
  kUnknownObject,
  kMalformed,
  kOutOfRange,
  kFraction,
  kBackward,
  kOpenState,
  kUnknownMember,
  kLateComment,
  kWideObjects,
  kCutLine,
  kDamagedFile,
  kNoRecords,
  kNoNames,
  kMalformedNames,
  kNotUtf8,
  kCount
};

/// How often, and in which line first (0: none).
struct DefectCount {
  std::uint64_t count = 0;
  std::uint64_t line = 0;
};

struct Warning {
  std::string code;
  std::string text;  ///< what is done about it
  DefectCount found;
};

/// Sums of times must not overflow; 146 years.
inline constexpr Nanoseconds kLatest = Nanoseconds{1} << 62U;

struct ReadReport {
  std::uint64_t states = 0;
  std::uint64_t events = 0;       ///< pairs of a type and a value
  std::uint64_t event_lines = 0;  ///< lines that hold them
  std::uint64_t communications = 0;
  std::uint64_t bytes = 0;  ///< of the text
  std::uint64_t lines = 0;
  Nanoseconds header_duration = 0;
  Nanoseconds last_time = 0;  ///< the latest time of any record
  std::array<DefectCount, static_cast<std::size_t>(TraceDefect::kCount)> defects{};

  [[nodiscard]] bool has_records() const { return states + events + communications > 0; }
  /// That of the header, unless it is absurd.
  [[nodiscard]] Nanoseconds known_duration() const {
    return header_duration <= kLatest ? header_duration : 0;
  }
  /// Where the trace ends; without records, only its header says that.
  [[nodiscard]] Nanoseconds duration() const { return has_records() ? last_time : known_duration(); }
  [[nodiscard]] const DefectCount& of(TraceDefect kind) const {
    return defects[static_cast<std::size_t>(kind)];
  }
  void note(TraceDefect kind, std::uint64_t line) {
    DefectCount& one = defects[static_cast<std::size_t>(kind)];
    if (one.count++ == 0) one.line = line;
  }
  [[nodiscard]] std::vector<Warning> warnings() const;
};

/// Records come in the order of the file, which may differ from that of their times (TraceDefect::kUnsorted).
/// Memory is bounded by the longest line, the number of threads, and the communicators.
Result<ReadReport> read_prv(const std::string& path, Sink& sink);

/// The names that lie beside a .prv or .prv.gz.
Names names_of_prv(const std::string& path);

/// The same of a text, without names.
Result<ReadReport> read_prv_text(std::string_view text, Sink& sink);

}  // namespace groma::trace
