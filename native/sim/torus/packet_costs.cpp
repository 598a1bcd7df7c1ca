#include "sim/torus/packet_costs.hpp"

namespace groma::sim::torus {
namespace {

constexpr std::uint32_t kMaxTogether = 64;

}  // namespace

PacketCosts read_packet_costs(Fields& processor) {
  PacketCosts costs;
  costs.send = processor.cycles("send", 0.0);
  Fields receive(processor.value("receive"), "processor.receive");
  const double single = receive.cycles("single", 0.0);
  costs.batch = receive.whole<std::uint32_t>("batch", 1, 1, kMaxTogether);
  const double each = receive.cycles("each", single);
  if (each > single) receive.refuse("each", "must not be above single");
  if (const auto status = receive.status(); !status)
    processor.refuse("receive", "is wrong: " + status.error().what);
  costs.receive_each = single;
  if (costs.batch > 1) {
    // single = call + each one, batch * each = call + batch * each one.
    costs.receive_each = std::max(0.0, ((each * costs.batch) - single) / (costs.batch - 1.0));
    costs.receive_call = single - costs.receive_each;
  }
  return costs;
}

}  // namespace groma::sim::torus
