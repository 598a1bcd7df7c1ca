// What an algorithm of MPI RandomAccess is: a row of data with a function that makes it. Each registers
// itself in its own file; none is listed anywhere.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/registry.hpp"
#include "base/result.hpp"
#include "mpi/communicator.hpp"
#include "randomaccess/activity.hpp"
#include "randomaccess/partition.hpp"
#include "randomaccess/stream.hpp"

namespace groma::randomaccess {

/// What an algorithm works on. It outlives the updater made of it.
struct Setup {
  const mpi::Communicator& world;
  const Partition& workers;        ///< `threads` neighbouring parts for each rank
  std::span<std::uint64_t> table;  ///< the words of this rank
  Generator generator;
  std::uint64_t threads = 1;         ///< of each rank
  std::uint64_t limit = kLookAhead;  ///< updates that this rank may hold
  OwnerRule owner = OwnerRule::kFastest;
  std::vector<int> grid = {};  ///< Algorithm::grid of the site
  /// The words of all ranks of this node, where they lie together in memory that those share; else empty.
  std::span<std::uint64_t> node_table = {};
  int routers = 0;  ///< Site::routers
};

/// An algorithm at work, with the memory that it needs.
class Updater {
 public:
  virtual ~Updater() = default;
  /// Collective: every rank brings its section, which may be empty; on return the words of this rank have all
  /// their updates.
  virtual void apply(Section section) = 0;
  /// Of this rank so far.
  [[nodiscard]] virtual Activity activity() const = 0;
  /// What this rank does where ranks differ, such as "route y"; empty where all do the same.
  [[nodiscard]] virtual std::string role() const { return ""; }
};

/// What decides whether an algorithm can run, and how.
struct Site {
  int ranks;
  bool one_node;     ///< all ranks share memory
  int per_node = 0;  ///< neighbouring ranks on each node, where all nodes have as many; else 0
  std::uint64_t limit = kLookAhead;  ///< updates that a rank may hold
  std::vector<int> grid = {};        ///< as asked for; empty: the algorithm chooses
  bool table_of_node = false;        ///< ranks of a node share its table
  int routers = 0;  ///< ranks of a node that only route, as asked for; 0: the algorithm chooses
};

struct Algorithm {
  std::string_view name;
  int number;  ///< as reported in the summary; HPCC 1.5.0 has 0 to 2
  std::string_view what;
  std::string (*hindrance)(const Site& site);  ///< why it cannot run there; empty where it can
  int (*merit)(const Site& site);              ///< the greatest one is the default
  /// Collective; an error is the same on all ranks.
  Result<std::unique_ptr<Updater>> (*make)(const Setup& setup);
  /// Lengths of the grid that it routes along, the first dimension first; null where it takes none.
  std::vector<int> (*grid)(const Site& site) = nullptr;
  /// How many places its grid has; null: as many as there are ranks.
  int (*places)(const Site& site) = nullptr;
  bool has_routers = false;  ///< whether Site::routers means anything to it

  [[nodiscard]] bool can_run(const Site& site) const { return hindrance(site).empty(); }
  [[nodiscard]] std::vector<int> grid_on(const Site& site) const {
    return grid == nullptr ? std::vector<int>{} : grid(site);
  }
  [[nodiscard]] int places_on(const Site& site) const {
    return places == nullptr ? site.ranks : places(site);
  }
};

inline std::pair<int, std::string_view> key_of(const Algorithm& algorithm) {
  return {algorithm.number, algorithm.name};
}

using Algorithms = Registry<Algorithm>;
using AlgorithmRegistration = Algorithms::Registration;

/// Errors (usage): no algorithm has that name; the empty one leaves the choice.
Status known_algorithm(const std::string& name);

/// The one so called, or the best for the site where the name is empty. Errors (usage): an unknown name, one
/// that cannot run there, a grid that has not as many places as it routes between, a grid or a number of
/// routing ranks that the algorithm has no use for.
Result<const Algorithm*> choose_algorithm(const std::string& name, const Site& site);

/// Collective.
Site site_of(const mpi::Communicator& world);

/// "4x2"
std::string spelled(const std::vector<int>& grid);

}  // namespace groma::randomaccess
