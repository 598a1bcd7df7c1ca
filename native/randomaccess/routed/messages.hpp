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

namespace groma::randomaccess {

/// Messages that may be under way from a rank along a dimension.
constexpr std::uint64_t kUnderWay = 4;
/// Receives that a rank posts at most for each stage that messages come into.
constexpr std::uint64_t kPosted = 2;

/// The buckets that fill for the peers along a dimension, in halves of a bucket: at most one of them is full
/// at any time (Aggarwal et al. 2008, section 4.3.1). Just after it has left, the other P - 1 are spread
/// evenly between empty and full at best; with the one that is about to leave, that is (P + 1) / 2 buckets.
constexpr std::uint64_t halves_that_fill(std::uint64_t peers) {
  return peers + 1;
}

/// What a rank sends. Not copyable, and moved before its first use only: MPI has pointers to its buffers.
class SendBuffers {
 public:
  /// `tag` identifies the dimension.
  SendBuffers(std::uint64_t bucket, int tag, const mpi::Communicator& messages);
  SendBuffers(SendBuffers&&) = default;

  /// Makes progress.
  void poll();
  [[nodiscard]] bool has_room() const;
  /// Sends and empties the bucket, which gets other memory of the same size. An empty bucket means that
  /// nothing follows.
  void send(Bucket& bucket, int to);

  [[nodiscard]] bool is_empty() const;
  /// Updates under way.
  [[nodiscard]] std::uint64_t pending() const;

 private:
  struct SendBuffer {
    std::uint64_t* updates = nullptr;
    std::uint64_t count = 0;
    MPI_Request request = MPI_REQUEST_NULL;
    [[nodiscard]] bool is_free() const { return request == MPI_REQUEST_NULL; }
  };

  int tag_;
  const mpi::Communicator& messages_;
  std::vector<std::uint64_t> memory_;
  std::array<SendBuffer, kUnderWay> sends_;
};

/// What a rank receives, from any sender. Receives are posted from start() to stop(). Not copyable,
/// and moved before start() only.
class ReceiveBuffers {
 public:
  /// Each of so many `senders`, at least one, ends with an empty message. `posted` receives, at most kPosted.
  ReceiveBuffers(std::uint64_t bucket, std::uint64_t posted, int tag, int senders,
                 const mpi::Communicator& messages);
  ReceiveBuffers(ReceiveBuffers&&) = default;

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
  struct ReceiveBuffer {
    std::uint64_t* updates = nullptr;
    std::uint64_t count = 0;
    std::uint64_t taken = 0;
    bool here = false;
    MPI_Request request = MPI_REQUEST_NULL;
  };
  void post(ReceiveBuffer& arrival);
  void pass();
  // In the order in which they are posted, because only so an end comes after all that was sent before it.
  [[nodiscard]] ReceiveBuffer& oldest() { return receives_[passed_ % receives_.size()]; }
  [[nodiscard]] const ReceiveBuffer& oldest() const { return receives_[passed_ % receives_.size()]; }

  std::uint64_t bucket_;
  int tag_;
  int senders_;
  const mpi::Communicator& messages_;
  std::vector<std::uint64_t> memory_;
  std::vector<ReceiveBuffer> receives_;
  std::uint64_t passed_ = 0;
  int ended_ = 0;
};

}  // namespace groma::randomaccess
