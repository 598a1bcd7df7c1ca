#include "trace/tracer/calibration.hpp"

#include <algorithm>

#include "trace/tracer/wrapping.hpp"

namespace groma::trace {
namespace {

constexpr std::uint64_t kScale = 256;
constexpr int kCalls = 512;  // of a batch
constexpr int kBatches = 8;

/// What the counters of this thread count of calls that do nothing: the least of all batches.
class CallCounts {
 public:
  using Counts = CallCost::Counts;

  void add() {
    const Counting* const counting = thread_state.counting;
    for (std::size_t i = 0; counting != nullptr && i < counting->size(); ++i) {
      batch_inside_[i] += counting->within(i);
      batch_outside_[i] += counting->before(i);
    }
  }
  void end_batch() {
    for (std::size_t i = 0; i < inside_.size(); ++i) {
      keep_least(inside_[i], batch_inside_[i] * kScale / kCalls);
      keep_least(outside_[i], batch_outside_[i] * kScale / kCalls);
    }
    batch_inside_ = batch_outside_ = {};
    batches_ += 1;
  }
  [[nodiscard]] const Counts& inside() const { return inside_; }
  [[nodiscard]] const Counts& outside() const { return outside_; }

 private:
  void keep_least(std::uint64_t& least, std::uint64_t value) const {
    least = batches_ == 0 ? value : std::min(least, value);
  }
  Counts inside_{};
  Counts outside_{};
  Counts batch_inside_{};
  Counts batch_outside_{};
  int batches_ = 0;
};

/// Calls that do nothing, recorded as those of a program are. The sum of their durations.
std::uint64_t record_batch(CallCounts& counts) {
  std::uint64_t inside = 0;
  for (int i = 0; i < kCalls; ++i) {
    Scope call(log::CallIndex::Comm_rank);
    call.stop();
    inside += call.duration();
    counts.add();
    if (Record record = call.leave()) {
      record.put(communicator(MPI_COMM_WORLD).id);
      call.commit(record);
    }
  }
  return inside;
}

}  // namespace

CallCost measure_call_cost() {
  std::uint64_t least = ~std::uint64_t{0};
  std::uint64_t least_inside = ~std::uint64_t{0};
  CallCounts counts;
  for (int batch = 0; batch < kBatches; ++batch) {
    const std::uint64_t begin = ticks();
    const std::uint64_t inside = record_batch(counts);
    least = std::min(least, (ticks() - begin) * kScale / kCalls);
    least_inside = std::min(least_inside, inside * kScale / kCalls);
    counts.end_batch();
    thread_state.writer->rewind();
  }
  return {least, least_inside, counts.inside(), counts.outside()};
}

}  // namespace groma::trace
