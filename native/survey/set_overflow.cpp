#include "survey/set_overflow.hpp"

#include <algorithm>
#include <array>
#include <numeric>

namespace groma::survey {
namespace {

/// Enough lines of one first-level set that none of them stays in the first level.
constexpr std::size_t kMinSet = 40;
constexpr std::size_t kBatch = 16;
constexpr std::size_t kChunks = 16;
/// Overflow shows when a turn takes this many times a line's usual share longer than with another last line.
/// One more miss would already do, but true LRU makes all lines of the set miss.
constexpr double kExcess = 1.5;
constexpr std::size_t kMaxWays = 32;

LineSet without(const LineSet& set, std::size_t from, std::size_t count) {
  LineSet rest(set.begin(), set.begin() + static_cast<std::ptrdiff_t>(from));
  rest.insert(rest.end(), set.begin() + static_cast<std::ptrdiff_t>(std::min(from + count, set.size())),
              set.end());
  return rest;
}

bool contains(const LineSet& set, std::size_t line) {
  return std::find(set.begin(), set.end(), line) != set.end();
}

}  // namespace

OverflowSearch::OverflowSearch(std::size_t lines, TurnCost cost, std::function<bool()> give_up,
                               RandomStream random)
    : cost_(std::move(cost)), give_up_(std::move(give_up)), random_(random), candidates_(lines) {
  std::iota(candidates_.begin(), candidates_.end(), std::size_t{0});
  shuffle(std::span(candidates_), random_);
}

std::optional<std::size_t> OverflowSearch::count_ways() {
  auto overflow = grow();
  if (!overflow) return std::nullopt;
  shrink(*overflow);
  const LineSet found = competitors(*overflow);
  if (give_up_() || found.empty() || found.size() > kMaxWays) return std::nullopt;
  return found.size();
}

/// Batches are looked at line by line only where they cost more than their lines should.
std::optional<OverflowSearch::Overflow> OverflowSearch::grow() {
  LineSet set;
  double before = 0.0;
  const std::size_t most = candidates_.size() / 4 * 3;  // the rest stays for comparison
  for (std::size_t at = 0; at + kBatch <= most && !give_up_(); at += kBatch) {
    const std::span<const std::size_t> batch(&candidates_[at], kBatch);
    LineSet grown = set;
    grown.insert(grown.end(), batch.begin(), batch.end());
    const double after = quiet_cost(grown);
    const double share = after / static_cast<double>(grown.size());
    if (set.size() >= kMinSet && after - before > (kBatch + kExcess / 2) * share) {
      if (const auto last = first_overflow(set, batch)) return Overflow{set, *last};
    }
    set = std::move(grown);
    before = after;
  }
  return std::nullopt;
}

/// Adds the lines one after the other to `set`, up to the first one that overflows.
std::optional<std::size_t> OverflowSearch::first_overflow(LineSet& set, std::span<const std::size_t> added) {
  LineSet grown = set;
  for (const std::size_t line : added) {
    if (overflows(grown, line) && overflows(grown, line)) {
      set = std::move(grown);
      return line;
    }
    grown.push_back(line);
  }
  return std::nullopt;
}

void OverflowSearch::shrink(Overflow& overflow) {
  while (overflow.set.size() > kMinSet && !give_up_()) {
    const std::size_t chunk = std::max<std::size_t>(overflow.set.size() / kChunks, 1);
    if (!shrink_once(overflow, chunk)) return;
  }
}

/// Goes once through the chunks and takes out all that are not needed; false where none could be.
bool OverflowSearch::shrink_once(Overflow& overflow, std::size_t chunk) {
  const std::size_t before = overflow.set.size();
  for (std::size_t from = 0; from < overflow.set.size() && overflow.set.size() > kMinSet;) {
    LineSet smaller = without(overflow.set, from, chunk);
    if (!give_up_() && overflows(smaller, overflow.last)) {
      overflow.set = std::move(smaller);
    } else {
      from += chunk;
    }
  }
  return overflow.set.size() < before;
}

/// The lines without which the last one fits.
LineSet OverflowSearch::competitors(const Overflow& overflow) {
  LineSet found;
  if (!overflows(overflow.set, overflow.last)) return found;
  for (std::size_t i = 0; i < overflow.set.size() && !give_up_(); ++i) {
    const LineSet smaller = without(overflow.set, i, 1);
    // A single disturbed measurement must neither add nor lose a way.
    const int votes =
        (overflows(smaller, overflow.last) ? 1 : 0) + (overflows(smaller, overflow.last) ? 1 : 0);
    const bool needed = votes == 0 || (votes == 1 && !overflows(smaller, overflow.last));
    if (needed) found.push_back(overflow.set[i]);
  }
  return found;
}

/// Whether `last` makes the set slower than other lines in its place do. Everything else that grows with the
/// number of lines (translation, first-level misses) is the same for all of them.
bool OverflowSearch::overflows(const LineSet& set, std::size_t last) {
  std::array<double, 3> others{};
  for (double& other : others) other = cost_with(set, bystander(set, last));
  std::sort(others.begin(), others.end());
  const double usual = others[1];
  return cost_with(set, last) - usual > kExcess * usual / static_cast<double>(set.size() + 1);
}

/// The second smallest of four: noise adds, but the order of the turn is another each time and one may be
/// lucky.
double OverflowSearch::quiet_cost(const LineSet& set) {
  std::array<double, 4> costs{};
  for (double& cost : costs) cost = cost_(set);
  std::sort(costs.begin(), costs.end());
  return costs[1];
}

double OverflowSearch::cost_with(const LineSet& set, std::size_t last) {
  LineSet grown = set;
  grown.push_back(last);
  return quiet_cost(grown);
}

/// A candidate that is not in the set.
std::size_t OverflowSearch::bystander(const LineSet& set, std::size_t last) {
  for (;;) {
    const std::size_t line = candidates_[random_.below(candidates_.size())];
    if (line != last && !contains(set, line)) return line;
  }
}

}  // namespace groma::survey
