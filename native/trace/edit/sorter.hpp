// Brings the records of a trace into the order of a .prv, whatever order they come in.
#pragma once

#include <filesystem>

#include "base/sorted_runs.hpp"
#include "trace/model/any_record.hpp"
#include "trace/model/trace.hpp"

namespace groma::trace {

/// Hands all on at end(). In bounded memory: what does not fit is kept in `scratch`.
class Sorter final : public Sink {
 public:
  Sorter(Sink& next, std::filesystem::path scratch) : next_(next), runs_(std::move(scratch)) {}

  void begin(const Layout& layout) override { next_.begin(layout); }
  void state(const State& state) override { add(AnyRecord(state)); }
  void event(const Event& event) override { add(AnyRecord(event)); }
  void communication(const Communication& message) override { add(AnyRecord(message)); }
  void end(const Names& names) override;

  /// Whether all could be kept and read again.
  [[nodiscard]] Status status() const { return runs_.status(); }

 private:
  struct Numbered {
    std::uint64_t number = 0;  ///< in the order of coming: equal times keep it
    AnyRecord record;
  };
  struct Earlier {
    bool operator()(const Numbered& a, const Numbered& b) const {
      const Nanoseconds one = a.record.time();
      const Nanoseconds other = b.record.time();
      return one != other ? one < other : a.number < b.number;
    }
  };
  void add(const AnyRecord& record) { runs_.add({number_++, record}); }

  Sink& next_;
  SortedRuns<Numbered, Earlier> runs_;
  std::uint64_t number_ = 0;
};

}  // namespace groma::trace
