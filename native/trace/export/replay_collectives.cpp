#include "trace/export/replay_collectives.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace groma::trace::replay {
namespace {

constexpr auto kKnownCollectives = std::to_array<KnownCollective>({
    {8, 156, "barrier", Sizes::kNone, false, false},
    {7, 157, "bcast", Sizes::kOne, true, false},
    {9, 154, "reduce", Sizes::kOne, true, true},
    {10, 155, "allreduce", Sizes::kOne, false, true},
    {30, 167, "scan", Sizes::kOne, false, true},
    {214, 215, "exscan", Sizes::kOne, false, true},
    {11, 158, "alltoall", Sizes::kOfAll, false, false},
    {12, 159, "alltoall", Sizes::kOfAll, false, false},
    {170, 171, "alltoall", Sizes::kOfAll, false, false},
    {13, 162, "gather", Sizes::kOfSenders, true, false},
    {14, 163, "gather", Sizes::kOfSenders, true, false},
    {15, 164, "scatter", Sizes::kOfReceivers, true, false},
    {16, 165, "scatter", Sizes::kOfReceivers, true, false},
    {17, 160, "allgather", Sizes::kOfSenders, false, false},
    {18, 161, "allgather", Sizes::kOfSenders, false, false},
    {80, 166, "reducescatter", Sizes::kShares, false, true},
    {168, 169, "reducescatter", Sizes::kShares, false, true},
});

using Bytes = std::vector<std::uint64_t>;

std::uint64_t sum(const Bytes& sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), std::uint64_t{0});
}

bool are_equal(const Bytes& sizes) {
  return std::ranges::adjacent_find(sizes, std::ranges::not_equal_to{}) == sizes.end();
}

std::string text_of(const Bytes& sizes) {
  std::string text;
  for (const std::uint64_t one : sizes) text += ' ' + std::to_string(one);
  return text;
}

/// What a rank sends of a sum: as much to each as the sums of the receivers say.
Bytes parts(std::uint64_t whole, const Bytes& by) {
  Bytes made;
  const auto all = static_cast<double>(sum(by));
  for (const std::uint64_t one : by) {
    const double share = all > 0.0 ? static_cast<double>(one) / all : 1.0 / static_cast<double>(by.size());
    made.push_back(static_cast<std::uint64_t>(std::llround(static_cast<double>(whole) * share)));
  }
  return made;
}

/// Sums as MPI counts them: of an alltoall over all ranks, of others the own part. MPI_IN_PLACE leaves the
/// sum of a side 0.
std::string sizes(const Collective& one, const KnownCollective& known, std::size_t own, std::string& name) {
  const std::uint64_t ranks = one.sent.size();
  const std::uint64_t most = std::max(std::ranges::max(one.sent), std::ranges::max(one.received));
  Bytes each = known.sizes == Sizes::kOfReceivers ? one.received : one.sent;
  if (known.sizes == Sizes::kNone) return "";
  if (known.sizes == Sizes::kOne) return ' ' + std::to_string(most);
  if (known.sizes == Sizes::kShares) return text_of(Bytes(ranks, most / ranks));
  if (known.sizes == Sizes::kOfAll) {
    const Bytes& sent = sum(one.sent) > 0 ? one.sent : one.received;
    const Bytes& received = sum(one.received) > 0 ? one.received : one.sent;
    if (are_equal(sent) && are_equal(received)) return text_of({sent[own] / ranks, received[own] / ranks});
    name += 'v';
    return ' ' + std::to_string(sent[own]) + text_of(parts(sent[own], received)) + ' ' +
           std::to_string(received[own]) + text_of(parts(received[own], sent));
  }
  if (sum(each) == 0 && !known.has_root) each = Bytes(ranks, most / ranks);  // an allgather in place
  if (known.has_root) each[one.root] = each[one.root == 0 ? ranks - 1 : 0];  // what it keeps travels nowhere
  if (are_equal(each)) return text_of({each[own], each[own]});
  name += 'v';
  const std::string own_size = ' ' + std::to_string(each[own]);
  return known.sizes == Sizes::kOfReceivers ? text_of(each) + own_size : own_size + text_of(each);
}

}  // namespace

const KnownCollective* collective_of(std::uint32_t value) {
  const std::uint32_t plain = value % kLargeCount;
  const auto* const found = std::ranges::find_if(
      kKnownCollectives, [plain](const auto& one) { return one.value == plain || one.begins == plain; });
  return found == kKnownCollectives.end() ? nullptr : found;
}

bool is_of_topology(std::uint32_t value) {
  return value % kLargeCount >= 174 && value % kLargeCount <= 183;
}

bool makes_persistent(std::uint32_t value) {
  return value % kLargeCount >= 320 && value % kLargeCount <= 341;
}

bool is_divided(const Collective& one) {
  const Sizes sizes = collective_of(one.value)->sizes;
  const bool differs = sizes == Sizes::kOfAll && !(are_equal(one.sent) && are_equal(one.received));
  return differs || sizes == Sizes::kShares;
}

std::string action_of(const Collective& one, std::uint32_t value, std::size_t own) {
  const KnownCollective& known = *collective_of(value);
  std::string name(known.name);
  std::string arguments = sizes(one, known, own, name);
  if (known.computes) arguments += " 0";
  if (known.has_root) arguments += ' ' + std::to_string(one.root);
  if (one.communicator != 0) arguments += " @" + std::to_string(one.communicator);
  return (value % kLargeCount == known.begins ? "i" : "") + name + arguments;
}

}  // namespace groma::trace::replay
