#include "hpcc/hpccinf.hpp"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <limits>
#include <optional>
#include <sstream>
#include <vector>

namespace groma::hpcc {
namespace {

/// What a line may hold.
struct Bounds {
  std::int64_t least;
  std::int64_t most;
};

constexpr Bounds kSwitch = {0, 1};
constexpr Bounds kOneOfThree = {0, 2};
constexpr Bounds kOneOfSix = {0, 5};
constexpr Bounds kOrder = {1, std::int64_t{1} << 26U};  // a matrix of 2^55 bytes
constexpr Bounds kGridSide = {1, 1 << 20};
constexpr Bounds kListLength = {1, 64};
constexpr Bounds kListOrNone = {0, 64};

constexpr std::size_t kLastHplLine = 31;

/// Reads numbered lines and keeps the first complaint.
class Lines {
 public:
  explicit Lines(std::string_view text) {
    std::istringstream stream{std::string(text)};
    for (std::string line; std::getline(stream, line);) lines_.push_back(line);
  }

  [[nodiscard]] const std::optional<Error>& complaint() const { return complaint_; }
  [[nodiscard]] bool has(std::size_t number) const { return number <= lines_.size(); }

  /// The first `count` numbers of a line.
  std::vector<std::int64_t> integers(std::size_t number, std::size_t count, const Bounds& bounds,
                                     std::string_view what) {
    std::vector<std::int64_t> values;
    std::istringstream words(has(number) ? lines_[number - 1] : "");
    for (std::string word; values.size() < count && words >> word;) {
      const auto value = integer(word);
      if (!value || *value < bounds.least || *value > bounds.most) {
        complain(number, what, bounds, "'" + word + "'");
        return std::vector<std::int64_t>(count, bounds.least);
      }
      values.push_back(*value);
    }
    if (values.size() < count) {
      const std::string found = has(number) ? std::to_string(values.size()) + " of " + std::to_string(count)
                                            : "the end of the file";
      complain(number, what, bounds, found);
      values.resize(count, bounds.least);
    }
    return values;
  }

  std::int64_t integer_at(std::size_t number, const Bounds& bounds, std::string_view what) {
    return integers(number, 1, bounds, what).front();
  }

  /// The numbers of line `number`, as many as the line before it says.
  std::vector<std::int64_t> list(std::size_t number, const Bounds& bounds, std::string_view what,
                                 const Bounds& length = kListLength) {
    const std::string number_of = "number of " + std::string(what);
    const auto count = static_cast<std::size_t>(integer_at(number - 1, length, number_of));
    return integers(number, count, bounds, what);
  }

  double real_at(std::size_t number, std::string_view what) {
    std::istringstream words(has(number) ? lines_[number - 1] : "");
    std::string word;
    words >> word;
    double value = 0.0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error == std::errc() && end == word.data() + word.size() && value > 0.0 && value < 1e300) {
      return value;
    }
    if (!complaint_) {
      complaint_ =
          Error{"usage", "line " + std::to_string(number) + ": " + std::string(what) + " is '" + word + "'",
                "write a positive number, for example 16.0"};
    }
    return 1.0;
  }

 private:
  static std::optional<std::int64_t> integer(std::string_view word) {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc() || end != word.data() + word.size()) return std::nullopt;
    return value;
  }

  void complain(std::size_t number, std::string_view what, const Bounds& bounds, const std::string& found) {
    if (complaint_) return;
    complaint_ = Error{
        "usage", "line " + std::to_string(number) + " (" + std::string(what) + "): found " + found,
        "write whole numbers from " + std::to_string(bounds.least) + " to " + std::to_string(bounds.most)};
  }

  std::vector<std::string> lines_;
  std::optional<Error> complaint_;
};

std::vector<std::uint64_t> unsigned_of(const std::vector<std::int64_t>& values) {
  return {values.begin(), values.end()};
}

std::vector<Grid> read_grids(Lines& lines) {
  const auto count = static_cast<std::size_t>(lines.integer_at(10, kListLength, "number of process grids"));
  const auto rows = lines.integers(11, count, kGridSide, "Ps");
  const auto columns = lines.integers(12, count, kGridSide, "Qs");
  std::vector<Grid> grids;
  for (std::size_t i = 0; i < count; ++i) {
    grids.push_back({static_cast<int>(rows[i]), static_cast<int>(columns[i])});
  }
  return grids;
}

/// The lists of lines 14 to 25 multiplied out, in the order in which HPL nests them.
std::vector<HplMethod> read_methods(Lines& lines) {
  const auto panels = lines.list(15, kOneOfThree, "PFACTs");
  const auto stops = lines.list(17, kOrder, "NBMINs");
  const auto parts = lines.list(19, {2, 64}, "NDIVs");
  const auto recursions = lines.list(21, kOneOfThree, "RFACTs");
  const auto broadcasts = lines.list(23, kOneOfSix, "BCASTs");
  const auto depths = lines.list(25, {0, 16}, "DEPTHs");
  HplMethod common;
  common.swap = static_cast<RowSwap>(lines.integer_at(26, kOneOfThree, "SWAP"));
  common.swap_threshold =
      static_cast<std::uint64_t>(lines.integer_at(27, {0, kOrder.most}, "swapping threshold"));
  common.lower_transposed = lines.integer_at(28, kSwitch, "form of L1") == 0;
  common.upper_transposed = lines.integer_at(29, kSwitch, "form of U") == 0;
  common.equilibrate = lines.integer_at(30, kSwitch, "equilibration") == 1;
  common.alignment = static_cast<std::uint64_t>(lines.integer_at(31, {1, 1 << 20}, "memory alignment"));

  std::vector<HplMethod> methods = {common};
  const auto multiply = [&methods](const std::vector<std::int64_t>& values, auto set) {
    std::vector<HplMethod> all;
    for (const HplMethod& base : methods) {
      for (const std::int64_t value : values) set(all.emplace_back(base), value);
    }
    methods = std::move(all);
  };
  multiply(depths, [](HplMethod& to, std::int64_t value) { to.look_ahead = static_cast<int>(value); });
  multiply(broadcasts,
           [](HplMethod& to, std::int64_t value) { to.broadcast = static_cast<PanelBroadcast>(value); });
  multiply(recursions,
           [](HplMethod& to, std::int64_t value) { to.recursion = static_cast<PanelFactorization>(value); });
  multiply(parts,
           [](HplMethod& to, std::int64_t value) { to.recursion_parts = static_cast<std::uint64_t>(value); });
  multiply(stops,
           [](HplMethod& to, std::int64_t value) { to.recursion_stop = static_cast<std::uint64_t>(value); });
  multiply(panels,
           [](HplMethod& to, std::int64_t value) { to.panel = static_cast<PanelFactorization>(value); });
  return methods;
}

}  // namespace

Result<Input> parse_hpccinf(std::string_view text) {
  Lines lines(text);
  if (!lines.has(kLastHplLine)) {
    std::size_t count = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
    return Error{"usage", "the file ends after " + std::to_string(count) + " lines",
                 "it must have the 31 lines of an HPL input at least"};
  }
  Input input;
  input.n = unsigned_of(lines.list(6, kOrder, "Ns"));
  input.nb = unsigned_of(lines.list(8, kOrder, "NBs"));
  input.order =
      lines.integer_at(9, kSwitch, "process mapping") == 0 ? RankOrder::kRowMajor : RankOrder::kColumnMajor;
  input.grids = read_grids(lines);
  input.residual_threshold = lines.real_at(13, "threshold");
  input.methods = read_methods(lines);
  if (lines.has(33))
    input.ptrans_n = unsigned_of(lines.list(34, kOrder, "values of N for PTRANS", kListOrNone));
  if (lines.has(35)) {
    input.ptrans_nb = unsigned_of(lines.list(36, kOrder, "values of NB for PTRANS", kListOrNone));
  }
  if (lines.complaint()) return *lines.complaint();
  return input;
}

Result<Input> read_hpccinf(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (!file || !(text << file.rdbuf())) {
    return Error{"usage", path + " cannot be read", "name a file of the form of hpccinf.txt with --input"};
  }
  Result<Input> input = parse_hpccinf(text.str());
  if (!input) return Error{input.error().code, path + ": " + input.error().what, input.error().next};
  return input;
}

}  // namespace groma::hpcc
