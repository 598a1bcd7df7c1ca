// A simulated run as a trace for Paraver: the states of its cores and what they sent each other.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "base/sorted_runs.hpp"
#include "sim/torus/observer.hpp"
#include "trace/model/any_record.hpp"
#include "trace/model/trace.hpp"
#include "trace/paraver/prv_writer.hpp"

namespace groma::sim::traced {

struct RunTracePlan {
  std::string path;  ///< of the files without their endings
  double nanoseconds_per_cycle = 1.0;
  torus::Places places;
  std::vector<std::uint32_t> shape;
};

/// Keeps the records of a run in bounded memory: what does not fit is kept beside the trace until write().
/// The trace is the same with any number of threads.
class RunTrace final : public torus::Observer {
 public:
  /// Creates the file of the trace, so that one that cannot be written is known before the run.
  static Result<std::unique_ptr<RunTrace>> create(RunTracePlan plan);

  void begins(torus::Place place, torus::Cycles at, torus::Doing doing) override;
  void delivered(const torus::Delivery& delivery) override;

  struct Counts {
    std::uint64_t states = 0;
    std::uint64_t messages = 0;
    std::uint64_t bytes = 0;  ///< of messages
  };
  /// After the run, once. Nothing is later than `end`. Where that fails, no file is left.
  Result<Counts> write(torus::Cycles end);

 private:
  struct Open {
    torus::Cycles since = 0;
    torus::Doing doing = torus::Doing::kIdle;
  };
  /// Orders all records that differ, so that threads may add them in any order.
  struct Earlier {
    bool operator()(const trace::AnyRecord& a, const trace::AnyRecord& b) const;
  };

  RunTrace(RunTracePlan plan, trace::PrvWriter writer);
  [[nodiscard]] trace::Nanoseconds time_of(torus::Cycles at) const;
  void close(torus::Place place, torus::Cycles at);
  void keep(const trace::AnyRecord& record);
  [[nodiscard]] trace::Layout layout(trace::Nanoseconds duration) const;
  [[nodiscard]] trace::Names names() const;
  [[nodiscard]] std::string name_of(std::uint32_t node) const;
  [[nodiscard]] std::uint32_t nodes() const;
  void hand_over(trace::Nanoseconds duration, Counts& counts);

  RunTracePlan plan_;
  trace::PrvWriter writer_;
  std::vector<Open> open_;  ///< by place
  std::mutex keeping_;
  SortedRuns<trace::AnyRecord, Earlier> records_;
};

}  // namespace groma::sim::traced
