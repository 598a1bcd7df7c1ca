// An algorithm of MPI RandomAccess: a row of data with a factory function. Each registers itself in its own
// file; there is no list to edit.
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
#include "randomaccess/look_ahead.hpp"
#include "randomaccess/partition.hpp"
#include "randomaccess/placement.hpp"
#include "randomaccess/stream.hpp"

namespace groma::randomaccess {

/// What an algorithm works on. It outlives the updater made of it.
struct Setup {
  const mpi::Communicator& world;
  const Partition& workers;        ///< `threads` neighbouring parts for each rank
  std::span<std::uint64_t> table;  ///< the words of this rank
  Generator generator;
  std::uint64_t threads = 1;  ///< of each rank
  Allowance limit = {};
  Placement placement = {};
  OwnerRule owner = OwnerRule::kFastest;
  std::vector<int> grid = {};  ///< Algorithm::grid of the site
  /// The words of all ranks of this node, where they lie together in memory that those share; else empty.
  std::span<std::uint64_t> node_table = {};
  int routers = 0;  ///< Site::routers

  /// Of this rank.
  [[nodiscard]] std::uint64_t first_worker() const {
    return static_cast<std::uint64_t>(world.rank()) * threads;
  }
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

/// The conditions under which an algorithm is to run.
struct Site {
  int ranks;
  bool one_node;     ///< all ranks share memory
  int per_node = 0;  ///< neighbouring ranks on each node, where all nodes have as many; else 0
  Allowance limit = {};
  Placement placement = {};
  std::vector<int> grid = {};  ///< as requested; empty: the algorithm chooses
  bool table_of_node = false;  ///< ranks of a node share its table
  int routers = 0;             ///< ranks of a node that only route, as requested; 0: the algorithm chooses
};

struct Algorithm {
  std::string_view name;
  int number;  ///< as reported in the summary; HPCC 1.5.0 has 0 to 2
  std::string_view what;
  std::string (*unsupported_reason)(const Site& site);  ///< why it cannot run; empty where it can
  int (*priority)(const Site& site);                    ///< the highest one is the default
  /// Collective; an error is the same on all ranks.
  Result<std::unique_ptr<Updater>> (*make)(const Setup& setup);
  /// Lengths of its routing grid, the first dimension first; null if it has none.
  std::vector<int> (*grid)(const Site& site) = nullptr;
  /// How many places its grid has; null: as many as there are ranks.
  int (*places)(const Site& site) = nullptr;
  bool has_routers = false;  ///< whether it uses Site::routers

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

/// Errors (usage): no algorithm has that name. An empty name is valid: it leaves the choice to groma.
Status known_algorithm(const std::string& name);

/// The algorithm with that name, or the best for the site if the name is empty. Errors (usage): an unknown
/// name, an algorithm that cannot run there, a grid with the wrong number of places, a grid or a number of
/// routing ranks that the algorithm does not use.
Result<const Algorithm*> choose_algorithm(const std::string& name, const Site& site);

/// Collective.
Site site_of(const mpi::Communicator& world);

/// "4x2"
std::string grid_text(const std::vector<int>& grid);

}  // namespace groma::randomaccess
