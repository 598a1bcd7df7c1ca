#include "hpcc/hpl/gather_rows.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace groma::hpcc::hpl {
namespace {

int largest_hypercube(int ranks) {
  return static_cast<int>(std::bit_floor(static_cast<unsigned>(ranks)));
}

void exchange(const mpi::Communicator& ranks, int to, std::span<const double> out, int from,
              std::span<double> in) {
  mpi::Request receiving = ranks.start_receive(in, from);
  mpi::Request sending = ranks.start_send(out, to);
  receiving.wait();
  sending.wait();
}

/// Blocks of `count` ranks of the hypercube from `first` on, with those folded behind them.
std::span<double> stretch(const BlockPlaces& places, std::span<double> all, int first, int count, int cube) {
  const std::size_t begin = places.begin[static_cast<std::size_t>(first)];
  const int behind = first + count;
  const std::size_t end = behind == cube ? all.size() : places.begin[static_cast<std::size_t>(behind)];
  return all.subspan(begin, end - begin);
}

/// What lies in a block of the one division and in a block of the other.
std::span<double> common(const BlockPlaces& a, int of_a, const BlockPlaces& b, int of_b,
                         std::span<double> all) {
  const auto [i, j] = std::pair(static_cast<std::size_t>(of_a), static_cast<std::size_t>(of_b));
  const std::size_t begin = std::max(a.begin[i], b.begin[j]);
  const std::size_t end = std::min(a.begin[i] + a.length[i], b.begin[j] + b.length[j]);
  return begin < end ? all.subspan(begin, end - begin) : std::span<double>();
}

}  // namespace

BlockPlaces BlockPlaces::folded(const std::vector<std::size_t>& lengths) {
  BlockPlaces places{std::vector<std::size_t>(lengths.size()), lengths};
  const auto cube = static_cast<std::size_t>(largest_hypercube(static_cast<int>(lengths.size())));
  std::size_t next = 0;
  const auto place = [&](std::size_t rank) {
    if (rank >= lengths.size()) return;
    places.begin[rank] = next;
    next += lengths[rank];
  };
  for (std::size_t rank = 0; rank < cube; ++rank) {
    place(rank);
    place(rank + cube);
  }
  return places;
}

BlockPlaces BlockPlaces::even(std::size_t words, int ranks) {
  BlockPlaces places;
  const auto count = static_cast<std::size_t>(ranks);
  for (std::size_t rank = 0; rank < count; ++rank) {
    places.begin.push_back(words * rank / count);
    places.length.push_back(words * (rank + 1) / count - places.begin.back());
  }
  return places;
}

void redistribute(const mpi::Communicator& ranks, const BlockPlaces& from, const BlockPlaces& to,
                  std::span<double> all) {
  std::vector<mpi::Request> under_way;
  for (int other = 0; other < ranks.size(); ++other) {
    if (other == ranks.rank()) continue;
    const std::span<double> in = common(from, other, to, ranks.rank(), all);
    const std::span<double> out = common(from, ranks.rank(), to, other, all);
    if (!in.empty()) under_way.push_back(ranks.start_receive(in, other));
    if (!out.empty()) under_way.push_back(ranks.start_send(std::span<const double>(out), other));
  }
  for (mpi::Request& request : under_way) request.wait();
}

void gather_by_exchange(const mpi::Communicator& ranks, const BlockPlaces& places, std::span<double> all) {
  const int cube = largest_hypercube(ranks.size());
  const int me = ranks.rank();
  if (me >= cube) {
    ranks.send(std::span<const double>(places.of(all, me)), me - cube);
    ranks.receive(all, me - cube);
    return;
  }
  const bool stands_in = me + cube < ranks.size();
  if (stands_in) ranks.receive(places.of(all, me + cube), me + cube);
  for (int distance = 1; distance < cube; distance *= 2) {
    const int partner = me ^ distance;
    exchange(ranks, partner, stretch(places, all, me & -distance, distance, cube), partner,
             stretch(places, all, partner & -distance, distance, cube));
  }
  if (stands_in) ranks.send(std::span<const double>(all), me + cube);
}

void gather_by_rolling(const mpi::Communicator& ranks, const BlockPlaces& places, std::span<double> all) {
  const int size = ranks.size();
  const int next = (ranks.rank() + 1) % size;
  const int previous = (ranks.rank() + size - 1) % size;
  for (int step = 0; step + 1 < size; ++step) {
    const int out = (ranks.rank() + size - step) % size;
    const int in = (previous + size - step) % size;
    exchange(ranks, next, places.of(all, out), previous, places.of(all, in));
  }
}

}  // namespace groma::hpcc::hpl
