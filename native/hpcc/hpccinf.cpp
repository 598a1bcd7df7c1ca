#include "hpcc/hpccinf.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <optional>
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
constexpr std::int64_t kMaxRanks = 1 << 24;
constexpr Bounds kListLength = {1, 64};  // HPCC takes 20
constexpr Bounds kListOrNone = {0, 64};

constexpr std::size_t kLastHplLine = 31;
constexpr std::size_t kSeparatorLine = 32;
constexpr std::size_t kLongestShown = 24;        ///< characters of what was found
constexpr std::size_t kLongestFile = 1U << 20U;  ///< a real one has 2 KiB
constexpr std::string_view kSpace = " \t\r\v\f";

constexpr const char* kRemedy = "correct it, or give the sizes with -N, --nb and --grid";

/// A word as it can be shown in one line of a terminal.
std::string quoted(std::string_view word) {
  std::string shown = "'";
  for (const char character : word.substr(0, kLongestShown)) {
    shown += character >= ' ' && character <= '~' ? character : '?';
  }
  return shown + (word.size() > kLongestShown ? "...'" : "'");
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return lines;
}

/// Takes the next word off the front of a line; empty at its end.
std::string_view next_word(std::string_view& line) {
  line.remove_prefix(std::min(line.find_first_not_of(kSpace), line.size()));
  const std::string_view word = line.substr(0, line.find_first_of(kSpace));
  line.remove_prefix(word.size());
  return word;
}

/// What may stand directly behind the last value of a line, as in 900Ns: two letters at least, for 2e3 and 2k
/// are other numbers.
bool is_comment(std::string_view text) {
  const auto is_letter = [](char one) { return (one >= 'a' && one <= 'z') || (one >= 'A' && one <= 'Z'); };
  return text.size() >= 2 && is_letter(text[0]) && is_letter(text[1]);
}

template <class Number>
std::optional<Number> number_in(std::string_view word, bool is_last) {
  if (word.starts_with('+')) word.remove_prefix(1);
  Number value{};
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc()) return std::nullopt;
  word.remove_prefix(static_cast<std::size_t>(end - word.data()));
  if (!word.empty() && !(is_last && is_comment(word))) return std::nullopt;
  return value;
}

/// Reads numbered lines and keeps the first complaint.
class Lines {
 public:
  explicit Lines(std::string_view text) : lines_(lines_of(text)) {}

  [[nodiscard]] const std::optional<Error>& complaint() const { return complaint_; }
  [[nodiscard]] std::size_t count() const { return lines_.size(); }
  /// The last line that is not blank; editors leave blank ones behind it.
  [[nodiscard]] std::size_t last_written() const {
    const auto is_written = [](std::string_view line) { return line.find_first_not_of(kSpace) != line.npos; };
    return static_cast<std::size_t>(std::find_if(lines_.rbegin(), lines_.rend(), is_written).base() -
                                    lines_.begin());
  }

  /// The first `count` numbers of a line.
  std::vector<std::int64_t> integers(std::size_t number, std::size_t count, const Bounds& bounds,
                                     std::string_view what) {
    std::vector<std::int64_t> values;
    std::string_view line = text_of(number);
    while (values.size() < count) {
      const std::string_view word = next_word(line);
      const auto value = number_in<std::int64_t>(word, values.size() + 1 == count);
      if (!value || *value < bounds.least || *value > bounds.most) {
        refuse(number, what, found(number, word, values.size(), count), expected(bounds, count));
        return std::vector<std::int64_t>(count, bounds.least);
      }
      values.push_back(*value);
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

  double positive_at(std::size_t number, std::string_view what) {
    std::string_view line = text_of(number);
    const std::string_view word = next_word(line);
    const auto value = number_in<double>(word, true);
    if (value && *value > 0.0 && *value < 1e300) return *value;
    refuse(number, what, found(number, word, 0, 1), "a positive number such as 16.0 is expected");
    return 1.0;
  }

  /// Keeps a complaint about a line, the first of all.
  void refuse(std::size_t number, std::string_view what, const std::string& found,
              const std::string& expected) {
    if (complaint_) return;
    complaint_ = Error{
        "usage",
        "line " + std::to_string(number) + " (" + std::string(what) + "): " + found + ", but " + expected,
        kRemedy};
  }

 private:
  [[nodiscard]] std::string_view text_of(std::size_t number) const {
    return number <= lines_.size() ? lines_[number - 1] : std::string_view();
  }

  [[nodiscard]] std::string found(std::size_t number, std::string_view word, std::size_t read,
                                  std::size_t count) const {
    if (number > lines_.size()) return "the file ends before it";
    std::string what = word.empty() ? "the line ends" : "found " + quoted(word);
    if (read == 0) return what;
    return what + " after " + std::to_string(read) + " of " + std::to_string(count) + " values";
  }

  static std::string expected(const Bounds& bounds, std::size_t count) {
    const std::string from = " from " + std::to_string(bounds.least) + " to " + std::to_string(bounds.most);
    if (count == 1) return "a whole number" + from + " is expected";
    return std::to_string(count) + " whole numbers" + from + " are expected";
  }

  std::vector<std::string_view> lines_;
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
    if (rows[i] * columns[i] > kMaxRanks) {
      lines.refuse(12, "Qs", "P times Q is " + std::to_string(rows[i] * columns[i]),
                   "a smaller grid is expected");
      return {};
    }
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

  const std::size_t count =
      panels.size() * stops.size() * parts.size() * recursions.size() * broadcasts.size() * depths.size();
  if (count > kMaxHplCases) {
    lines.refuse(14, "lists of methods", "they multiply to " + std::to_string(count) + " ways",
                 "at most " + std::to_string(kMaxHplCases) + " are expected");
    return {};
  }
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
  if (text.find('\0') != std::string_view::npos) {
    return Error{"usage", "it is not a text file with the 36 lines of an hpccinf.txt", kRemedy};
  }
  Lines lines(text);
  if (lines.count() < kLastHplLine) {
    return Error{"usage",
                 "it ends after line " + std::to_string(lines.count()) +
                     "; expected 36 lines, or the 31 lines of an HPL.dat",
                 kRemedy};
  }
  Input input;
  input.n = unsigned_of(lines.list(6, kOrder, "Ns"));
  input.nb = unsigned_of(lines.list(8, kOrder, "NBs"));
  input.order = lines.integer_at(9, kSwitch, "PMAP") == 0 ? RankOrder::kRowMajor : RankOrder::kColumnMajor;
  input.grids = read_grids(lines);
  input.residual_threshold = lines.positive_at(13, "threshold");
  input.methods = read_methods(lines);
  if (lines.last_written() > kSeparatorLine) {
    input.ptrans_n = unsigned_of(lines.list(34, kOrder, "Ns for PTRANS", kListOrNone));
    input.ptrans_nb = unsigned_of(lines.list(36, kOrder, "NBs for PTRANS", kListOrNone));
  }
  if (lines.complaint()) return *lines.complaint();
  return input;
}

Result<std::string> read_input_text(const std::string& path) {
  const auto refuse = [&path](const std::string& why) {
    return Error{"usage", path + ": " + why, "give --input a file in the format of hpccinf.txt"};
  };
  std::error_code problem;
  if (std::filesystem::is_directory(path, problem)) return refuse("it is a folder");
  std::ifstream file(path, std::ios::binary);
  if (!file) return refuse("it cannot be read");
  std::string text(kLongestFile + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (file.bad()) return refuse("it cannot be read");
  text.resize(static_cast<std::size_t>(file.gcount()));
  if (text.size() > kLongestFile) return refuse("it is longer than 1 MiB");
  return text;
}

}  // namespace groma::hpcc
