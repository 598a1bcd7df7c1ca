#include "hpcc/options.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>

#include "job/option_table.hpp"

namespace groma::hpcc {
namespace {

using namespace job;

constexpr std::uint64_t kMaxOrder = std::uint64_t{1} << 26U;
constexpr const char* kOrders = "orders of the HPL matrix, each 1 to 67108864, with commas";
constexpr int kMaxRanks = 1 << 24;
constexpr std::uint32_t kMaxThreads = 4096;

bool take_counts(const std::string& text, std::vector<std::uint64_t>& into) {
  into.clear();  // of those that were given before
  for (const std::string& part : cut(text, ',')) {
    const auto value = number<std::uint64_t>(part);
    if (!value || *value == 0 || *value > kMaxOrder) return false;
    into.push_back(*value);
  }
  return !into.empty();
}

bool take_grids(const std::string& text, std::vector<Grid>& into) {
  into.clear();
  for (const std::string& part : cut(text, ',')) {
    const auto sides = cut(part, 'x');
    if (sides.size() != 2 || part.ends_with('x')) return false;
    const auto rows = number<int>(sides[0]);
    const auto columns = number<int>(sides[1]);
    if (!rows || !columns || *rows < 1 || *columns < 1 || *rows > kMaxRanks / *columns) return false;
    into.push_back({*rows, *columns});
  }
  return !into.empty();
}

bool take_memory(const std::string& text, Options& to) {
  to.memory.reset();
  to.memory_share.reset();
  static constexpr std::array kShare = std::to_array<Suffix>({{"%", 0.01}});
  if (const auto part = scaled(text, kShare)) {
    to.memory_share = part;
    return *part > 0.0 && *part <= 1.0;
  }
  const auto bytes = bytes_in(text);
  if (!bytes || *bytes < sizeof(double) || *bytes > 0x1p60) return false;
  to.memory = Bytes(static_cast<std::uint64_t>(*bytes));
  return true;
}

bool take_rates(const std::string& text, std::vector<GivenRate>& into) {
  into.clear();
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
    return "rates of each rank, to choose sizes and estimate times; missing ones are measured: " + names;
  }();
  return help;
}

bool take_ranks(const std::string& text, int& into) {
  return take_number(text, 1, into) && into <= kMaxRanks;
}

/// A device or a pipe, which several may write to.
bool is_special(const std::filesystem::path& file) {
  std::error_code problem;
  const auto kind = std::filesystem::status(file, problem).type();
  return std::filesystem::exists(file, problem) && kind != std::filesystem::file_type::regular;
}

using AreOne = bool (*)(const std::filesystem::path& one, const std::filesystem::path& other);

bool have_one_name(const std::filesystem::path& one, const std::filesystem::path& other) {
  return one.lexically_normal() == other.lexically_normal();
}

/// Through any links and from any folder. Neither needs to exist.
bool lead_to_one_file(const std::filesystem::path& one, const std::filesystem::path& other) {
  const auto place = [](const std::filesystem::path& file) {
    std::error_code problem;
    const auto found = std::filesystem::weakly_canonical(std::filesystem::absolute(file, problem), problem);
    return problem ? file : found;
  };
  std::error_code problem;
  return std::filesystem::equivalent(one, other, problem) || have_one_name(place(one), place(other));
}

/// No file of a run may replace another one of it.
Status check_files(const Options& options, AreOne are_one) {
  const auto clash = [&](const std::string& one, const std::string& other) {
    return are_one(one, other) && !is_special(other);
  };
  if (options.events && clash(*options.events, options.output)) {
    return Error{"usage", "--output and --events name the same file " + options.output,
                 "the summary would replace the events: give two files"};
  }
  const std::string input = options.input.value_or(std::string(kUsualInput));
  for (const auto& [option, file] :
       {std::pair("--output", options.output), std::pair("--events", options.events.value_or(""))}) {
    if (file.empty() || !clash(file, input)) continue;
    return Error{"usage", std::string(option) + " would replace the input " + input, "give it another file"};
  }
  return Done{};
}

std::vector<Option> table(Options& to) {
  return {
      {"--input", "FILE", "sizes and grids as in hpccinf.txt (default: that file, where there is one)",
       [&to](const std::string& text) { return to.input = text, true; }},
      {"--output", "FILE", "summary (default: hpccoutf.txt)",
       [&to](const std::string& text) { return to.output = text, true; }},
      {"--append", "", "append to the summary instead of replacing it",
       [&to](const std::string& /*text*/) { return to.append = true, true; }},
      {"--events", "FILE", "where to write samples as JSON lines; - for standard output",
       [&to](const std::string& text) { return to.events = text, true; }},
      {"--only", "A,B", "only these tests",
       [&to](const std::string& text) { return to.only = cut(text, ','), true; }},
      {"--skip", "A,B", "all but these tests",
       [&to](const std::string& text) { return to.skip = cut(text, ','), true; }},
      {"-N", "N,…", kOrders, [&to](const std::string& text) { return take_counts(text, to.n); }},
      {"--n", "N,…", kOrders, [&to](const std::string& text) { return take_counts(text, to.n); }},
      {"--nb", "NB,…", "block sizes, each 1 to 67108864, with commas (default: 192)",
       [&to](const std::string& text) { return take_counts(text, to.nb); }},
      {"--grid", "PxQ,…", "grids of at most 16777216 ranks each, rows by columns, with commas",
       [&to](const std::string& text) { return take_grids(text, to.grids); }},
      {"--memory", "SIZE",
       "memory of the HPL matrix on all ranks together: 25% of the free memory, 8GiB or bytes",
       [&to](const std::string& text) { return take_memory(text, to); }},
      {"--repeat", "COUNT", "minimum repetitions of each test, 1 to 4294967295 (default: 5)",
       [&to](const std::string& text) { return take_number(text, std::uint32_t{1}, to.effort.repetitions); }},
      {"--budget", "TIME", "time after which no repetition starts: 60s, 5min (default: 60s)",
       [&to](const std::string& text) { return take_time(text, to.effort.budget); }},
      {"--threads", "COUNT", "threads per rank, 1 to 4096 (default: 1)",
       [&to](const std::string& text) {
         return take_number(text, std::uint32_t{1}, to.threads) && to.threads <= kMaxThreads;
       }},
      {"--seed", "SEED", "seed of every random choice, 0 to 2^64 - 1 (default: 1)",
       [&to](const std::string& text) { return take_number(text, std::uint64_t{0}, to.seed); }},
      {"--fft-235", "", "Fourier transforms of 2^a 3^b 5^c points instead of a power of two",
       [&to](const std::string&) {
         to.fft_sizes = FftSizes::kProductsOf235;
         return true;
       }},
      {"--curves", "", "effective bandwidth over all message sizes as well",
       [&to](const std::string&) { return to.curves = true; }},
      {"--random-access", "NAME", "algorithm of MPI RandomAccess (default: the best one for the ranks)",
       [&to](const std::string& text) { return to.random_access = text, true; }},
      {"--rates", "NAME=RATE,…", rates_help(),
       [&to](const std::string& text) { return take_rates(text, to.rates); }},
      {"--ranks", "COUNT", "for plan: number of ranks, 1 to 16777216 (default: 1)",
       [&to](const std::string& text) { return take_ranks(text, to.ranks); }},
      {"--ranks-on-each", "COUNT",
       "for plan: ranks on each machine, 1 to 16777216 (default: all on this one)",
       [&to](const std::string& text) { return take_ranks(text, to.on_each.emplace()); }},
  };
}

CommandLine command_line(Options& to) {
  return {"groma-hpcc", {"run", "plan", "list", "build", "help"}, table(to)};
}

}  // namespace

Result<Options> parse_options(const std::vector<std::string>& arguments) {
  Result<Options> read = job::parsed(command_line, arguments);
  if (!read) return read;
  const Options& options = read.value();
  if (!options.n.empty() && (options.memory || options.memory_share)) {
    return Error{"usage", "-N and --memory both set the size of the matrix", "give one of them"};
  }
  if (const Status files = check_files(options, have_one_name); !files) return files.error();
  return read;
}

Status check_places(const Options& options) {
  return check_files(options, lead_to_one_file);
}

std::string options_help() {
  return job::help_of(command_line);
}

}  // namespace groma::hpcc
