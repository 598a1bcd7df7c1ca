#include "hpcc/fft/passes.hpp"

namespace groma::hpcc::fft {

std::vector<Strip> strips_of(const Chunks& chunks, const std::vector<int>& peers, std::uint64_t chunk,
                             const Staging& staging, std::uint64_t rows) {
  std::vector<Strip> strips;
  for (const int peer : peers) {
    const Range theirs = chunks.of(peer, chunk);
    for (std::uint64_t g = 0; g < groups_in(theirs); ++g) {
      const Range group = group_of(theirs, g);
      strips.push_back({staging.region(chunk, peer) + (group.first - theirs.first) * rows, group});
    }
  }
  return strips;
}

}  // namespace groma::hpcc::fft
