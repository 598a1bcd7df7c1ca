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

#include <cstddef>
#include <cstdint>
#include <map>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "trace/model/trace.hpp"

namespace groma::trace {

/// What a replay leaves out of a trace, or can only guess.
struct ReplayLosses {
  std::uint64_t other_calls = 0;  ///< one-sided, I/O: replayed as the time that they took
  std::uint64_t left_out = 0;     ///< collectives of a topology or of two groups, which are not replayed
  std::uint64_t unplaced = 0;     ///< messages that belong to no call, left out
  std::uint64_t cut = 0;          ///< collectives in which some ranks are missing, left out
  std::uint64_t divided = 0;      ///< collectives whose sizes were derived from the sums of ranks
};

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
  [[nodiscard]] const ReplayLosses& losses() const { return losses_; }

 private:
  using Rank = std::uint32_t;
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;

  struct Call {
    Nanoseconds begin = 0;
    Nanoseconds end = 0;
    std::uint32_t type = 0;
    std::uint32_t value = 0;
    std::uint32_t collective = kNone;  ///< its place in collectives_
  };
  struct Message {
    Rank from = 0;
    Rank to = 0;
    std::uint32_t tag = 0;  ///< numbers the messages of these two
    Nanoseconds posted = 0;
    Nanoseconds received = 0;
    Nanoseconds sent = 0;
    std::uint64_t bytes = 0;
  };
  /// A collective of a communicator, with the sums of its ranks in their order there.
  struct Collective {
    std::uint32_t communicator = 0;
    std::uint32_t value = 0;
    std::uint32_t root = 0;
    std::uint32_t arrived = 0;
    std::vector<std::uint64_t> sent;
    std::vector<std::uint64_t> received;
  };
  struct Ranks {
    std::uint64_t id = 0;
    std::vector<Rank> members;
    std::map<Rank, std::uint32_t> places;
    std::vector<std::uint32_t> collectives;  ///< places in collectives_
  };
  struct Parameters {
    bool is_collective = false;
    std::uint64_t sent = 0;
    std::uint64_t received = 0;
    std::uint64_t communicator = 0;
    bool is_root = false;
  };
  /// Of the thread of a rank that calls.
  struct Program {
    ObjectIndex object = kNone;
    Nanoseconds begin = 0;
    bool has_begun = false;
    bool is_open = false;  ///< the last call has no end yet
    std::vector<Call> calls;
    std::vector<std::uint32_t> sends;                    ///< places in messages_
    std::vector<std::uint32_t> receives;                 ///< likewise
    std::map<std::uint32_t, std::uint32_t> collectives;  ///< of each communicator so far
  };
  class Writing;

  void settle_line();
  void open_call(Program& program, Rank rank, std::uint32_t type, std::uint64_t value);
  [[nodiscard]] Parameters parameters() const;
  void join_collective(Rank rank, Call& call, const Parameters& told);
  void refuse(const std::string& what, const std::string& next);
  void write_communicators();
  void write_losses();
  [[nodiscard]] Rank rank_of(ObjectIndex object) const { return ranks_[object]; }

  std::ostream& out_;
  Status status_ = Done{};
  ReplayLosses losses_;
  Nanoseconds last_ = 0;
  std::vector<Rank> ranks_;  ///< of each object
  std::vector<Program> programs_;
  std::vector<Message> messages_;
  std::map<std::pair<Rank, Rank>, std::uint32_t> tags_;
  std::vector<Ranks> communicators_;  ///< the first is that of all ranks
  std::map<std::uint64_t, std::uint32_t> communicator_places_;
  std::vector<Collective> collectives_;
  std::vector<Event> line_;  ///< events of one thread at one time
};

}  // namespace groma::trace
