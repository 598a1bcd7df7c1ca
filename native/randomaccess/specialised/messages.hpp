// Buckets on their way along one dimension of a grid of nodes. Every one is sent synchronously: its send
// completes when a receive has met it, so that the sender counts it until the receiver does, and the number
// of posted receives bounds what may be under way to a rank: they are its credits.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "mpi/communicator.hpp"
#include "randomaccess/routed/link.hpp"
#include "randomaccess/specialised/budget.hpp"

namespace groma::randomaccess {

/// What a rank sends. Not copyable, and moved before its first use only: MPI knows its buffers.
class Departures {
 public:
  /// `tag` tells dimensions apart.
  Departures(std::uint64_t bucket, int tag, const mpi::Communicator& messages);
  Departures(Departures&&) = default;

  /// Makes progress.
  void poll();
  [[nodiscard]] bool has_room() const;
  /// Sends and empties the bucket, which gets other memory of the same size. An empty one tells that nothing
  /// will follow.
  void send(Bucket& bucket, int to);

  [[nodiscard]] bool is_empty() const;
  /// Updates under way.
  [[nodiscard]] std::uint64_t pending() const;

 private:
  struct Departure {
    std::uint64_t* updates = nullptr;
    std::uint64_t count = 0;
    MPI_Request request = MPI_REQUEST_NULL;
    [[nodiscard]] bool is_free() const { return request == MPI_REQUEST_NULL; }
  };

  int tag_;
  const mpi::Communicator& messages_;
  std::vector<std::uint64_t> memory_;
  std::array<Departure, kAtOnce> departures_;
};

/// What a rank receives, from whoever sends to it. Receives are posted from start() to stop(). Not copyable,
/// and moved before start() only.
class Arrivals {
 public:
  /// Each of so many `senders`, at least one, ends with an empty message.
  Arrivals(std::uint64_t bucket, int tag, int senders, const mpi::Communicator& messages);
  Arrivals(Arrivals&&) = default;

  void start();
  void stop();

  /// Makes progress.
  void poll();
  [[nodiscard]] bool has_arrived() const { return oldest().here; }
  /// What is left of the oldest message.
  [[nodiscard]] std::span<const std::uint64_t> arrived() const;
  /// The first `count` of them are dealt with; after the last one its buffer awaits another message.
  void take(std::uint64_t count);

  /// Whether nothing more will arrive, and all is dealt with.
  [[nodiscard]] bool has_ended() const { return ended_ == senders_; }
  /// All that its buffers hold: MPI fills them unseen.
  [[nodiscard]] std::uint64_t pending() const { return memory_.size(); }

 private:
  struct Arrival {
    std::uint64_t* updates = nullptr;
    std::uint64_t count = 0;
    std::uint64_t taken = 0;
    bool here = false;
    MPI_Request request = MPI_REQUEST_NULL;
  };
  void post(Arrival& arrival);
  void pass();
  // In the order in which they are posted, because only so an end comes after all that was sent before it.
  [[nodiscard]] Arrival& oldest() { return arrivals_[passed_ % kAtOnce]; }
  [[nodiscard]] const Arrival& oldest() const { return arrivals_[passed_ % kAtOnce]; }

  std::uint64_t bucket_;
  int tag_;
  int senders_;
  const mpi::Communicator& messages_;
  std::vector<std::uint64_t> memory_;
  std::array<Arrival, kAtOnce> arrivals_;
  std::uint64_t passed_ = 0;
  int ended_ = 0;
};

}  // namespace groma::randomaccess
