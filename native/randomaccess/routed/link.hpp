// One peer: the messages to and from it, in turns.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mpi/communicator.hpp"
#include "randomaccess/routed/route.hpp"

namespace groma::randomaccess {

/// Updates that wait until a message is full.
struct Bucket {
  std::uint64_t* updates;
  std::uint64_t count;
  std::uint64_t capacity;
  [[nodiscard]] bool is_full() const { return count == capacity; }
};

/// Of two ranks the lower one begins; each sends a message when it has dealt with the other's. So at most one
/// message is in flight or waits, and each side needs room for that one and for the bucket that fills. A rank
/// whose turn it is not may ask for it, once a turn, by an empty message, which the receive that is posted
/// for the next message takes. Not copyable: MPI has pointers to its buffers. A receive is posted from
/// start() to stop().
class MessageLink {
 public:
  /// `begins`: this is the lower rank.
  MessageLink(const Link& link, bool begins, std::uint64_t capacity);

  [[nodiscard]] int stage() const { return link_.stage; }

  void start(const mpi::Communicator& messages);
  void stop();

  /// Makes progress.
  void poll(const mpi::Communicator& messages);

  [[nodiscard]] bool has_arrived() const { return arrival_.here; }
  /// What is left of the message that has arrived; may be empty.
  [[nodiscard]] std::span<const std::uint64_t> arrived() const;
  /// The first `count` of them are dealt with; after the last one room is made for another message.
  void take(std::uint64_t count, const mpi::Communicator& messages);

  [[nodiscard]] bool has_turn() const { return turn_; }
  /// Whether a message may be sent now.
  bool can_send();
  /// Whether the peer waits for its turn: it has asked, or had more to send after this rank's last message.
  [[nodiscard]] bool is_awaited() const { return turn_ && !received_last_ && (asked_ || sent_last_); }
  /// Sends and empties the bucket; the last message may be followed by empty ones, which are last as well.
  void send(Bucket& bucket, bool last, const mpi::Communicator& messages);

  /// Whether asking for the turn would be of use: it is the peer's, who does not know that it is waited for.
  [[nodiscard]] bool can_ask() const { return !turn_ && !arrival_.here && !asking_ && !received_last_; }
  /// Only of use before this rank's last message, which so follows all that it asks.
  void ask(const mpi::Communicator& messages);

  [[nodiscard]] bool has_sent_last() const { return sent_last_; }
  /// Nothing more will arrive, and all is dealt with.
  [[nodiscard]] bool is_drained() const { return received_last_; }
  [[nodiscard]] bool is_closed() const { return sent_last_ && received_last_; }

  /// Updates in its buffers but for the filling one.
  [[nodiscard]] std::uint64_t pending() const;
  [[nodiscard]] std::uint64_t* filling() { return filling_.data(); }

 private:
  /// The posted receive.
  struct Arrival {
    std::vector<std::uint64_t> updates;
    MPI_Request request = MPI_REQUEST_NULL;
    bool here = false;
    bool last = false;
    std::uint64_t count = 0;
    std::uint64_t taken = 0;
  };
  void post(const mpi::Communicator& messages);
  void note_arrival(MPI_Status& status);

  Link link_;
  bool begins_;
  std::vector<std::uint64_t> filling_;
  std::vector<std::uint64_t> sending_;
  std::uint64_t in_flight_ = 0;
  MPI_Request send_ = MPI_REQUEST_NULL;
  Arrival arrival_;
  MPI_Request ask_ = MPI_REQUEST_NULL;
  bool turn_ = false;
  bool asked_ = false;   ///< the peer asks, in this turn of this rank
  bool asking_ = false;  ///< this rank does, in this turn of the peer
  bool sent_last_ = false;
  bool received_last_ = false;
};

}  // namespace groma::randomaccess
