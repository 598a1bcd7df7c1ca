#include "hpcc/sizing.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <sstream>
#include <utility>

#include "hpcc/estimate.hpp"
#include "hpcc/hpccinf.hpp"
#include "hpcc/suite.hpp"
#include "hpcc/traffic.hpp"
#include "job/counted.hpp"

namespace groma::hpcc {
namespace {

constexpr std::uint64_t kBlockSize = 192;
constexpr double kMemoryShare = 0.25;  ///< of what is free, for the matrix of a run that nobody sized

/// So many times the budget may be spent for vectors of STREAM that pass the caches.
constexpr double kStretch = 1.5;

/// STREAM's own rule: each array is at least so many times all last-level caches together.
constexpr double kCacheMultiple = 4.0;

/// Of so many times `size`, whose bytes may be too many to count.
std::string mebibytes(Bytes size, std::uint64_t times = 1) {
  const Bytes whole(size.value() >> 20U);
  constexpr Bytes kMebibyte = 1_MiB;
  const Bytes rest(size.value() % kMebibyte.value());
  return std::to_string((whole * times).value() + ((rest * times).value() >> 20U)) + " MiB";
}

std::string grid_text(const Grid& grid) {
  return std::to_string(grid.rows) + " x " + std::to_string(grid.columns);
}

template <class T, class Text>
std::string joined(const std::vector<T>& items, const Text& text) {
  std::string all;
  for (const T& item : items) all += (all.empty() ? "" : ", ") + text(item);
  return all;
}

std::string numbers(const std::vector<std::uint64_t>& values) {
  return joined(values, [](std::uint64_t value) { return std::to_string(value); });
}

std::string spoken(const Rates& rates) {
  std::ostringstream text;
  text.precision(3);
  text << 1e-9 * rates.multiply << " Gflop/s, " << 1e-9 * rates.bandwidth << " GB/s, " << 1e-6 * rates.updates
       << " M updates/s in each rank";
  return text.str();
}

/// Bytes of STREAM's vectors of all ranks together that one vector needs.
double stream_need(const Machine& machine) {
  return kCacheMultiple * static_cast<double>(machine.last_level_cache.value()) * machine.nodes;
}

/// A third of the matrix is one vector of STREAM (HPCC), so this matrix has vectors beyond the caches.
std::uint64_t order_beyond_caches(const Machine& machine) {
  return static_cast<std::uint64_t>(std::sqrt(3.0 * stream_need(machine) / sizeof(double)));
}

Bytes share(const Machine& machine, double part) {
  return Bytes(static_cast<std::uint64_t>(part * static_cast<double>(machine.room().value())));
}

/// That of the matrix, where --memory says it.
std::optional<Bytes> asked_memory(const Options& options, const Machine& machine) {
  if (options.memory_share) return share(machine, *options.memory_share);
  return options.memory;
}

/// What the options say goes before what the file says.
void apply_options(Input& input, const Options& options) {
  input.fft_sizes = options.fft_sizes;
  if (!options.n.empty()) input.n = options.n;
  if (!options.nb.empty()) input.nb = options.nb;
  if (!options.grids.empty()) input.grids = options.grids;
}

/// What makes an input of whole blocks where no file does, and why.
class Sizer {
 public:
  Sizer(const Options& options, const Machine& machine, std::uint64_t nb)
      : options_(options), machine_(machine), nb_(nb) {}

  /// Errors (usage): --memory is less than a block takes.
  [[nodiscard]] Result<Input> input(std::vector<Choice>& choices) const {
    if (!options_.n.empty()) {
      Input given = sized_input(Bytes(sizeof(double)), machine_.ranks, nb_);
      given.n = options_.n;
      return given;
    }
    if (const auto asked = asked_memory(options_, machine_)) return filling(*asked, choices);
    Input largest = sized_input(share(machine_, kMemoryShare), machine_.ranks, nb_);
    apply_options(largest, options_);
    return in_time(std::move(largest), choices);
  }

 private:
  Result<Input> filling(Bytes asked, std::vector<Choice>& choices) const {
    const Bytes least(nb_ * nb_ * sizeof(double));
    if (asked < least) {
      return Error{"usage",
                   "--memory has no room for one block: N=" + std::to_string(nb_) + " takes " +
                       std::to_string((least.value() + 1023) >> 10U) + " KiB",
                   "give more, such as 25% or 8GiB, or a smaller block with --nb"};
    }
    Input input = sized_input(asked, machine_.ranks, nb_);
    choices.push_back({"N", numbers(input.n), "fills " + mebibytes(asked) + " given by --memory"});
    return input;
  }

  /// The largest matrix, at most that of `input`, whose suite is estimated to end within the budget.
  Input in_time(Input input, std::vector<Choice>& choices) const {
    const std::uint64_t most = input.n.front();
    const auto of = [&](std::uint64_t count) { return plan_of(input, count * nb_); };
    const auto has_room = [&](std::uint64_t count) {
      return memory_per_rank(of(count)) <= machine_.fullest.for_each();
    };
    const auto ends = [&](std::uint64_t count) { return full_time_of(of(count)) <= options_.effort.budget; };
    const std::uint64_t roomy = last_that(most / nb_, has_room);
    const std::uint64_t blocks = last_that(roomy, ends);
    const std::uint64_t beyond = (order_beyond_caches(machine_) / nb_ + 1) * nb_;
    const bool may_pass_caches = full_time_of(of(beyond / nb_)) <= options_.effort.budget * kStretch;
    const std::uint64_t n = std::min(roomy * nb_, std::max(blocks * nb_, may_pass_caches ? beyond : nb_));
    choices.push_back({"N", std::to_string(n), reason(n, most, roomy * nb_, beyond)});
    input.n = {n};
    return input;
  }

  /// The plan of a matrix of order n, as far as its cost depends on it.
  [[nodiscard]] Plan plan_of(Input input, std::uint64_t n) const {
    input.n = {n};
    Result<Plan> planned = plan_from(input, machine_.ranks);
    Plan plan = planned ? std::move(planned).value() : Plan{};
    if (const auto tests = chosen_tests(options_)) plan.tests = tests.value();
    plan.effort = options_.effort;
    plan.threads = options_.threads;
    plan.rates = rates_on(machine_, plan);
    plan.network = machine_.network;
    return plan;
  }

  /// The largest count up to `most` that `fits`, at least 1; what fits does so for all smaller ones as well.
  template <class Fits>
  static std::uint64_t last_that(std::uint64_t most, const Fits& fits) {
    std::uint64_t least = 1;
    while (least < most) {
      const std::uint64_t middle = least + (most - least + 1) / 2;
      if (fits(middle)) {
        least = middle;
      } else {
        most = middle - 1;
      }
    }
    return least;
  }

  [[nodiscard]] std::string reason(std::uint64_t n, std::uint64_t most, std::uint64_t roomy,
                                   std::uint64_t beyond) const {
    if (n == most)
      return "fills a quarter of the free memory (" + mebibytes(share(machine_, kMemoryShare)) + ")";
    if (n == roomy) return "the largest for which every test fits";
    if (n == beyond) return "STREAM's vectors are 4 times the last-level caches";
    std::ostringstream text;
    text << "the largest whose suite is estimated to end within " << options_.effort.budget.value()
         << " s; N=" << most << " would fill a quarter of the free memory";
    return text.str();
  }

  const Options& options_;
  const Machine& machine_;
  std::uint64_t nb_;
};

void explain_options(const Input& input, const Options& options, std::vector<Choice>& choices) {
  if (!options.n.empty()) choices.push_back({"N", numbers(input.n), "as -N asks"});
  if (!options.nb.empty()) choices.push_back({"NB", numbers(input.nb), "as --nb asks"});
  if (!options.grids.empty()) {
    choices.push_back({"grid", joined(input.grids, grid_text), "given by --grid"});
  }
}

void explain_file(const std::string& name, const Input& input, std::vector<Choice>& choices) {
  choices.push_back({"N", numbers(input.n), "from " + name});
  choices.push_back({"NB", numbers(input.nb), "from " + name});
  choices.push_back({"grid", joined(input.grids, grid_text), "from " + name});
}

void explain_defaults(const Input& input, std::vector<Choice>& choices) {
  choices.push_back({"NB", numbers(input.nb), "suits the caches of current processors"});
  choices.push_back({"grid", joined(input.grids, grid_text),
                     "all ranks, as square as possible, no more rows than columns"});
}

Result<Input> input_of(const Options& options, const std::optional<InputText>& file, const Machine& machine,
                       std::vector<Choice>& choices) {
  if (!file) {
    const std::uint64_t nb = options.nb.empty() ? kBlockSize : options.nb.front();
    Result<Input> sized = Sizer(options, machine, nb).input(choices);
    if (!sized) return sized;
    explain_defaults(sized.value(), choices);
    apply_options(sized.value(), options);
    explain_options(sized.value(), options, choices);
    return sized;
  }
  Result<Input> read = parse_hpccinf(file->text);
  if (!read) return Error{read.error().code, file->name + ": " + read.error().what, read.error().next};
  Input input = std::move(read).value();
  explain_file(file->name, input, choices);
  apply_options(input, options);
  explain_options(input, options, choices);
  if (!asked_memory(options, machine)) return input;
  Result<Input> sized = Sizer(options, machine, input.nb.front()).input(choices);
  if (!sized) return sized;
  input.n = sized.value().n;
  return input;
}

/// A later choice of the same thing replaces an earlier one.
std::vector<Choice> last_of_each(const std::vector<Choice>& choices) {
  std::vector<Choice> last;
  for (const Choice& choice : choices) {
    std::erase_if(last, [&](const Choice& earlier) { return earlier.what == choice.what; });
    last.push_back(choice);
  }
  return last;
}

void explain_rest(const Options& options, Plan& plan) {
  const auto add = [&plan](std::string what, std::string value, std::string why) {
    plan.choices.push_back({std::move(what), std::move(value), std::move(why)});
  };
  const std::string defined = "as HPCC 1.5.0 derives it from the memory of the HPL matrix";
  add("DGEMM n", std::to_string(plan.sizes.dgemm), defined + ": three matrices");
  add("STREAM vectors", std::to_string(plan.sizes.stream), defined + ": three vectors");
  add("RandomAccess words", std::to_string(plan.sizes.mpi_random_access), defined + ": a power of two");
  const bool powers = options.fft_sizes == FftSizes::kPowersOfTwo;
  add("FFT points", std::to_string(plan.sizes.fft),
      defined + ": two vectors, " + (powers ? "a power of two" : "2^a 3^b 5^c"));
  add("PTRANS n", numbers({plan.ptrans.front().n}), "half of N, and the sizes that the input adds");
  add("repetitions", std::to_string(options.effort.repetitions), "of each test at least");
}

std::string spoken(const Network& network) {
  std::ostringstream text;
  text.precision(3);
  text << 1e6 * network.pair.latency.value() << " µs, " << 1e-9 * network.exchange_rate()
       << " GB/s from each rank while all send";
  return text.str();
}

void explain_machine(const Machine& machine, std::vector<Choice>& choices) {
  const std::string on_each =
      job::counted(machine.fullest.ranks, "rank") + " on " + mebibytes(machine.fullest.free) + ", ";
  const std::string several =
      on_each + "the least for each of " + std::to_string(machine.nodes) + " machines";
  const std::string assumed = on_each + "as this machine has; the other " +
                              (machine.nodes == 2 ? "one is" : std::to_string(machine.nodes - 1) + " are") +
                              " counted as they start";
  const std::string one = "free on this machine";
  choices.push_back({"memory", mebibytes(machine.room()),
                     machine.nodes == 1   ? one
                     : machine.is_counted ? several
                                          : assumed});
  choices.push_back({"speed", spoken(machine.rates), machine.rates_from});
  if (machine.ranks == 1) return;
  choices.push_back(
      {"messages", spoken(machine.network),
       machine.network.is_measured ? "measured before planning" : "assumed: measured as the ranks start"});
}

void warn(const Machine& machine, Plan& plan) {
  const double vectors = static_cast<double>(plan.sizes.stream) * sizeof(double) * plan.ranks;
  const bool streams = std::find(plan.tests.begin(), plan.tests.end(), "stream") != plan.tests.end();
  if (streams && vectors < stream_need(machine)) {
    std::ostringstream text;
    text.precision(2);
    text << "each STREAM vector is " << vectors * kCacheMultiple / stream_need(machine)
         << " times the last-level caches: below 4 times the figures are partly those of caches";
    plan.warnings.push_back(text.str());
  }
  const bool idle = std::any_of(plan.hpl.begin(), plan.hpl.end(),
                                [&](const HplCase& one) { return one.grid.ranks() < plan.ranks; });
  if (idle)
    plan.warnings.emplace_back("a grid has fewer ranks than the run: the others are idle in HPL and PTRANS");
}

Status fits_memory(const Plan& plan, const Machine& machine) {
  const Bytes each = memory_per_rank(plan);
  const NodeMemory& node = machine.fullest;
  if (each <= node.for_each()) return Done{};
  const std::string where =
      machine.nodes == 1 ? "" : " on the fullest of " + std::to_string(machine.nodes) + " machines";
  return Error{"memory",
               "the run needs " + mebibytes(each, static_cast<std::uint64_t>(node.ranks)) + where + " (" +
                   mebibytes(each) + " on each of " + job::counted(node.ranks, "rank") + "), but " +
                   mebibytes(node.free) + " are free" + (where.empty() ? "" : " there"),
               "choose a smaller N, or --memory"};
}

/// Elements of a test, and how many it has work for at least.
struct TestSize {
  std::string_view test;
  std::uint64_t elements;
  std::uint64_t least = 1;
};

/// The suite derives the other sizes from the matrix, and a tiny one leaves tests without any work: the
/// transform of one point has no operations.
Status fits_tests(const Plan& plan) {
  const LocalSizes& sizes = plan.sizes;
  const TestSize all[] = {{"dgemm", sizes.dgemm},
                          {"stream", sizes.stream},
                          {"fft", std::min(sizes.fft, sizes.mpi_fft), 2},
                          {"random_access", std::min(sizes.random_access, sizes.mpi_random_access)}};
  std::string empty;
  for (const auto& [test, elements, least] : all) {
    const bool runs = std::ranges::find(plan.tests, test) != plan.tests.end();
    if (runs && elements < least) empty += (empty.empty() ? "" : ",") + std::string(test);
  }
  if (empty.empty()) return Done{};
  const std::uint64_t largest = std::ranges::max(plan.hpl, {}, &HplCase::n).n;
  const std::string step = plan.sized_by ? "run fewer ranks, give more --memory" : "choose a larger N";
  return Error{"usage", "a matrix of order " + std::to_string(largest) + " is too small for " + empty,
               step + ", or --skip " + empty};
}

/// The file of which no plan could be made, and the lines of a grid that is too large.
std::string place_of_error(const InputText& input, const Options& options, const Input& used,
                           const Machine& machine) {
  const bool is_of_grid =
      std::ranges::any_of(used.grids, [&](const Grid& grid) { return grid.ranks() > machine.ranks; });
  if (!is_of_grid) return input.name + ": ";
  return options.grids.empty() ? input.name + ", lines 11 and 12: " : "";
}

}  // namespace

Result<std::optional<InputText>> find_input(const Options& options) {
  if (const Status places = check_places(options); !places) return places.error();
  const bool sized = !options.n.empty() || options.memory || options.memory_share;
  const bool usual = !options.input && !sized && std::filesystem::exists(kUsualInput);
  if (!options.input && !usual) return std::optional<InputText>();
  const std::string name = options.input.value_or(std::string(kUsualInput));
  Result<std::string> text = read_input_text(name);
  if (!text) return text.error();
  return std::optional(InputText{name, std::move(text).value()});
}

Result<Plan> plan_for(const Options& options, const std::optional<InputText>& input, const Machine& machine) {
  const auto tests = chosen_tests(options);
  if (!tests) return tests.error();
  std::vector<Choice> choices;
  const Result<Input> used = input_of(options, input, machine, choices);
  if (!used) return used.error();
  Result<Plan> planned = plan_from(used.value(), machine.ranks);
  if (!planned) {
    const std::string where = input ? place_of_error(*input, options, used.value(), machine) : "";
    return Error{planned.error().code, where + planned.error().what, planned.error().next};
  }
  Plan plan = std::move(planned).value();
  plan.tests = tests.value();
  plan.effort = options.effort;
  plan.threads = options.threads;
  plan.seed = options.seed;
  plan.curves = options.curves;
  plan.random_access = options.random_access;
  plan.rates = rates_on(machine, plan);
  plan.rates_from = machine.rates_from;
  plan.network = machine.network;
  if (options.n.empty() && (!input || asked_memory(options, machine))) {
    plan.sized_by = Bytes(sizeof(double) * used.value().n.front() * used.value().n.front());
  }
  plan.choices = last_of_each(choices);
  explain_rest(options, plan);
  explain_machine(machine, plan.choices);
  warn(machine, plan);
  if (const Status known = check_benchmarks(plan, nullptr); !known) return known.error();
  if (const Status fits = fits_tests(plan); !fits) return fits.error();
  if (const Status fits = fits_memory(plan, machine); !fits) return fits.error();
  return plan;
}

}  // namespace groma::hpcc
