// What an all-to-all in chunks needs: regions for what comes and goes, twice, so that one chunk travels while
// the next is made; and the messages on their way.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "hpcc/fft/decomposition.hpp"
#include "mpi/communicator.hpp"

namespace groma::hpcc::fft {

/// A region for each peer, twice: for even and for odd chunks.
class Staging {
 public:
  /// `sizes`: points of each peer's region.
  Staging(Complex* memory, const std::vector<std::uint64_t>& sizes);

  [[nodiscard]] Complex* region(std::uint64_t chunk, int peer) const {
    return memory_ + (chunk % 2) * set_ + starts_[static_cast<std::size_t>(peer)];
  }
  /// Behind the last region.
  [[nodiscard]] Complex* end() const { return memory_ + 2 * set_; }
  /// Points of all regions of `sizes`.
  static std::uint64_t points(const std::vector<std::uint64_t>& sizes);

 private:
  Complex* memory_;
  std::uint64_t set_ = 0;
  std::vector<std::uint64_t> starts_;
};

/// Messages of one exchange; those of even and odd chunks are waited for apart. Messages between two ranks
/// match in the order in which chunks are started. Nothing is sent to oneself, nor empty.
class Traffic {
 public:
  Traffic(const mpi::Communicator& all, int tag) : all_(all), tag_(tag) {}

  void send(std::uint64_t chunk, int to, std::span<const Complex> points);
  void receive(std::uint64_t chunk, int from, std::span<Complex> points);
  void finish_sends(std::uint64_t chunk) { sends_[chunk % 2].clear(); }
  void finish_receives(std::uint64_t chunk) { receives_[chunk % 2].clear(); }

 private:
  const mpi::Communicator& all_;
  int tag_;
  std::array<std::vector<mpi::Request>, 2> sends_;
  std::array<std::vector<mpi::Request>, 2> receives_;
};

/// The other ranks, each rank's order beginning with the next one, so that no rank is everybody's first.
std::vector<int> peers_of(const mpi::Communicator& all);

}  // namespace groma::hpcc::fft
