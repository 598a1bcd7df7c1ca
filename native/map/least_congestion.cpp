#include "map/least_congestion.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>
#include <utility>

#include "map/congestion.hpp"
#include "map/routes.hpp"

namespace groma::map {
namespace {

constexpr std::size_t kMostWork = 60'000'000;  ///< numbers that are looked at
constexpr double kRounding = 1e-9;             ///< relative: loads that differ by less are equal

constexpr Place kNowhere = std::numeric_limits<Place>::max();

enum class Way : std::uint8_t { kSent, kReceived };

double bytes_of(const Arc& arc, Way way) {
  return way == Way::kSent ? arc.sent : arc.bytes - arc.sent;
}

// ---- bounds for any mapping ----

/// Links by which the messages of one place can leave it.
std::size_t ports_of(const Lattice& lattice) {
  std::size_t ports = 0;
  for (const std::uint32_t extent : lattice.extents()) ports += std::min<std::size_t>(extent - 1, 2);
  return std::max<std::size_t>(ports, 1);
}

std::size_t ports_of(const Tree&) {
  return 1;
}

/// Each message takes one of the ports: the largest ones share a port where they are more than these.
double least_of_ports(std::vector<double> messages, std::size_t ports) {
  std::ranges::sort(messages, std::greater<>());
  const double all = std::accumulate(messages.begin(), messages.end(), 0.0);
  double least = messages.empty() ? 0.0 : std::max(messages.front(), all / static_cast<double>(ports));
  if (messages.size() > ports) least = std::max(least, messages[ports - 1] + messages[ports]);
  return least;
}

/// The rank that sends or receives most keeps its own links busy, wherever it is.
double least_of_ranks(const TrafficGraph& graph, std::size_t ports) {
  double least = 0.0;
  for (Rank rank = 0; rank < graph.ranks(); ++rank) {
    for (const Way way : {Way::kSent, Way::kReceived}) {
      std::vector<double> messages;
      for (const Arc& arc : graph.arcs(rank)) messages.push_back(bytes_of(arc, way));
      least = std::max(least, least_of_ports(std::move(messages), ports));
    }
  }
  return least;
}

/// Links that any route takes.
std::size_t used_links(const Lattice& lattice) {
  std::size_t links = 0;
  for (const std::uint32_t extent : lattice.extents()) {
    const std::size_t lines = lattice.places() / extent;
    links += lattice.closed() && extent > 2 ? 2 * lattice.places()
             : lattice.closed()             ? lines * extent * (extent - 1)
                                            : 2 * lines * (extent - 1);
  }
  return links;
}

/// Of all places, how far the nearest other one is, the second nearest, and so on.
std::vector<double> nearest_distances(const Lattice& lattice) {
  std::vector<double> least(lattice.places() - 1, std::numeric_limits<double>::infinity());
  for (Place place = 0; place < lattice.places(); ++place) {
    std::vector<double> distances;
    for (Place other = 0; other < lattice.places(); ++other) {
      if (other != place) distances.push_back(lattice.distance(place, other));
    }
    std::ranges::sort(distances);
    std::ranges::transform(least, distances, least.begin(),
                           [](double x, double y) { return std::min(x, y); });
  }
  return least;
}

/// What all links carry on the average where each rank has its heaviest partners as near as places are.
double least_on_average(const Lattice& lattice, const TrafficGraph& graph) {
  const std::size_t links = used_links(lattice);
  if (links == 0) return 0.0;
  const std::vector<double> nearest = nearest_distances(lattice);
  double hop_bytes = 0.0;
  for (Rank rank = 0; rank < graph.ranks(); ++rank) {
    std::vector<double> bytes;
    for (const Arc& arc : graph.arcs(rank)) bytes.push_back(arc.bytes);
    std::ranges::sort(bytes, std::greater<>());
    hop_bytes += std::inner_product(bytes.begin(), bytes.end(), nearest.begin(), 0.0) / 2.0;
  }
  return hop_bytes / static_cast<double>(links);
}

double least_on_average(const Tree&, const TrafficGraph&) {
  return 0.0;  // the links of places carry more than that
}

// ---- alike places ----

/// Places of which a search needs to try only the first: what is left of the machine looks the same from all.
class AlikePlaces {
 public:
  AlikePlaces(const Lattice& lattice, const std::vector<Place>& allowed)
      : is_whole_torus_(lattice.closed() && allowed.size() == lattice.places()) {}

  /// Moving everything along a torus changes no load, so the first rank may be anywhere.
  [[nodiscard]] bool has_earlier(Place place, const std::vector<bool>& /*is_used*/,
                                 std::size_t placed) const {
    return is_whole_torus_ && placed == 0 && place != 0;
  }

 private:
  bool is_whole_torus_;
};

/// Switches without ranks below the same switch can be exchanged, if the same of their places are allowed.
class AlikeBranches {
 public:
  AlikeBranches(const Tree& tree, const std::vector<Place>& allowed)
      : tree_(tree), is_allowed_(tree.places(), false) {
    for (const Place place : allowed) is_allowed_[place] = true;
  }

  [[nodiscard]] bool has_earlier(Place place, const std::vector<bool>& is_used,
                                 std::size_t /*placed*/) const {
    for (std::size_t level = 0; level < tree_.arities().size(); ++level) {
      const std::uint32_t size = level + 1 < tree_.arities().size() ? tree_.below(level + 1) : 1;
      const Place own = place / size * size;
      if (!is_empty(own, size, is_used)) continue;
      for (Place other = place / tree_.below(level) * tree_.below(level); other < own; other += size) {
        if (is_empty(other, size, is_used) && are_alike(own, other, size)) return true;
      }
    }
    return false;
  }

 private:
  static bool is_empty(Place first, std::uint32_t size, const std::vector<bool>& is_used) {
    const auto begin = is_used.begin() + first;
    return std::none_of(begin, begin + size, [](bool one) { return one; });
  }

  [[nodiscard]] bool are_alike(Place one, Place other, std::uint32_t size) const {
    const auto begin = is_allowed_.begin() + one;
    return std::equal(begin, begin + size, is_allowed_.begin() + other);
  }

  const Tree& tree_;
  std::vector<bool> is_allowed_;
};

AlikePlaces alike_places(const Lattice& lattice, const std::vector<Place>& allowed) {
  return {lattice, allowed};
}

AlikeBranches alike_places(const Tree& tree, const std::vector<Place>& allowed) {
  return {tree, allowed};
}

// ---- links that ranks share ----

/// Links that together part some places from all others: what these places send to, or receive from, ranks
/// that are not among them crosses one of the links.
struct Cut {
  std::vector<Place> inside;
  std::vector<std::size_t> leaving;
  std::vector<std::size_t> entering;
};

std::vector<std::size_t> links_between(const Lattice& lattice, Place from, Place to) {
  std::vector<std::size_t> links;
  for_each_link(lattice, from, to, [&](std::size_t link) { links.push_back(link); });
  return links;
}

std::vector<Cut> cuts_of(const Lattice& lattice) {
  std::vector<Cut> cuts;
  for (Place place = 0; place < lattice.places(); ++place) {
    Cut cut{{place}, {}, {}};
    for (const Place other : lattice.neighbours(place)) {
      for (const std::size_t link : links_between(lattice, place, other)) cut.leaving.push_back(link);
      for (const std::size_t link : links_between(lattice, other, place)) cut.entering.push_back(link);
    }
    cuts.push_back(std::move(cut));
  }
  return cuts;
}

std::vector<Cut> cuts_of(const Tree& tree) {
  std::vector<Cut> cuts;
  const std::size_t half = links_of(tree) / 2;
  std::size_t first = 0;
  for (std::size_t level = 1; level <= tree.arities().size(); ++level) {
    const std::uint32_t below = level < tree.arities().size() ? tree.below(level) : 1;
    for (std::size_t one = 0; one < tree.places() / below; ++one) {
      std::vector<Place> inside(below);
      std::iota(inside.begin(), inside.end(), static_cast<Place>(one * below));
      cuts.push_back({std::move(inside), {first + one}, {half + first + one}});
    }
    first += tree.places() / below;
  }
  return cuts;
}

// ---- search ----

/// Whether exchanging two ranks leaves the traffic as it is.
bool are_twins(const std::vector<std::vector<double>>& sent, std::size_t one, std::size_t other) {
  if (sent[one][other] != sent[other][one]) return false;
  for (std::size_t third = 0; third < sent.size(); ++third) {
    if (third == one || third == other) continue;
    if (sent[one][third] != sent[other][third] || sent[third][one] != sent[third][other]) return false;
  }
  return true;
}

/// Ranks with traffic, each time the one that exchanges most with those before it.
std::vector<Rank> heaviest_first(const TrafficGraph& graph) {
  std::vector<double> own(graph.ranks(), 0.0);
  std::vector<Rank> rest;
  for (Rank rank = 0; rank < graph.ranks(); ++rank) {
    for (const Arc& arc : graph.arcs(rank)) own[rank] += arc.bytes;
    if (!graph.arcs(rank).empty()) rest.push_back(rank);
  }
  std::vector<double> to_ordered(graph.ranks(), 0.0);
  std::vector<Rank> order;
  while (!rest.empty()) {
    const auto next =
        std::ranges::max_element(rest, {}, [&](Rank rank) { return std::pair(to_ordered[rank], own[rank]); });
    order.push_back(*next);
    for (const Arc& arc : graph.arcs(*next)) to_ordered[arc.to] += arc.bytes;
    rest.erase(next);
  }
  return order;
}

/// Depth first, rank after rank. Loads only grow as ranks are placed, so a part of a mapping whose links
/// carry too much, or must carry it to ranks that are not placed, is left. Of mappings that differ by an
/// exchange of alike places or ranks, only the first one in the order of places is visited.
template <class Routed>
class Search {
 public:
  Search(const Routed& target, const TrafficGraph& graph, const std::vector<Place>& allowed, double known)
      : target_(target),
        allowed_(allowed),
        alike_(alike_places(target, allowed)),
        cuts_(cuts_of(target)),
        order_(heaviest_first(graph)),
        sent_(order_.size(), std::vector<double>(order_.size(), 0.0)),
        least_(known),
        loads_(links_of(target), 0.0),
        places_(order_.size(), kNowhere),
        at_(target.places(), kEmpty),
        is_used_(target.places(), false),
        is_allowed_(target.places(), false) {
    std::vector<std::size_t> number(graph.ranks(), 0);
    for (std::size_t one = 0; one < order_.size(); ++one) number[order_[one]] = one;
    for (std::size_t one = 0; one < order_.size(); ++one) {
      for (const Arc& arc : graph.arcs(order_[one])) sent_[one][number[arc.to]] = arc.sent;
    }
    for (const Place place : allowed) is_allowed_[place] = true;
    for (std::size_t one = 0; one < order_.size(); ++one) twin_before_.push_back(twin_before(one));
    twins_after_.assign(order_.size(), 0);
    for (std::size_t one = order_.size(); one-- > 0;) {
      if (twin_before_[one] != kEmpty) twins_after_[twin_before_[one]] = twins_after_[one] + 1;
    }
  }

  /// False where the work is too much. No mapping is calmer than `enough`, so one that is as calm ends it.
  bool run(double enough) {
    enough_ = enough;
    visit(0);
    return work_ <= kMostWork;
  }

  [[nodiscard]] double least() const { return least_; }
  [[nodiscard]] const std::vector<Rank>& order() const { return order_; }
  /// A place for each rank of `order`, calmer than what was known; empty if there is none.
  [[nodiscard]] const std::vector<Place>& better() const { return better_; }

 private:
  static constexpr std::size_t kEmpty = std::numeric_limits<std::size_t>::max();

  /// What a link carried before a rank was placed.
  struct Before {
    std::size_t link;
    double load;
  };

  struct Child {
    double busiest;
    Place place;
  };

  [[nodiscard]] std::size_t twin_before(std::size_t one) const {
    for (std::size_t other = one; other-- > 0;) {
      if (are_twins(sent_, one, other)) return other;
    }
    return kEmpty;
  }

  void visit(std::size_t one) {
    if (one == order_.size()) {
      least_ = *std::ranges::max_element(loads_);
      better_ = places_;
      return;
    }
    for (const Child& child : children(one)) {
      if (work_ > kMostWork || least_ <= enough_ * (1.0 + kRounding)) return;
      if (child.busiest >= limit()) return;
      const std::size_t mark = journal_.size();
      put(one, child.place);
      visit(one + 1);
      take_back(one, mark);
    }
  }

  /// The calmest first.
  std::vector<Child> children(std::size_t one) {
    std::vector<Child> found;
    for (const Place place : allowed_) {
      if (is_used_[place] || has_earlier(one, place)) continue;
      const std::size_t mark = journal_.size();
      const double busiest = put(one, place);
      const double least = busiest < limit() ? std::max(busiest, least_of_cuts(one + 1)) : busiest;
      if (least < limit()) found.push_back({least, place});
      take_back(one, mark);
    }
    std::ranges::sort(found, {}, [](const Child& child) { return std::pair(child.busiest, child.place); });
    return found;
  }

  [[nodiscard]] bool has_earlier(std::size_t one, Place place) {
    const std::size_t twin = twin_before_[one];
    if (twin != kEmpty && places_[twin] > place) return true;
    work_ += target_.places();
    if (free_after(place) < twins_after_[one]) return true;
    return alike_.has_earlier(place, is_used_, one);
  }

  /// Where twins can go that come later.
  [[nodiscard]] std::size_t free_after(Place place) const {
    const auto first = std::ranges::upper_bound(allowed_, place);
    const auto count = std::count_if(first, allowed_.end(), [&](Place one) { return !is_used_[one]; });
    return static_cast<std::size_t>(count);
  }

  /// Places a rank, and returns the largest load of a link that it uses.
  double put(std::size_t one, Place place) {
    places_[one] = place;
    at_[place] = one;
    is_used_[place] = true;
    double busiest = 0.0;
    const auto carry = [&](Place from, Place to, double bytes) {
      if (bytes <= 0.0) return;
      for_each_link(target_, from, to, [&](std::size_t link) {
        journal_.push_back({link, loads_[link]});
        loads_[link] += bytes;
        busiest = std::max(busiest, loads_[link]);
        ++work_;
      });
    };
    for (std::size_t other = 0; other < one; ++other) {
      carry(place, places_[other], sent_[one][other]);
      carry(places_[other], place, sent_[other][one]);
    }
    work_ += one;
    return busiest;
  }

  void take_back(std::size_t one, std::size_t mark) {
    for (; journal_.size() > mark; journal_.pop_back()) loads_[journal_.back().link] = journal_.back().load;
    is_used_[places_[one]] = false;
    at_[places_[one]] = kEmpty;
    places_[one] = kNowhere;
  }

  /// What the busiest link carries at the least once the ranks from `first` on are placed as well.
  double least_of_cuts(std::size_t first) {
    double least = 0.0;
    for (const Cut& cut : cuts_) {
      least = std::max(least, least_across(cut.leaving, waiting(cut, first, Way::kSent)));
      least = std::max(least, least_across(cut.entering, waiting(cut, first, Way::kReceived)));
      if (least >= limit()) break;
    }
    return least;
  }

  double least_across(const std::vector<std::size_t>& links, double waiting) const {
    double sum = waiting;
    for (const std::size_t link : links) sum += loads_[link];
    return links.empty() ? 0.0 : sum / static_cast<double>(links.size());
  }

  /// Bytes between ranks inside a cut and those that are not placed, less the most that can come inside.
  double waiting(const Cut& cut, std::size_t first, Way way) {
    std::vector<double> outside(order_.size() - first, 0.0);
    std::size_t free = 0;
    for (const Place place : cut.inside) {
      if (at_[place] == kEmpty) {
        free += is_allowed_[place] ? 1 : 0;
        continue;
      }
      for (std::size_t other = first; other < order_.size(); ++other) {
        outside[other - first] += way == Way::kSent ? sent_[at_[place]][other] : sent_[other][at_[place]];
      }
    }
    work_ += cut.inside.size() + outside.size();
    if (free >= outside.size()) return 0.0;
    std::ranges::sort(outside);
    return std::accumulate(outside.begin(), outside.end() - static_cast<std::ptrdiff_t>(free), 0.0);
  }

  /// Mappings that are as busy are not worth a visit.
  [[nodiscard]] double limit() const { return least_ * (1.0 - kRounding); }

  using Alike = decltype(alike_places(std::declval<const Routed&>(), {}));

  const Routed& target_;
  const std::vector<Place>& allowed_;
  Alike alike_;
  std::vector<Cut> cuts_;
  std::vector<Rank> order_;
  std::vector<std::vector<double>> sent_;  ///< between ranks by their number in the order
  std::vector<std::size_t> twin_before_;
  std::vector<std::size_t> twins_after_;
  double least_;
  double enough_ = 0.0;
  std::vector<double> loads_;
  std::vector<Place> places_;
  std::vector<Place> better_;
  std::vector<std::size_t> at_;
  std::vector<bool> is_used_;
  std::vector<bool> is_allowed_;
  std::vector<Before> journal_;
  std::size_t work_ = 0;
};

std::size_t ranks_with_traffic(const TrafficGraph& graph) {
  std::size_t count = 0;
  for (Rank rank = 0; rank < graph.ranks(); ++rank) count += graph.arcs(rank).empty() ? 0 : 1;
  return count;
}

/// Ranks without traffic get the places that are left.
Mapping completed(const std::vector<Rank>& order, const std::vector<Place>& places, std::size_t ranks,
                  const std::vector<Place>& allowed) {
  Mapping mapping(ranks, kNowhere);
  for (std::size_t one = 0; one < order.size(); ++one) mapping[order[one]] = places[one];
  auto next = allowed.begin();
  for (Place& place : mapping) {
    if (place != kNowhere) continue;
    while (std::ranges::find(places, *next) != places.end()) ++next;
    place = *next++;
  }
  return mapping;
}

template <class Routed>
LeastCongestion searched(const Routed& target, const TrafficGraph& graph, const std::vector<Place>& allowed,
                         const Mapping& known) {
  constexpr std::size_t kMostPlaces = 4096;
  const double busiest = busiest_link(target, graph, known);
  double at_least = least_of_ranks(graph, ports_of(target));
  if (target.places() <= kMostPlaces) at_least = std::max(at_least, least_on_average(target, graph));
  if (busiest <= at_least * (1.0 + kRounding)) return {known, busiest};
  if (ranks_with_traffic(graph) > kMostRanksOfProof || target.places() > kMostPlaces)
    return {known, at_least};
  Search search(target, graph, allowed, busiest);
  const bool is_proven = search.run(at_least);
  Mapping mapping =
      search.better().empty() ? known : completed(search.order(), search.better(), graph.ranks(), allowed);
  return {std::move(mapping), is_proven ? search.least() : at_least};
}

}  // namespace

LeastCongestion least_congestion(const Lattice& target, const TrafficGraph& graph,
                                 const std::vector<Place>& allowed, const Mapping& known) {
  return searched(target, graph, allowed, known);
}

LeastCongestion least_congestion(const Tree& target, const TrafficGraph& graph,
                                 const std::vector<Place>& allowed, const Mapping& known) {
  return searched(target, graph, allowed, known);
}

}  // namespace groma::map
