#include "sim/torus/engine.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <exception>
#include <limits>
#include <memory>
#include <string>
#include <utility>

#include "base/spin_barrier.hpp"
#include "base/thread_pool.hpp"

namespace groma::sim::torus {
namespace {

constexpr std::uint64_t kTurnsPerQuestion = 64;  // to RunOptions::stop

Tally sum(const Tally& a, const Tally& b) {
  return {a.injected + b.injected, a.received + b.received, a.packet_hops + b.packet_hops,
          a.bytes + b.bytes,       a.work + b.work,         a.timers + b.timers,
          a.moves + b.moves,       a.visits + b.visits};
}

/// What a member lets the others know of a window.
struct Share {
  Tally tally;
  std::uint64_t next = 0;  ///< no node of the member is called earlier
  bool failed = false;
};

/// The windows that have to be served. One after the other, but for those in which no node is called: where
/// nobody visited a node in two windows, no call was made in the second, and each member knows the next of
/// its own. Without timers nothing is skipped: a run that is stuck ends after the same time with any number
/// of threads, which call each other's nodes more often than their own.
class Windows {
 public:
  [[nodiscard]] std::uint64_t now() const { return now_; }
  /// Whether members look for their next calls.
  [[nodiscard]] bool are_quiet() const { return quiet_; }

  void go_on(const Tally& all, std::uint64_t next) {
    const bool visited = all.visits != visits_;
    now_ = quiet_ && !visited && all.timers != 0 ? next : now_ + 1;
    quiet_ = !visited;
    visits_ = all.visits;
  }

 private:
  std::uint64_t now_ = 0;
  bool quiet_ = false;
  std::uint64_t visits_ = 0;
};

/// Sees that packets are left which nothing moves: no processor will wake, and nothing has changed for more
/// windows than any packet or token is on its way.
class Watch {
 public:
  bool is_stuck(const Tally& all, std::uint64_t timeout) {
    const std::uint64_t seen = all.injected + all.received + all.moves;
    quiet_ = seen == seen_ && all.timers == 0 ? quiet_ + 1 : 0;
    seen_ = seen;
    return quiet_ > timeout;
  }

 private:
  std::uint64_t seen_ = 0;
  std::uint64_t quiet_ = 0;
};

class Engine {
 public:
  /// A member serves whole words of calls: one without any would only keep the others waiting.
  Engine(Fabric& fabric, PacketPool& pool, Processors& processors, const RunOptions& options)
      : fabric_(fabric),
        options_(options),
        state_bytes_(fabric.bytes() + processors.bytes_used()),
        packet_bytes_(pool.packet_bytes()),
        members_(std::min(options.threads, fabric.call_words())),
        failures_(members_),
        barrier_(static_cast<std::uint32_t>(members_)) {
    for (std::size_t member = 0; member < members_; ++member) {
      const auto [first, last] = part_of(fabric.call_words(), 1, member, members_);
      const auto end = std::min<std::uint64_t>(last * kNodesPerWord, fabric.shape().nodes());
      workers_.push_back(std::make_unique<Worker>(
          fabric, pool, processors, static_cast<Node>(first * kNodesPerWord), static_cast<Node>(end)));
    }
    shares_.fill(std::vector<Share>(members_));
  }

  [[nodiscard]] std::size_t members() const { return members_; }

  /// One member's share of the nodes, window by window. All members come to the same end by themselves.
  void serve(std::size_t member) {
    Worker& worker = *workers_[member];
    attempt(member, [&] {
      for (Node node = worker.first(); node < worker.last(); ++node) worker.start(node);
    });
    barrier_.wait();
    Watch watch;
    Windows windows;
    Tally all;
    for (std::uint64_t turn = 0;; ++turn) {
      const std::uint64_t window = windows.now();
      attempt(member, [&] { worker.visit_called(window, exceeds_caches(all)); });
      // Two sets: a member may be a turn ahead of one that still reads the last.
      std::vector<Share>& shares = shares_[turn % 2];
      shares[member] = {worker.tally(), windows.are_quiet() ? worker.next_called(window) : window + 1,
                        failures_[member] != nullptr};
      if (member == 0 && turn % kTurnsPerQuestion == 0) ask(window);
      barrier_.wait();
      all = {};
      std::uint64_t next = kNoWindow;
      bool failed = false;
      for (const Share& share : shares) {
        all = sum(all, share.tally);
        next = std::min(next, share.next);
        failed = failed || share.failed;
      }
      if (failed) return;
      const bool stuck = watch.is_stuck(all, fabric_.slots());
      const bool stopped = stop_at_.load(std::memory_order_relaxed) <= window;
      const bool idle = all.timers == 0 && all.injected == all.received;
      const bool enough = options_.enough_work != 0 && all.work >= options_.enough_work;
      const bool over = stuck || stopped || idle || enough;
      if (member == 0) keep(all, window, over);
      windows.go_on(all, next);
      const bool late = windows.now() >= end_of_time();
      if (!over && !late) continue;
      if (member == 0) end_as(idle, enough, stuck, late);
      return;
    }
  }

  /// What ended the run before its end, if anything did: memory that is not there.
  void rethrow_failure() const {
    for (const std::exception_ptr& failure : failures_) {
      if (failure) std::rethrow_exception(failure);
    }
  }

  /// Whether the run was not over by kEndOfTime.
  [[nodiscard]] bool is_too_long() const { return too_long_; }

  Outcome outcome() {
    if (idle_) latest_.time = last_event();
    Outcome outcome;
    outcome.ending = ending_;
    outcome.end = latest_;
    outcome.samples = std::move(samples_);
    for (const auto& worker : workers_) outcome.latencies.add(worker->latencies());
    const Cycles end = latest_.time;
    for (Node node = 0; node < fabric_.shape().nodes(); ++node) {
      for (Port port = 0; port < fabric_.shape().ports(); ++port) {
        const Link& link = fabric_.link(node, port);
        const Stall& stall = fabric_.stall(node, port);
        const Cycles stalled = stall.since == kNever ? 0 : end - stall.since;
        outcome.links.push_back(
            {std::min(link.busy, end), stall.before + stalled, link.packets, link.next != kNoNode});
      }
    }
    return outcome;
  }

 private:
  /// The others learn of a failure at the next barrier, where they would wait for the member in vain.
  template <class Part>
  void attempt(std::size_t member, const Part& part) {
    try {
      part();
    } catch (...) {
      failures_[member] = std::current_exception();
    }
  }

  void ask(std::uint64_t window) {
    if (options_.stop && options_.stop(latest_)) stop_at_.store(window, std::memory_order_relaxed);
  }

  /// Whether the nodes and the packets in the network do.
  [[nodiscard]] bool exceeds_caches(const Tally& all) const {
    return state_bytes_ + ((all.injected - all.received) * packet_bytes_) > options_.cached_bytes;
  }

  /// Window.
  [[nodiscard]] std::uint64_t end_of_time() const {
    return static_cast<std::uint64_t>(kEndOfTime / fabric_.window());
  }

  void end_as(bool idle, bool enough, bool stuck, bool late) {
    idle_ = idle;
    too_long_ = late && !idle && !enough && !stuck;
    if (!idle && !enough) ending_ = stuck ? Ending::kStuck : Ending::kStopped;
  }

  [[nodiscard]] Cycles last_event() const {
    Cycles last = 0;
    for (const auto& worker : workers_) last = std::max(last, worker->latest());
    return last;
  }

  void keep(const Tally& all, std::uint64_t window, bool over) {
    latest_ = {static_cast<Cycles>(window + 1) * fabric_.window(), all};
    if (options_.work_per_sample == 0 || (all.work < next_sample_ && !over)) return;
    samples_.push_back(latest_);
    next_sample_ = all.work + options_.work_per_sample;
  }

  Fabric& fabric_;
  const RunOptions& options_;
  std::size_t state_bytes_;
  std::size_t packet_bytes_;
  std::size_t members_;
  std::vector<std::exception_ptr> failures_;  ///< of each member
  SpinBarrier barrier_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::array<std::vector<Share>, 2> shares_;
  std::atomic<std::uint64_t> stop_at_{std::numeric_limits<std::uint64_t>::max()};

  // The first member's.
  Ending ending_ = Ending::kDone;
  bool idle_ = false;  ///< nothing is left to do
  bool too_long_ = false;
  Progress latest_;
  std::vector<Progress> samples_;
  std::uint64_t next_sample_ = 0;  ///< work
};

}  // namespace

Result<Outcome> simulate(const Shape& shape, const Network& network, Processors& processors,
                         const RunOptions& options) {
  if (const auto status = check(network); !status) return status.error();
  const Demands demands = processors.demands();
  const std::uint32_t queues = (shape.ports() * network.channels()) + demands.injection_fifos;
  if (queues > kMaxQueues) {
    return Error{"usage",
                 std::to_string(queues) + " channels and injection FIFOs at each node, 64 are possible",
                 "take fewer adaptive channels or dimensions"};
  }
  Fabric fabric(shape, network, demands);
  PacketPool pool(demands.payload_bytes);
  Engine engine(fabric, pool, processors, options);
  ThreadPool threads(engine.members(), Pinning::kNone);
  threads.run([&](std::size_t member) { engine.serve(member); });
  engine.rethrow_failure();
  if (engine.is_too_long()) {
    return Error{"usage", "the run takes more than 2^61 cycles, years of any processor",
                 "let it compute, copy and send less, or simulate a part of it"};
  }
  if (const std::uint64_t leaking = fabric.leaking_channels(pool); leaking != 0) {
    return Error{"validation", std::to_string(leaking) + " channels lost tokens or packets",
                 "this is a defect of the simulator: report it with the request"};
  }
  Outcome outcome = engine.outcome();
  outcome.tokens_out = fabric.tokens_out();
  outcome.bytes_used = fabric.bytes() + pool.bytes();
  return outcome;
}

}  // namespace groma::sim::torus
