#include "map/problem.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>

namespace groma::map {
namespace {

constexpr std::size_t kMaxPlaces = std::size_t{1} << 20U;
constexpr std::size_t kMaxOfMatrix = 8192;

/// The words of one line, taken one after the other.
class Words {
 public:
  explicit Words(std::string_view line) : rest_(line) {}

  /// Empty at the end.
  std::string_view next() {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t\r"), rest_.size()));
    const std::string_view word = rest_.substr(0, rest_.find_first_of(" \t\r"));
    rest_.remove_prefix(word.size());
    return word;
  }

  template <class T>
  std::optional<T> number() {
    const std::string_view word = next();
    T value{};
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    const bool whole = error == std::errc() && end == word.data() + word.size() && !word.empty();
    return whole ? std::optional(value) : std::nullopt;
  }

  /// All that are left, as numbers; nothing where one is none.
  template <class T>
  std::optional<std::vector<T>> numbers() {
    std::vector<T> found;
    while (!is_at_end()) {
      const auto value = number<T>();
      if (!value) return std::nullopt;
      found.push_back(*value);
    }
    return found;
  }

  [[nodiscard]] bool is_at_end() const { return rest_.find_first_not_of(" \t\r") == std::string_view::npos; }

 private:
  std::string_view rest_;
};

class Lines {
 public:
  explicit Lines(std::string_view text) : rest_(text) {}

  std::optional<std::string_view> next() {
    if (rest_.empty()) return std::nullopt;
    ++number_;
    const std::string_view line = rest_.substr(0, rest_.find('\n'));
    rest_.remove_prefix(std::min(line.size() + 1, rest_.size()));
    return line;
  }

  [[nodiscard]] Error error(const std::string& what) const {
    return {"usage", "line " + std::to_string(number_) + " of the mapping problem: " + what,
            "groma-map help shows the format"};
  }

 private:
  std::string_view rest_;
  std::size_t number_ = 0;
};

bool is_distance(double value) {
  return std::isfinite(value) && value >= 0.0;
}

bool is_of_matrix(double value) {
  return value >= 0.0 && value <= Distances::kMost;
}

/// Lines may come in any order but those of a matrix, which follow theirs.
class Reader {
 public:
  explicit Reader(std::string_view text) : lines_(text) {}

  Result<Problem> read() {
    while (const auto line = lines_.next()) {
      Words words(*line);
      if (words.is_at_end()) continue;
      if (const Status status = take(words); !status) return status.error();
      if (!words.is_at_end()) return lines_.error("there is a word too many");
    }
    return finished();
  }

 private:
  Status take(Words& words) {
    const std::string_view key = words.next();
    if (key == "traffic") return take_traffic(words);
    if (key == "places") return take_places(words);
    if (key == "ranks") return kept(ranks_ = words.number<std::size_t>(), "ranks needs a number");
    if (key == "seed") return kept(seed_ = words.number<std::uint64_t>(), "seed needs a number");
    if (key == "allowed") return kept(allowed_ = words.numbers<Place>(), "allowed needs numbers of places");
    if (key == "start") return kept(start_ = words.numbers<Place>(), "start needs numbers of places");
    if (key == "objective") return take_objective(words);
    return lines_.error("unknown word " + std::string(key.substr(0, 40)));
  }

  template <class T>
  Status kept(const std::optional<T>& value, const char* what) const {
    if (!value) return lines_.error(what);
    return Done{};
  }

  Status take_traffic(Words& words) {
    const auto source = words.number<Rank>();
    const auto target = words.number<Rank>();
    const auto bytes = words.number<double>();
    if (!source || !target || !bytes || !is_distance(*bytes) || !words.is_at_end()) {
      return lines_.error("traffic needs two ranks and bytes");
    }
    most_ = std::max({most_, std::size_t{*source} + 1, std::size_t{*target} + 1});
    traffic_.push_back({*source, *target, *bytes});
    return Done{};
  }

  Status take_objective(Words& words) {
    const std::string_view name = words.next();
    if (name != "hop-bytes" && name != "congestion")
      return lines_.error("objective is hop-bytes or congestion");
    objective_ = name == "congestion" ? Objective::kCongestion : Objective::kHopBytes;
    return Done{};
  }

  Status take_places(Words& words) {
    const std::string_view kind = words.next();
    if (kind == "torus" || kind == "mesh") return take_lattice(words, kind == "torus");
    if (kind == "tree") return take_tree(words);
    if (kind == "matrix") return take_matrix(words);
    return lines_.error("places are a torus, mesh, tree or matrix");
  }

  Status take_lattice(Words& words, bool closed) {
    auto extents = words.numbers<std::uint32_t>();
    if (!extents || !fits(*extents)) return lines_.error("these are not extents of a lattice");
    target_.emplace(Lattice(std::move(*extents), closed));
    return Done{};
  }

  Status take_tree(Words& words) {
    std::vector<std::uint32_t> arities;
    for (std::string_view word = words.next(); !word.empty() && word != "costs"; word = words.next()) {
      const auto arity = Words(word).number<std::uint32_t>();
      if (!arity) return lines_.error("these are not arities of a tree");
      arities.push_back(*arity);
    }
    auto costs = words.numbers<double>();
    if (!costs) return lines_.error("costs of a tree are numbers");
    if (costs->empty()) {
      for (std::size_t level = arities.size(); level > 0; --level)
        costs->push_back(2.0 * static_cast<double>(level));
    }
    if (!fits(arities) || costs->size() != arities.size() || !std::ranges::all_of(*costs, is_distance)) {
      return lines_.error("a tree needs arities and as many costs");
    }
    target_.emplace(Tree(std::move(arities), std::move(*costs)));
    return Done{};
  }

  Status take_matrix(Words& words) {
    const auto size = words.number<std::size_t>();
    if (!size || *size < 1 || *size > kMaxOfMatrix || !words.is_at_end())
      return lines_.error("a matrix needs its number of places");
    std::vector<double> rows;
    for (std::size_t row = 0; row < *size; ++row) {
      const auto line = lines_.next();
      const auto values = line ? Words(*line).numbers<double>() : std::nullopt;
      if (!values || values->size() != *size || !std::ranges::all_of(*values, is_of_matrix)) {
        return lines_.error("a row of the matrix needs " + std::to_string(*size) + " distances");
      }
      rows.insert(rows.end(), values->begin(), values->end());
    }
    target_.emplace(Distances(*size, rows));
    return Done{};
  }

  static bool fits(const std::vector<std::uint32_t>& factors) {
    std::size_t product = 1;
    for (const std::uint32_t factor : factors) {
      if (factor < 1 || product > kMaxPlaces / factor) return false;
      product *= factor;
    }
    return !factors.empty();
  }

  Result<Problem> finished() {
    if (!target_) return lines_.error("there is no line of places");
    if (objective_ == Objective::kCongestion && std::holds_alternative<Distances>(*target_)) {
      return lines_.error("a matrix of distances has no links, so that nothing is known of congestion");
    }
    const std::size_t places = places_of(*target_);
    if (!allowed_) {
      allowed_.emplace(places);
      std::iota(allowed_->begin(), allowed_->end(), Place{0});
    }
    std::ranges::sort(*allowed_);
    const std::size_t ranks = ranks_.value_or(most_);
    if (ranks < 1 || most_ > ranks) return lines_.error("traffic names a rank that is not there");
    if (!are_places(*allowed_, places) || allowed_->size() < ranks) {
      return lines_.error("there are not as many allowed places as ranks");
    }
    if (!has_countable_costs()) return lines_.error("bytes times distances are beyond all numbers");
    if (start_ && !is_start(ranks)) return lines_.error("start does not give each rank a place of its own");
    return Problem{std::move(*target_), std::move(*allowed_),       TrafficGraph(ranks, traffic_),
                   objective_,          seed_.value_or(kUsualSeed), std::move(start_)};
  }

  /// Searches add and compare costs: no sum of them may overflow.
  [[nodiscard]] bool has_countable_costs() const {
    constexpr double kMost = 1e300;
    double bytes = 0.0;
    for (const Traffic& one : traffic_) bytes += one.bytes;
    return bytes * std::max(diameter_of(*target_), 1.0) <= kMost;
  }

  static bool are_places(const std::vector<Place>& sorted, std::size_t places) {
    return std::ranges::adjacent_find(sorted) == sorted.end() && !sorted.empty() && sorted.back() < places;
  }

  [[nodiscard]] bool is_start(std::size_t ranks) const {
    std::vector<Place> sorted = *start_;
    std::ranges::sort(sorted);
    return sorted.size() == ranks && std::ranges::adjacent_find(sorted) == sorted.end() &&
           std::ranges::includes(*allowed_, sorted);
  }

  static constexpr std::uint64_t kUsualSeed = 1;

  Lines lines_;
  std::optional<Target> target_;
  std::optional<std::vector<Place>> allowed_;
  std::optional<std::vector<Place>> start_;
  std::optional<std::size_t> ranks_;
  std::optional<std::uint64_t> seed_;
  std::vector<Traffic> traffic_;
  std::size_t most_ = 0;
  Objective objective_ = Objective::kHopBytes;
};

}  // namespace

Result<Problem> parse_problem(std::string_view text) {
  return Reader(text).read();
}

}  // namespace groma::map
