// One peer: the messages to and from it, in turns.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mpi/communicator.hpp"
#include "randomaccess/routed/route.hpp"

namespace groma::randomaccess {

/// Updates that wait for company.
struct Bucket {
  std::uint64_t* updates;
  std::uint64_t count;
  std::uint64_t capacity;
  [[nodiscard]] bool is_full() const { return count == capacity; }
};

/// Of two ranks the lower one begins; each sends a message when it has dealt with the other's. So one message
/// at most is on its way or waits, and each side needs room for that one beside the bucket that fills.
/// Not copyable: MPI knows its buffers. A receive is posted from start() to stop().
class MessageLink {
 public:
  /// `begins`: this is the lower rank.
  MessageLink(const Link& link, bool begins, std::uint64_t capacity);

  [[nodiscard]] int stage() const { return link_.stage; }

  void start(const mpi::Communicator& messages);
  void stop();

  /// Makes progress.
  void poll();

  [[nodiscard]] bool has_arrived() const { return arrival_.here; }
  /// What is left of the message that has arrived; may be empty.
  [[nodiscard]] std::span<const std::uint64_t> arrived() const;
  /// The first `count` of them are dealt with; after the last one room is made for another message.
  void take(std::uint64_t count, const mpi::Communicator& messages);

  /// Whether a message may be sent now.
  bool can_send();
  /// Whether it is this rank's turn, so that the peer may wait for a message. After its last it waits for
  /// none but this rank's last.
  [[nodiscard]] bool is_owed() const { return turn_ && !heard_last_; }
  /// Sends and empties the bucket; the last message may be followed by empty ones, which are last as well.
  void send(Bucket& bucket, bool last, const mpi::Communicator& messages);

  [[nodiscard]] bool told_last() const { return told_last_; }
  /// Nothing more will arrive, and all is dealt with.
  [[nodiscard]] bool is_drained() const { return heard_last_; }
  [[nodiscard]] bool is_closed() const { return told_last_ && heard_last_; }

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

  Link link_;
  bool begins_;
  std::vector<std::uint64_t> filling_;
  std::vector<std::uint64_t> sending_;
  std::uint64_t in_flight_ = 0;
  MPI_Request send_ = MPI_REQUEST_NULL;
  Arrival arrival_;
  bool turn_ = false;
  bool told_last_ = false;
  bool heard_last_ = false;
};

}  // namespace groma::randomaccess
