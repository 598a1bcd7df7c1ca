#include "replay/exchange.hpp"

#include <algorithm>

#include "mpi/stamp.hpp"

namespace groma::replay {
namespace {

/// Differs between senders and between messages of one sender.
std::vector<std::byte> filled(const Traffic& traffic, std::uint64_t number) {
  std::vector<std::byte> bytes(traffic.bytes);
  std::uint64_t state = (static_cast<std::uint64_t>(traffic.source) << 32U) + number + 1;
  for (std::byte& byte : bytes) {
    state = state * 6364136223846793005U + 1442695040888963407U;  // Knuth, MMIX
    byte = static_cast<std::byte>(state >> 56U);
  }
  return bytes;
}

bool is_whole(std::span<const std::byte> message, const std::vector<std::byte>& sent,
              std::uint32_t iteration) {
  if (!mpi::is_stamped(message, iteration)) return false;
  if (message.size() <= 2) return true;
  return std::equal(message.begin() + 1, message.end() - 1, sent.begin() + 1);
}

}  // namespace

Exchange::Exchange(const mpi::Communicator& world, const std::vector<Traffic>& pattern) : world_(world) {
  for (const Traffic& traffic : pattern) {
    const int rank = world.rank();
    if (traffic.source != rank && traffic.target != rank) continue;
    for (std::uint64_t number = 0; number < traffic.count; ++number) {
      const bool sends = traffic.source == rank;
      auto& list = sends ? outgoing_ : incoming_;
      list.push_back({.traffic = traffic, .number = number, .bytes = {}});
      list.back().bytes = sends ? filled(traffic, number) : std::vector<std::byte>(traffic.bytes);
    }
  }
}

void Exchange::iterate(std::uint32_t iteration) {
  std::vector<mpi::Request> requests;
  requests.reserve(incoming_.size() + outgoing_.size());
  for (Message& one : incoming_) {
    requests.push_back(world_.start_receive(std::span<std::byte>(one.bytes), one.traffic.source));
  }
  for (Message& one : outgoing_) {
    mpi::stamp(one.bytes, iteration);
    requests.push_back(world_.start_send(std::span<const std::byte>(one.bytes), one.traffic.target));
  }
}

std::uint64_t Exchange::wrong_messages(std::uint32_t iteration) const {
  return static_cast<std::uint64_t>(std::ranges::count_if(incoming_, [&](const Message& one) {
    return !is_whole(one.bytes, filled(one.traffic, one.number), iteration);
  }));
}

}  // namespace groma::replay
