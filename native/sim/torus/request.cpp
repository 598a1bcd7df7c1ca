#include "sim/torus/request.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "sim/torus/fields.hpp"

namespace groma::sim::torus {
namespace {

constexpr std::size_t kMaxThreads = 256;

Error usage(std::string what) {
  return {"usage", std::move(what), "see docs/sim/torus.md"};
}

/// All dimensions are closed where nothing is said of them.
Result<std::vector<bool>> read_closed(const JsonValue& torus, std::size_t dimensions) {
  if (!torus || torus.is_null()) return std::vector<bool>(dimensions, true);
  bool known = torus.is_list();
  std::vector<bool> closed;
  torus.for_each_item([&](const JsonValue& item) {
    known = known && item.truth();
    closed.push_back(item.truth().value_or(true));
  });
  if (!known || closed.size() != dimensions) return usage("torus must be true or false for each dimension");
  return closed;
}

Result<Shape> read_shape(const JsonValue& root) {
  std::vector<std::uint32_t> extents;
  bool whole = true;
  root.find("shape").for_each_item([&](const JsonValue& item) {
    const double extent = item.number().value_or(-1.0);
    whole = whole && extent >= 1.0 && extent <= 1e9 &&
            extent == static_cast<double>(static_cast<std::uint32_t>(extent));
    extents.push_back(whole ? static_cast<std::uint32_t>(extent) : 0);
  });
  if (!whole || extents.empty()) return usage("shape must be a list of whole numbers from 1 on");
  auto closed = read_closed(root.find("torus"), extents.size());
  if (!closed) return closed.error();
  return Shape::make(std::move(extents), std::move(closed).value());
}

Result<Network> read_network(const JsonValue& table) {
  Fields fields(table, "network");
  Network network;
  network.bytes_per_cycle = fields.number("bytes_per_cycle", network.bytes_per_cycle);
  network.hop_latency = fields.whole<Cycles>("hop_latency", network.hop_latency, 1, 1'000'000);
  const auto size = [&](std::string_view name, std::uint32_t& value) {
    value = fields.whole<std::uint32_t>(name, value, 0, 1U << 24U);
  };
  size("packet_step", network.packet_step);
  size("packet_largest", network.packet_largest);
  size("packet_header", network.packet_header);
  size("packet_on_wire", network.packet_on_wire);
  size("channel_bytes", network.channel_bytes);
  size("adaptive_channels", network.adaptive_channels);
  size("injection_packets", network.injection_packets);
  size("reception_packets", network.reception_packets);
  const std::string routing = fields.choice("routing", {"adaptive", "deterministic"});
  network.routing = routing == "adaptive" ? Routing::kAdaptive : Routing::kDeterministic;
  if (const auto status = fields.status(); !status) return status.error();
  if (const auto status = check(network); !status) return status.error();
  return network;
}

Json json_of(const Histogram& times) {
  return JsonObject()
      .add("n", times.count())
      .add("min", times.least())
      .add("p5", times.quantile(0.05))
      .add("p50", times.quantile(0.5))
      .add("p95", times.quantile(0.95))
      .add("max", times.greatest())
      .add("mean", times.mean())
      .json();
}

Result<TraceRequest> read_trace_request(JsonValue table) {
  TraceRequest trace;
  if (!table || table.is_null()) return trace;
  Fields fields(table, "trace");
  trace.path = fields.text("path", "");
  trace.nanoseconds_per_cycle = fields.number("nanoseconds_per_cycle", trace.nanoseconds_per_cycle);
  if (trace.path.empty()) fields.refuse("path", "must name the files of the trace without their endings");
  if (!(trace.nanoseconds_per_cycle >= 1e-3 && trace.nanoseconds_per_cycle <= 1e9)) {
    fields.refuse("nanoseconds_per_cycle", "must be from 0.001 to 1e9");
  }
  if (const auto status = fields.status(); !status) return status.error();
  return trace;
}

struct Usage {
  std::vector<double> busy;     ///< share of the time, link by link
  std::vector<double> by_port;  ///< mean
  std::vector<double> stalled_by_port;
  double stalled = 0.0;  ///< cycles, over all links
};

Usage usage_of(const Request& request, const Outcome& outcome) {
  const Port ports = request.shape.ports();
  const auto time = static_cast<double>(std::max<Cycles>(outcome.end.time, 1));
  Usage usage{{}, std::vector<double>(ports), std::vector<double>(ports), 0.0};
  std::vector<double> links(ports);
  for (std::size_t i = 0; i < outcome.links.size(); ++i) {
    const LinkUse& link = outcome.links[i];
    if (!link.exists) continue;
    usage.busy.push_back(static_cast<double>(link.busy) / time);
    usage.by_port[i % ports] += usage.busy.back();
    usage.stalled_by_port[i % ports] += static_cast<double>(link.stalled);
    usage.stalled += static_cast<double>(link.stalled);
    links[i % ports] += 1.0;
  }
  for (Port port = 0; port < ports; ++port) usage.by_port[port] /= std::max(links[port], 1.0);
  return usage;
}

Json links_of(const Request& request, const Outcome& outcome, const Usage& usage) {
  double mean = 0.0;
  for (const double busy : usage.busy) mean += busy / static_cast<double>(usage.busy.size());
  JsonObject links;
  links.add("busy", JsonObject()
                        .add("min", usage.busy.empty() ? 0.0 : *std::ranges::min_element(usage.busy))
                        .add("mean", mean)
                        .add("max", usage.busy.empty() ? 0.0 : *std::ranges::max_element(usage.busy))
                        .json());
  links.add("by_direction", usage.by_port);
  if (!request.links) return links.json();
  std::vector<double> busy;
  std::vector<double> stalled;
  for (const LinkUse& link : outcome.links) {
    const auto time = static_cast<double>(std::max<Cycles>(outcome.end.time, 1));
    busy.push_back(static_cast<double>(link.busy) / time);
    stalled.push_back(static_cast<double>(link.stalled) / time);
  }
  return links.add("values", busy).add("stalled", stalled).json();
}

Json samples_of(const Outcome& outcome) {
  std::vector<std::vector<std::int64_t>> samples;
  for (const Progress& sample : outcome.samples) {
    samples.push_back({sample.time, static_cast<std::int64_t>(sample.tally.work)});
  }
  return JsonObject().add("samples", samples).json();
}

}  // namespace

Result<Request> read_request(std::string_view text) {
  const auto document = read_json(text);
  if (!document) return document.error();
  const JsonValue root = document.value().root();
  Fields fields(root, "request");
  for (const char* part : {"shape", "torus", "network", "processor", "workload", "trace"}) fields.value(part);
  Fields run(fields.value("run"), "run");
  const auto seed = run.whole<std::uint64_t>("seed", 1, 0, std::uint64_t{1} << 53U);
  const auto threads = run.whole<std::size_t>("threads", 1, 1, kMaxThreads);
  const double time_limit = run.number("time_limit", 0.0);
  const bool links = run.truth("links", false);
  if (const auto status = fields.status(); !status) return status.error();
  if (const auto status = run.status(); !status) return status.error();
  auto shape = read_shape(root);
  if (!shape) return shape.error();
  auto network = read_network(root.find("network"));
  if (!network) return network.error();
  const JsonValue parameters = root.find("workload");
  const std::string name(parameters.find("name").text().value_or(""));
  const WorkloadInfo* info = Workloads::find(name);
  if (info == nullptr) return usage("there is no workload \"" + name + "\"");
  auto workload = info->make({shape.value(), network.value(), root.find("processor"), parameters, seed});
  if (!workload) return workload.error();
  auto trace = read_trace_request(root.find("trace"));
  if (!trace) return trace.error();
  return Request{
      std::move(shape).value(), network.value(), std::move(workload).value(), threads, time_limit, links,
      std::move(trace).value()};
}

Json result_of(const Request& request, const Outcome& outcome, double wall) {
  const Usage usage = usage_of(request, outcome);
  JsonObject result;
  result.add("event", "result")
      .add("finished", outcome.ending == Ending::kDone)
      .add("stuck", outcome.ending == Ending::kStuck)
      .add("time", outcome.end.time)
      .add("packets", outcome.end.tally.injected)
      .add("packet_hops", outcome.end.tally.packet_hops)
      .add("bytes", outcome.end.tally.bytes)
      .add("work", outcome.end.tally.work)
      .add("window", samples_of(outcome))
      .add("latency", json_of(outcome.latencies))
      .add("stalls",
           JsonObject().add("tokens", usage.stalled).add("by_direction", usage.stalled_by_port).json())
      .add("links", links_of(request, outcome, usage))
      .add("wall", wall)
      .add("memory_per_node",
           static_cast<double>(outcome.bytes_used + request.workload->bytes_used()) / request.shape.nodes());
  request.workload->report(outcome, result);
  return result.json();
}

}  // namespace groma::sim::torus
