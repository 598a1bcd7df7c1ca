// Messages over packets, as a processor that feeds and drains the network by polling sends them: the message
// layer of Blue Gene/L (Martorell et al. 2005, "BG/L message layer", "Analysis of the behavior of the message
// layer").
#pragma once

#include <cstdint>
#include <functional>
#include <unordered_map>
#include <vector>

#include "base/random.hpp"
#include "sim/torus/injection.hpp"
#include "sim/torus/messages/blocked.hpp"
#include "sim/torus/messages/fifo_sets.hpp"
#include "sim/torus/messages/program.hpp"
#include "sim/torus/messages/small_queue.hpp"
#include "sim/torus/packet_costs.hpp"
#include "sim/torus/workload.hpp"

namespace groma::sim::torus {

/// Which packet a direction sends next, where several messages go that way.
enum class Policy : std::uint8_t {
  kFifo,         ///< of the first message of those that may go, in the order of sends, until it is sent
  kOverlapping,  ///< of all messages in turn
};

/// What a processor that waits for a request looks at first.
enum class Polling : std::uint8_t {
  kAlternate,  ///< sends a packet, then receives what waits, and so on
  kReceiveFirst,
  kSendFirst,
};

/// Ranks of a node: Packet::reception counts them.
inline constexpr std::uint32_t kMaxCores = 256;

struct LayerSettings {
  Policy policy = Policy::kFifo;
  Polling polling = Polling::kAlternate;
  std::uint64_t rendezvous =
      1000;  ///< messages of more bytes are announced first and sent when the receiver is ready
  PacketCosts costs;
  double call = 0.0;        ///< cycles to start a send or receive
  double message = 0.0;     ///< cycles of each end of a message between nodes: o of LogGP
  double reorder = 0.0;     ///< cycles for a packet that comes out of order, in addition to receiving it
  double copy = 0.0;        ///< cycles for a byte between ranks of a node
  std::uint32_t cores = 1;  ///< ranks of a node, each with a processor of its own
  /// Ranks of a node share injection FIFOs beyond so many sets of one for each direction.
  std::uint32_t max_fifo_sets = kMaxCores;
  std::uint64_t seed = 1;
};

/// A message that no receive matched.
struct Unreceived {
  Rank from = 0;
  Rank to = 0;
  std::int32_t tag = 0;  ///< below 0 for one of a collective
};

/// A receive that no message matches.
struct Unsent {
  Rank from = kAnyRank;
  Rank to = 0;
  std::int32_t tag = kAnyTag;  ///< below that for one of a collective
};

class MessageLayer final : public Workload {
 public:
  /// Adds what only the maker of the programs knows of a run.
  using Extra = std::function<void(const MessageLayer&, const Outcome&, JsonObject&)>;

  /// Rank r runs on node r / cores; there must not be more programs than places.
  MessageLayer(LayerSettings settings, std::vector<Program> programs, const Shape& shape, Extra extra = {});

  [[nodiscard]] Demands demands() const override;
  void start(Adapter& node) override;
  void wake(Adapter& node) override { advance(node); }
  void received(Adapter& node, std::uint32_t fifo) override;
  void injected(Adapter& node, std::uint32_t fifo) override;
  void report(const Outcome& outcome, JsonObject& result) const override;
  [[nodiscard]] Places places() const override { return {ranks(), settings_.cores}; }
  void observe(Observer& observer) override { observer_ = &observer; }

  [[nodiscard]] Rank ranks() const { return static_cast<Rank>(programs_.size()); }
  /// Whether all programs came to their end.
  [[nodiscard]] bool is_complete() const;
  /// Ranks that did not, for want of what others have not done.
  [[nodiscard]] std::vector<Blocked> blocked() const;
  /// When the last step of a rank was done; kNever where it was not.
  [[nodiscard]] Cycles finished_at(Rank rank) const { return cores_[rank].finished_at; }
  [[nodiscard]] Cycles time() const;
  [[nodiscard]] std::uint64_t bytes_received(Rank rank) const { return cores_[rank].bytes; }
  [[nodiscard]] std::uint64_t out_of_order() const;
  [[nodiscard]] std::vector<Unreceived> unreceived() const;
  /// Receives that wait, and that no rank has a message for, nor would have if it went on.
  [[nodiscard]] std::vector<Unsent> unsent() const;

 private:
  enum class Kind : std::uint8_t { kEager, kAnnounce, kReady, kData };

  /// What a packet carries of its message.
  struct Label {
    std::uint64_t bytes;  ///< of the message
    Rank from;
    std::uint32_t number;  ///< of the message, among those from its sender to its receiver
    std::int32_t tag;
    std::uint32_t handle;   ///< of the sender's
    std::uint32_t payload;  ///< bytes
    std::uint32_t index;    ///< of the packet in its message
    Kind kind;
    Cycles called;  ///< when the sender's program sent the message
  };

  struct Outgoing {
    Rank to = 0;
    std::uint32_t number = 0;
    std::int32_t tag = 0;
    RequestId request = 0;
    std::uint64_t bytes = 0;
    std::uint64_t sent = 0;
    std::uint32_t packets = 0;
    std::uint32_t coins = 0;
    Port port = 0;
    Kind kind = Kind::kEager;
    Cycles called = 0;
    std::uint64_t posted = 0;  ///< among all messages of its sender
  };
  struct Control {
    Rank to;
    std::uint32_t coins;
    Label label;
  };
  struct Incoming {
    Label label{};
    std::uint64_t arrived = 0;
    std::uint32_t packets = 0;
    std::uint32_t next_index = 0;
    RequestId request = kNoRequest;
    Cycles sent = kNever;  ///< its first byte
    Cycles asked = 0;      ///< the receive that it matches
  };
  struct Posted {
    Rank from;
    std::int32_t tag;
    RequestId request;
    Cycles at;
  };
  struct Local {
    Rank to;
    RequestId request;
    Label label;
  };
  /// A strand that was begun and is not complete.
  struct Running {
    std::uint32_t strand;
    RequestId request;
    std::size_t step = 0;
  };
  struct Direction {
    SmallQueue<Control> control;
    SmallQueue<std::uint32_t> messages;

    [[nodiscard]] bool empty() const { return control.empty() && messages.empty(); }
  };

  struct Core {
    BusyTime processor;
    Prepared prepared;
    std::size_t step = 0;
    std::vector<Running> running;
    Cycles finished_at = kNever;
    std::uint32_t waiting = 0;  ///< packets in its reception FIFO
    std::uint32_t turn = 0;     ///< the direction that is asked first
    bool sent_last = false;
    bool yields = false;  ///< to a rank that shares a FIFO and is to send first
    bool idle = false;    ///< until a packet, a message in memory or a place in a FIFO comes
    RequestId open = 0;   ///< requests that are not complete
    std::uint64_t posted_sends = 0;
    std::uint64_t bytes = 0;
    std::uint64_t out_of_order = 0;
    std::vector<bool> done;  ///< requests
    std::vector<Outgoing> outgoing;
    std::vector<std::uint32_t> free_handles;
    std::vector<Posted> posted;
    std::vector<std::uint64_t> unexpected;  ///< keys of messages that no receive matched yet, in order
    std::unordered_map<std::uint64_t, Incoming> incoming;
    std::unordered_map<Rank, std::uint32_t> next_to;    ///< number of the next message to a rank
    std::unordered_map<Rank, std::uint32_t> next_from;  ///< number of the next message to match
    SmallQueue<Local> local;
    RandomStream random{0};
  };

  static constexpr RequestId kNoRequest = 0xFFFFFFFF;

  [[nodiscard]] Node node_of(Rank rank) const { return rank / settings_.cores; }
  [[nodiscard]] Rank rank_of(Node node, std::uint32_t core) const { return (node * settings_.cores) + core; }
  Direction& direction(Rank rank, Port port) { return directions_[(std::size_t{rank} * ports_) + port]; }
  [[nodiscard]] const Direction& direction(Rank rank, Port port) const {
    return directions_[(std::size_t{rank} * ports_) + port];
  }
  [[nodiscard]] static std::uint64_t key_of(const Label& label) {
    return (std::uint64_t{label.from} << 32U) | label.number;
  }

  void spend(Adapter& node, Rank rank, double cycles, Doing doing);
  void report_waiting(Adapter& node, Rank rank);
  void report_delivery(const Incoming& message, Rank to, Cycles now);

  void advance(Adapter& node);
  bool act_while_free(Adapter& node, Rank rank);
  bool act(Adapter& node, Rank rank);
  bool run_program(Adapter& node, Rank rank);
  bool run_strands(Adapter& node, Rank rank);
  void perform(Adapter& node, Rank rank, const Step& step);
  [[nodiscard]] bool may_pass(const Core& core, const Step& step) const;
  void post_send(Adapter& node, Rank rank, const Step& step);
  void post_receive(Adapter& node, Rank rank, const Step& step);
  void queue_message(Rank rank, std::uint32_t handle);
  void queue_control(Adapter& node, Rank rank, Control control);
  bool deliver_local(Adapter& node, Rank rank);
  bool progress(Adapter& node, Rank rank);
  bool send_packet(Adapter& node, Rank rank);
  [[nodiscard]] bool has_place(const Adapter& node, std::uint32_t fifo) const;
  [[nodiscard]] bool comes_first(const Adapter& node, Rank rank, Port port) const;
  [[nodiscard]] bool wants_to_send(Rank rank, Port port, Cycles now) const;
  void inject_prepared(Adapter& node, Rank rank);
  void send_from(Adapter& node, Rank rank, Port port);
  void send_data(Adapter& node, Rank rank, Port port);
  void prepare(Adapter& node, Port port, Rank from, const Control& content);
  bool receive_packets(Adapter& node, Rank rank);
  void take(Adapter& node, Rank rank, const Label& label, Cycles injected);
  void arrive(Adapter& node, Rank rank, const Label& label, Cycles injected);
  void match_in_order(Adapter& node, Rank rank, Rank from);
  bool bind(Adapter& node, Rank rank, Incoming& message);
  void accept(Adapter& node, Rank rank, Incoming& message, const Posted& receive);
  void complete_if_whole(Adapter& node, Rank rank, std::uint64_t key);
  static void complete(Core& core, RequestId request);
  [[nodiscard]] std::vector<Rank> needs(Rank rank) const;
  /// The peers of the open requests among the first `end` steps: of all, or of the one that is named.
  void add_peers(Rank rank, const std::vector<Step>& steps, std::size_t end, RequestId request,
                 std::vector<Rank>& peers) const;

  LayerSettings settings_;
  std::vector<Program> programs_;
  Extra extra_;
  Port ports_;
  FifoSets fifos_;
  std::vector<Core> cores_;
  std::vector<Direction> directions_;
  Observer* observer_ = nullptr;
};

}  // namespace groma::sim::torus
