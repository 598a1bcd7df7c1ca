// A trace as what its ranks do: a time-independent trace, which a simulator can replay on another network.
//
// Each call becomes a line `rank action arguments`, as SimGrid's SMPI writes them, and the time between two
// calls a line `compute NANOSECONDS`. Messages go from the call that sent them to that which received them:
// tags number the messages of two ranks. Lines of communicators, `@NUMBER` after a collective, and
// collectives that do not block are what SMPI does not know (sim/torus/messages/trace_text.hpp).
//
// A .prv does not say which send a wait completes. A wait in which no message arrives completes the oldest
// send that is open, else the oldest collective; MPI_Waitall completes all. Between two equal calls that ask
// whether something is there, less than 10 us are no work.
#pragma once

#include <cstdint>
#include <map>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "trace/export/replay_run.hpp"
#include "trace/model/trace.hpp"

namespace groma::trace {

/// Holds the calls and messages of the whole trace; writes at end(), its losses last, as a remark.
class ReplayWriter final : public Sink {
 public:
  explicit ReplayWriter(std::ostream& out) : out_(out) {}

  void begin(const Layout& layout) override;
  void state(const State& state) override;
  void event(const Event& event) override;
  void communication(const Communication& message) override;
  void end(const Names& names) override;

  /// Errors (validation) say why a trace cannot be replayed.
  [[nodiscard]] Status status() const { return status_; }
  [[nodiscard]] const ReplayLosses& losses() const { return run_.losses; }

 private:
  struct Parameters {
    std::uint64_t sent = 0;
    std::uint64_t received = 0;
    std::uint64_t communicator = 0;
    bool is_root = false;
  };
  void settle(replay::Rank rank);
  void open_call(replay::Rank rank, const Event& begin, const Parameters& given);
  static Parameters parameters_in(Events beside);
  void join_collective(replay::Rank rank, replay::Call& call, const Parameters& given);
  void refuse(const std::string& what, const std::string& next);
  void refuse_applications();
  void write_communicators();
  void write_losses();
  [[nodiscard]] replay::Rank rank_of(ObjectIndex object) const { return ranks_[object]; }

  std::ostream& out_;
  Status status_ = Done{};
  replay::Run run_;
  Nanoseconds last_ = 0;
  std::vector<replay::Rank> ranks_;  ///< of each object
  std::map<std::pair<replay::Rank, replay::Rank>, std::uint32_t> tags_;
  std::map<std::uint64_t, std::uint32_t> communicator_places_;
};

}  // namespace groma::trace
