#include "sim/torus/packet_costs.hpp"

namespace groma::sim::torus {
namespace {

constexpr std::uint32_t kMostTogether = 64;
constexpr double kMostCycles = 1e9;

double read_cycles(Fields& fields, std::string_view name, double otherwise) {
  const double cycles = fields.number(name, otherwise);
  if (!(cycles >= 0.0 && cycles <= kMostCycles)) fields.refuse(name, "must be cycles from 0 to 1e9");
  return cycles;
}

}  // namespace

PacketCosts read_packet_costs(Fields& processor) {
  PacketCosts costs;
  costs.send = read_cycles(processor, "send", 0.0);
  Fields receive(processor.value("receive"), "processor.receive");
  const double single = read_cycles(receive, "single", 0.0);
  costs.batch = receive.whole<std::uint32_t>("batch", 1, 1, kMostTogether);
  const double each = read_cycles(receive, "each", single);
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
