// A part of the records of a trace.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "trace/edit/edit.hpp"
#include "trace/model/trace.hpp"

namespace groma::trace {

/// Whole numbers from and to, both of them included. No ranges: all numbers.
class Ranges {
 public:
  void add(std::uint64_t from, std::uint64_t to) { ranges_.emplace_back(from, to); }
  [[nodiscard]] bool hold(std::uint64_t number) const;
  [[nodiscard]] bool empty() const { return ranges_.empty(); }

 private:
  std::vector<std::pair<std::uint64_t, std::uint64_t>> ranges_;
};

/// What is kept. Tasks count from 0.
struct FilterRules {
  Ranges states;
  Ranges types;
  Ranges left_out_types;           ///< none where it is empty
  Ranges tasks;                    ///< a message needs both of its tasks
  Nanoseconds shortest_burst = 0;  ///< of state Running
  std::uint64_t smallest_message = 0;
  bool no_states = false;
  bool no_events = false;
  bool no_messages = false;
  std::optional<Nanoseconds> duration;  ///< of the header, where it is not that of the whole trace
};

/// Adds a rule such as --types=3-5; false if it is none.
bool read_rule(const std::string& word, FilterRules& rules);

/// Objects stay as they are, also those of which nothing is kept.
class Filter final : public Sink {
 public:
  Filter(Sink& next, FilterRules rules) : next_(next), rules_(std::move(rules)) {}

  void begin(const Layout& layout) override;
  void state(const State& state) override;
  void event(const Event& event) override;
  void communication(const Communication& message) override;
  void end(const Names& names) override { next_.end(names); }

  [[nodiscard]] std::uint64_t kept() const { return kept_; }
  [[nodiscard]] std::uint64_t dropped() const { return dropped_; }
  /// When the last record ends that is kept; that of the header where none is.
  [[nodiscard]] Nanoseconds end_of_kept() const { return kept_ > 0 ? end_of_kept_ : header_duration_; }
  [[nodiscard]] bool has_right_duration() const { return end_of_kept() == header_duration_; }

 private:
  /// `end` of a record.
  bool decide(bool keep, Nanoseconds end);

  Sink& next_;
  FilterRules rules_;
  std::vector<bool> objects_;  ///< whether they are kept
  std::uint64_t kept_ = 0;
  std::uint64_t dropped_ = 0;
  Nanoseconds end_of_kept_ = 0;
  Nanoseconds header_duration_ = 0;
};

/// The records that the rules keep. `is_sized_before`: the length is written before the records, and the
/// trace can be read again if it was wrong.
class FilterEdit final : public Edit {
 public:
  FilterEdit(FilterRules rules, bool is_sized_before)
      : rules_(std::move(rules)), is_sized_before_(is_sized_before) {}
  Sink& begin(Sink& next) override { return made_.emplace(next, rules_); }
  bool is_right(Nanoseconds end) override;
  Status report(JsonObject& object) const override;

 private:
  FilterRules rules_;
  bool is_sized_before_;
  std::optional<Filter> made_;
};

}  // namespace groma::trace
