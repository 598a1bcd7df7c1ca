#include "hpcc/options.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <functional>
#include <span>
#include <sstream>

namespace groma::hpcc {
namespace {

constexpr std::uint64_t kLargestOrder = std::uint64_t{1} << 26U;
constexpr int kMostRanks = 1 << 24;
constexpr std::uint32_t kMostThreads = 4096;

template <class T>
std::optional<T> number(std::string_view text) {
  T parsed{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), parsed);
  const bool whole = error == std::errc() && end == text.data() + text.size() && !text.empty();
  return whole ? std::optional(parsed) : std::nullopt;
}

std::vector<std::string> cut(const std::string& text, char at) {
  std::vector<std::string> parts;
  std::stringstream stream(text);
  for (std::string part; std::getline(stream, part, at);) parts.push_back(part);
  return parts;
}

bool take_counts(const std::string& text, std::vector<std::uint64_t>& into) {
  for (const std::string& part : cut(text, ',')) {
    const auto value = number<std::uint64_t>(part);
    if (!value || *value == 0 || *value > kLargestOrder) return false;
    into.push_back(*value);
  }
  return !into.empty();
}

bool take_grids(const std::string& text, std::vector<Grid>& into) {
  for (const std::string& part : cut(text, ',')) {
    const auto sides = cut(part, 'x');
    if (sides.size() != 2) return false;
    const auto rows = number<int>(sides[0]);
    const auto columns = number<int>(sides[1]);
    if (!rows || !columns || *rows < 1 || *columns < 1 || *rows > kMostRanks / *columns) return false;
    into.push_back({*rows, *columns});
  }
  return !into.empty();
}

template <class T>
bool take_number(const std::string& text, T least, T& into) {
  const auto value = number<T>(text);
  if (!value || *value < least) return false;
  into = *value;
  return true;
}

struct Suffix {
  std::string_view name;
  double factor;
};

/// A number that is not negative, with one of `suffixes` (the empty one where there is a unit by default).
std::optional<double> scaled(std::string_view text, std::span<const Suffix> suffixes) {
  double value = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const std::string_view rest(end, static_cast<std::size_t>(text.data() + text.size() - end));
  const auto suffix = std::ranges::find(suffixes, rest, &Suffix::name);
  const bool known = error == std::errc() && suffix != suffixes.end() && std::isfinite(value) && value >= 0.0;
  return known ? std::optional(value * suffix->factor) : std::nullopt;
}

bool take_memory(const std::string& text, Options& to) {
  static constexpr std::array kShare = std::to_array<Suffix>({{"%", 0.01}});
  static constexpr std::array kSizes = std::to_array<Suffix>({{"", 1.0},
                                                              {"B", 1.0},
                                                              {"KiB", 0x1p10},
                                                              {"MiB", 0x1p20},
                                                              {"GiB", 0x1p30},
                                                              {"TiB", 0x1p40},
                                                              {"kB", 1e3},
                                                              {"MB", 1e6},
                                                              {"GB", 1e9},
                                                              {"TB", 1e12}});
  if (const auto part = scaled(text, kShare)) {
    to.memory_share = part;
    return *part > 0.0 && *part <= 1.0;
  }
  const auto bytes = scaled(text, kSizes);
  if (!bytes || *bytes < sizeof(double) || *bytes > 0x1p60) return false;
  to.memory = Bytes(static_cast<std::uint64_t>(*bytes));
  return true;
}

bool take_time(const std::string& text, Seconds& into) {
  static constexpr std::array kTimes =
      std::to_array<Suffix>({{"", 1.0}, {"s", 1.0}, {"m", 60.0}, {"min", 60.0}, {"h", 3600.0}});
  const auto seconds = scaled(text, kTimes);
  if (!seconds) return false;
  into = Seconds(*seconds);
  return true;
}

bool take_rates(const std::string& text, std::vector<GivenRate>& into) {
  for (const std::string& part : cut(text, ',')) {
    const auto equals = std::min(part.find('='), part.size());
    const auto known = std::ranges::find(rate_names(), part.substr(0, equals), &RateName::name);
    const auto value = number<double>(std::string_view(part).substr(std::min(equals + 1, part.size())));
    if (known == rate_names().end() || !value || !std::isfinite(*value) || *value <= 0.0) return false;
    into.push_back({known->value, *value});
  }
  return !into.empty();
}

/// Names and units as --rates takes them.
const std::string& rates_help() {
  static const std::string help = [] {
    std::string names;
    for (const RateName& one : rate_names()) {
      names.append(names.empty() ? "" : ", ").append(one.name).append(" (").append(one.unit).append(")");
    }
    return "what each rank reaches, for sizes and times; those missing are measured: " + names;
  }();
  return help;
}

bool take_ranks(const std::string& text, int& into) {
  return take_number(text, 1, into) && into <= kMostRanks;
}

struct Option {
  std::string_view name;
  std::string_view takes;  ///< empty for a flag
  std::string_view help;
  std::function<bool(const std::string& value, Options& options)> take;
};

const std::vector<Option>& table() {
  static const std::vector<Option> options = {
      {"--input", "FILE", "sizes and grids as in hpccinf.txt (default: that file, where there is one)",
       [](const std::string& text, Options& to) { return to.input = text, true; }},
      {"--output", "FILE", "summary (default: hpccoutf.txt)",
       [](const std::string& text, Options& to) { return to.output = text, true; }},
      {"--append", "", "append to the summary instead of writing it anew",
       [](const std::string& /*text*/, Options& to) { return to.append = true, true; }},
      {"--events", "FILE", "samples as JSON lines; - for standard output",
       [](const std::string& text, Options& to) { return to.events = text, true; }},
      {"--only", "A,B", "only these tests",
       [](const std::string& text, Options& to) { return to.only = cut(text, ','), true; }},
      {"--skip", "A,B", "all but these tests",
       [](const std::string& text, Options& to) { return to.skip = cut(text, ','), true; }},
      {"-N", "N,…", "orders of the HPL matrix",
       [](const std::string& text, Options& to) { return take_counts(text, to.n); }},
      {"--nb", "NB,…", "block sizes",
       [](const std::string& text, Options& to) { return take_counts(text, to.nb); }},
      {"--grid", "PxQ,…", "grids of ranks",
       [](const std::string& text, Options& to) { return take_grids(text, to.grids); }},
      {"--memory", "SIZE", "of the HPL matrix, all ranks together: 25%, 8GiB or bytes",
       [](const std::string& text, Options& to) { return take_memory(text, to); }},
      {"--repeat", "COUNT", "repetitions of each test at least (default: 5)",
       [](const std::string& text, Options& to) {
         return take_number(text, std::uint32_t{1}, to.effort.repetitions);
       }},
      {"--budget", "TIME", "no further repetition begins after it: 60s, 5min (default: 60s)",
       [](const std::string& text, Options& to) { return take_time(text, to.effort.budget); }},
      {"--threads", "COUNT", "threads of each rank (default: 1)",
       [](const std::string& text, Options& to) {
         return take_number(text, std::uint32_t{1}, to.threads) && to.threads <= kMostThreads;
       }},
      {"--seed", "SEED", "of every random choice (default: 1)",
       [](const std::string& text, Options& to) { return take_number(text, std::uint64_t{0}, to.seed); }},
      {"--fft-235", "", "Fourier transforms of 2^a 3^b 5^c points, not of a power of two",
       [](const std::string&, Options& to) {
         to.fft_sizes = FftSizes::kProductsOf235;
         return true;
       }},
      {"--curves", "", "effective bandwidth over all message sizes as well",
       [](const std::string&, Options& to) { return to.curves = true; }},
      {"--random-access", "NAME", "algorithm of MPI RandomAccess (default: the best one for the ranks)",
       [](const std::string& text, Options& to) { return to.random_access = text, true; }},
      {"--rates", "NAME=RATE,…", rates_help(),
       [](const std::string& text, Options& to) { return take_rates(text, to.rates); }},
      {"--ranks", "COUNT", "for plan: ranks that would run (default: 1)",
       [](const std::string& text, Options& to) { return take_ranks(text, to.ranks); }},
      {"--ranks-on-each", "COUNT", "for plan: ranks on each machine (default: all on this one)",
       [](const std::string& text, Options& to) { return take_ranks(text, to.on_each.emplace()); }},
  };
  return options;
}

bool is_verb(std::string_view text) {
  static const std::vector<std::string_view> verbs = {"run", "plan", "list", "build", "help"};
  return std::find(verbs.begin(), verbs.end(), text) != verbs.end();
}

}  // namespace

Result<Options> parse_options(const std::vector<std::string>& arguments) {
  Options options;
  auto next = arguments.begin();
  if (next != arguments.end() && is_verb(*next)) options.verb = *next++;
  while (next != arguments.end()) {
    const std::string text = *next++;
    if (text == "--help" || text == "-h") {
      options.verb = "help";
      continue;
    }
    const auto equals = text.find('=');
    std::string name = text.substr(0, equals);
    if (name == "--n") name = "-N";
    const auto found =
        std::find_if(table().begin(), table().end(), [&](const Option& one) { return one.name == name; });
    if (found == table().end()) {
      return Error{"usage", "unknown option or verb '" + text + "'", "groma-hpcc --help lists them"};
    }
    std::string value = equals == std::string::npos ? "" : text.substr(equals + 1);
    if (!found->takes.empty() && equals == std::string::npos && next != arguments.end()) value = *next++;
    if ((value.empty() != found->takes.empty()) || !found->take(value, options)) {
      const std::string takes = found->takes.empty() ? "no value" : std::string(found->takes);
      return Error{"usage", name.append(" takes ").append(takes) + ", not '" + value + "'",
                   std::string(found->help)};
    }
  }
  if (!options.n.empty() && (options.memory || options.memory_share)) {
    return Error{"usage", "-N and --memory both say how large the matrix is", "give one of them"};
  }
  return options;
}

std::string options_help() {
  constexpr std::size_t kColumn = 24;
  std::string help;
  for (const Option& one : table()) {
    std::string line = "  " + std::string(one.name) + " " + std::string(one.takes);
    // Characters, not bytes: … takes three.
    const auto wide = static_cast<std::size_t>(std::ranges::count_if(
        line, [](char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U; }));
    help += line + std::string(kColumn - std::min(wide, kColumn - 1), ' ') + std::string(one.help) + "\n";
  }
  return help;
}

}  // namespace groma::hpcc
