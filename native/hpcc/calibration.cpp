#include "hpcc/calibration.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <functional>

#include "base/affinity.hpp"
#include "base/clock.hpp"
#include "base/do_not_optimize.hpp"
#include "base/pages.hpp"
#include "base/random.hpp"
#include "base/stream_kernels.hpp"
#include "base/thread_pool.hpp"
#include "hpcc/blas.hpp"

namespace groma::hpcc {
namespace {

constexpr std::int64_t kOrder = 512;  ///< of the matrices: a product takes milliseconds
constexpr std::uint64_t kUpdates = std::uint64_t{1} << 19U;
constexpr auto kMinWords = static_cast<std::uint64_t>(3 * kOrder * kOrder);
constexpr std::uint64_t kMaxWords = std::uint64_t{3} << 22U;  ///< of a thread: 96 MiB
constexpr std::uint64_t kCacheMultiple = 4;
constexpr Seconds kEnough{0.06};  ///< for each kernel
constexpr int kMinTimes = 2;

/// Doubles of a thread that pass its share of the caches by: three vectors of whole cache lines.
std::uint64_t words_beyond(Bytes cache) {
  constexpr std::uint64_t kLines = std::uint64_t{3} * 64 / sizeof(double);
  const std::uint64_t words = kCacheMultiple * (cache.value() / sizeof(double));
  return std::clamp(words, kMinWords, kMaxWords) / kLines * kLines;
}

/// Random updates of a table with a power of two of words, whose lines are asked for some updates ahead.
void update(std::span<std::uint64_t> table) {
  constexpr std::size_t kAhead = 32;
  std::array<std::uint64_t, kAhead> values{};
  const std::uint64_t mask = table.size() - 1;
  RandomStream random(table.size());
  for (std::uint64_t i = 0; i < kUpdates; ++i) {
    std::uint64_t& value = values[i % kAhead];
    table[value & mask] ^= value;
    value = random.next();
    __builtin_prefetch(&table[value & mask], 1);
  }
  clobber_memory();
}

/// The threads, each with memory of its own.
class RateMeter {
 public:
  RateMeter(ThreadPool& pool, const Block& block, std::uint64_t words)
      : pool_(pool), words_(words), memory_(block.as<double>()) {
    pool_.run([this](std::size_t member) { std::ranges::fill(part(member), 1.0); });
  }

  [[nodiscard]] double multiply() const {
    constexpr auto kElements = static_cast<std::size_t>(kOrder * kOrder);
    const Seconds time = best([this](std::size_t member) {
      double* at = part(member).data();
      const Matrix a{at, kOrder, kOrder, kOrder};
      const Matrix b{at + kElements, kOrder, kOrder, kOrder};
      const Matrix c{at + 2 * kElements, kOrder, kOrder, kOrder};
      dgemm(Transposed::kNo, Transposed::kNo, 0.5, a, b, 0.0, c);
    });
    return 2.0 * static_cast<double>(kElements) * kOrder / time.value();
  }

  [[nodiscard]] double bandwidth() const {
    const StreamPass pass = with_non_temporal_stores("triad")->variants.back().pass;
    const std::uint64_t length = words_ / 3;
    const Seconds time = best([&](std::size_t member) {
      double* at = part(member).data();
      do_not_optimize(pass({at, at + length, at + 2 * length, 0.5}, length));
      drain_stores();
    });
    return static_cast<double>(3 * length * sizeof(double)) / time.value();
  }

  [[nodiscard]] double updates() const {
    const Seconds time = best([this](std::size_t member) {
      const auto words = part(member);
      update({reinterpret_cast<std::uint64_t*>(words.data()), std::bit_floor(words.size())});
    });
    return static_cast<double>(kUpdates) / time.value();
  }

 private:
  [[nodiscard]] std::span<double> part(std::size_t member) const {
    return memory_.subspan(member * words_, words_);
  }

  /// Least time in which all threads did their `work`.
  [[nodiscard]] Seconds best(const std::function<void(std::size_t)>& work) const {
    const Seconds begin = clock_.now();
    Seconds least{1e30};
    for (int times = 0; times < kMinTimes || clock_.now() - begin < kEnough; ++times) {
      const Seconds start = clock_.now();
      pool_.run(work);
      least = std::min(least, clock_.now() - start);
    }
    return least;
  }

  SystemClock clock_;
  ThreadPool& pool_;
  std::uint64_t words_;
  std::span<double> memory_;
};

Bytes cache_of_thread(const Machine& machine, std::uint32_t threads) {
  return machine.last_level_cache /
         (std::uint64_t{threads} * static_cast<std::uint64_t>(machine.fullest.ranks));
}

bool knows_all(const std::vector<GivenRate>& given) {
  return std::ranges::all_of(rate_names(), [&](const RateName& name) {
    return std::ranges::find(given, name.value, &GivenRate::which) != given.end();
  });
}

}  // namespace

Result<BaseRates> measure_basics(std::uint32_t threads, Bytes cache) {
  const std::uint64_t words = words_beyond(cache);
  const auto block = Block::map(Bytes(threads * words * sizeof(double)), PageMode::kHuge);
  if (!block) return block.error();
  if (const Status room = check_blas_room(threads); !room) return room.error();
  ThreadPool pool(threads);
  set_blas_threads(1);
  const RateMeter meter(pool, block.value(), words);
  // The matrices last hold numbers; what the updates leave there is none.
  return BaseRates{.multiply = meter.multiply(), .bandwidth = meter.bandwidth(), .updates = meter.updates()};
}

Result<BaseRates> slowest_basics(const mpi::Communicator& world, const Result<BaseRates>& own) {
  if (const Status status = world.agree(own ? Status(Done{}) : Status(own.error())); !status) {
    return status.error();
  }
  const auto least = [&](double value) { return world.reduce_to_all(value, mpi::Reduction::kMin); };
  const BaseRates& basics = own.value();
  return BaseRates{.multiply = least(basics.multiply),
                   .bandwidth = least(basics.bandwidth),
                   .updates = least(basics.updates)};
}

Result<BaseRates> basics_of_rank(const Machine& machine, std::uint32_t threads) {
  return measure_basics(threads, cache_of_thread(machine, threads));
}

Result<BaseRates> basics_of_node(const Machine& machine, std::uint32_t threads) {
  const std::uint64_t all = std::uint64_t{threads} * static_cast<std::uint64_t>(machine.fullest.ranks);
  const std::uint64_t cpus = std::max<std::uint64_t>(1, allowed_cpus().size());
  const auto working = static_cast<std::uint32_t>(std::clamp<std::uint64_t>(all, 1, cpus));
  auto measured = measure_basics(working, cache_of_thread(machine, threads));
  if (!measured) return measured;
  const double share = static_cast<double>(working) / static_cast<double>(all);
  const BaseRates& each = measured.value();
  return BaseRates{.multiply = share * each.multiply,
                   .bandwidth = share * each.bandwidth,
                   .updates = share * each.updates};
}

void set_rates(Machine& machine, const std::vector<GivenRate>& given, std::uint32_t threads,
               const std::function<Result<BaseRates>()>& measure) {
  if (knows_all(given)) {
    machine.rates_from = "given by --rates";
  } else if (const auto basics = measure()) {
    machine.rates = rates_from(basics.value(), threads);
    machine.rates_from =
        given.empty() ? "measured before planning" : "some given by --rates, the others measured";
  } else {
    machine.rates_from = "assumed: " + basics.error().what;
  }
  machine.rates = replaced(machine.rates, given);
  machine.given_rates = given;
}

}  // namespace groma::hpcc
