#include "hpcc/fft/exchange.hpp"

#include <numeric>

namespace groma::hpcc::fft {

Staging::Staging(Complex* memory, const std::vector<std::uint64_t>& sizes) : memory_(memory) {
  for (const std::uint64_t size : sizes) {
    starts_.push_back(set_);
    set_ += size;
  }
}

std::uint64_t Staging::points(const std::vector<std::uint64_t>& sizes) {
  return 2 * std::accumulate(sizes.begin(), sizes.end(), std::uint64_t{0});
}

void Traffic::send(std::uint64_t chunk, int to, std::span<const Complex> points) {
  if (to == all_.rank() || points.empty()) return;
  sends_[chunk % 2].push_back(all_.start_send(points, to, tag_));
}

void Traffic::receive(std::uint64_t chunk, int from, std::span<Complex> points) {
  if (from == all_.rank() || points.empty()) return;
  receives_[chunk % 2].push_back(all_.start_receive(points, from, tag_));
}

std::vector<int> peers_of(const mpi::Communicator& all) {
  std::vector<int> peers;
  for (int step = 1; step < all.size(); ++step) peers.push_back((all.rank() + step) % all.size());
  return peers;
}

}  // namespace groma::hpcc::fft
