// The samples of a probe while it runs. Sinks receive them; measuring code never prints.
#pragma once

#include <cstdint>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.hpp"
#include "base/result.hpp"
#include "base/units.hpp"

namespace groma {

/// One thing that is sampled: its unit ("s", "B/s", …) and labels such as size_bytes.
class Case {
 public:
  explicit Case(std::string_view unit) { labels_.add("unit", unit); }
  Case& with(std::string_view label, const Json& value) {
    labels_.add(label, value);
    return *this;
  }
  [[nodiscard]] Json json() const { return labels_.json(); }

 private:
  JsonObject labels_;
};

/// Disturbance seen during one round; see groma.record.Round.
struct RoundReport {
  std::uint32_t round = 0;
  Seconds elapsed;
  Seconds fixed_work;
  double wall_over_cpu = 1.0;
  Seconds steal;
  std::uint32_t discarded = 0;  ///< samples in which a thread lost its core
};

enum class EndReason { kStable, kRounds, kBudget, kInterrupted };
std::string_view name_of(EndReason ended);

class SampleSink {
 public:
  virtual ~SampleSink() = default;
  virtual void begin(const std::vector<Case>& cases) = 0;
  virtual void sample(std::size_t which, std::uint32_t round, double value) = 0;
  virtual void round(const RoundReport& report) = 0;
  virtual void end(EndReason ended) = 0;
};

/// Writes the protocol: one JSON object a line, flushed with every round, so that what was measured
/// survives whatever happens next.
class JsonLineSink final : public SampleSink {
 public:
  /// `header` holds what only the caller knows (probe, seed, parameters).
  JsonLineSink(std::ostream& out, JsonObject header) : out_(out), header_(std::move(header)) {}
  void begin(const std::vector<Case>& cases) override;
  void sample(std::size_t which, std::uint32_t round, double value) override;
  void round(const RoundReport& report) override;
  void end(EndReason ended) override;

 private:
  std::ostream& out_;
  JsonObject header_;
};

/// One line for an expected failure.
Json failure_line(const Error& error);

}  // namespace groma
