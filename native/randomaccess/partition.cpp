#include "randomaccess/partition.hpp"

#include <algorithm>
#include <utility>

namespace groma::randomaccess {
namespace {

std::vector<std::uint64_t> even_firsts(std::uint64_t words, std::uint64_t parts) {
  std::vector<std::uint64_t> firsts(parts + 1);
  for (std::uint64_t part = 0; part <= parts; ++part) {
    firsts[part] = part * (words / parts) + std::min(part, words % parts);
  }
  return firsts;
}

unsigned bits_of(std::uint64_t words) {
  return static_cast<unsigned>(std::bit_width(words) - 1);
}

}  // namespace

Partition::Partition(std::uint64_t words, std::uint64_t parts)
    : Partition(even_firsts(words, parts), bits_of(words), true) {}

Partition::Partition(std::vector<std::uint64_t> firsts, unsigned bits, bool is_even)
    : firsts_(std::move(firsts)), parts_(firsts_.size() - 1), bits_(bits), is_even_(is_even) {}

Partition Partition::grouped(std::uint64_t size) const {
  std::vector<std::uint64_t> firsts;
  for (std::uint64_t part = 0; part <= parts_; part += size) firsts.push_back(firsts_[part]);
  return {std::move(firsts), bits_, is_even_ && size == 1};
}

std::uint64_t Partition::search_all(std::uint64_t index) const {
  return static_cast<std::uint64_t>(std::ranges::upper_bound(firsts_, index) - firsts_.begin()) - 1;
}

}  // namespace groma::randomaccess
