// What an algorithm of MPI RandomAccess is: a row of data with a function that makes it. Each registers
// itself in its own file; none is listed anywhere.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "hpcc/random_access/look_ahead.hpp"
#include "hpcc/random_access/partition.hpp"
#include "hpcc/random_access/stream.hpp"
#include "mpi/communicator.hpp"

namespace groma::hpcc::random_access {

/// What an algorithm works on. It outlives the updater made of it.
struct Setup {
  const mpi::Communicator& world;
  const Partition& workers;        ///< `threads` neighbouring parts for each rank
  std::span<std::uint64_t> table;  ///< the words of this rank
  Generator generator;
  std::uint64_t threads = 1;         ///< of each rank
  std::uint64_t limit = kLookAhead;  ///< updates that a rank may hold
};

/// An algorithm at work, with the memory that it needs.
class Updater {
 public:
  virtual ~Updater() = default;
  /// Collective: every rank brings its section; on return the words of this rank have all their updates.
  virtual void apply(Section section) = 0;
  /// Updates held by this rank at once, at most, so far.
  [[nodiscard]] virtual std::uint64_t most_pending() const = 0;
};

/// What decides whether an algorithm can run.
struct Site {
  int ranks;
  bool one_node;  ///< all ranks share memory
};

struct Algorithm {
  std::string_view name;
  int number;  ///< as reported in the summary; HPCC 1.5.0 has 0 to 2
  std::string_view what;
  bool (*can_run)(const Site& site);
  int (*merit)(const Site& site);  ///< the greatest one is the default
  /// Collective; an error is the same on all ranks.
  Result<std::unique_ptr<Updater>> (*make)(const Setup& setup);
};

/// By number.
std::vector<const Algorithm*> registered_algorithms();

/// The one so called, or the best for the site where the name is empty. Errors (usage): an unknown name, one
/// that cannot run there.
Result<const Algorithm*> choose_algorithm(const std::string& name, const Site& site);

/// Collective.
Site site_of(const mpi::Communicator& world);

class AlgorithmRegistration {
 public:
  explicit AlgorithmRegistration(const Algorithm& algorithm);
};

}  // namespace groma::hpcc::random_access
