// The roles of the ranks of a node (Aggarwal et al. 2008, section 4.3, for any number of ranks and
// dimensions): some ranks generate and route updates, the others apply them. Pure functions of three numbers,
// the same on every node.
//
// An update passes stages 0 … d, of d dimensions. A rank at stage s < d sends along dimension s; what it
// sends reaches stage s + 1 on another node, so stage 0 generates and every other receives. Stage d passes
// updates on to the ranks that own their words; a single one of those is stage d itself. The stages of a node
// lie on a lane of routing ranks, as evenly as they can, and where there are more routing ranks than stages
// there are several parallel lanes. A lane exchanges messages with the same lane of other nodes only.
#pragma once

#include <string>
#include <vector>

#include "randomaccess/routed/route.hpp"

namespace groma::randomaccess {

/// Ranks are those of a node. The first ones route, lane after lane; the others update.
class Roles {
 public:
  /// 0 < `routers` < `ranks`; 0 dimensions where there is one node only.
  Roles(int ranks, int routers, int dimensions);

  [[nodiscard]] int ranks() const { return ranks_; }
  [[nodiscard]] int routers() const { return routers_; }
  [[nodiscard]] int updaters() const { return ranks_ - routers_; }
  [[nodiscard]] int dimensions() const { return dimensions_; }
  [[nodiscard]] int lanes() const;

  [[nodiscard]] bool updates(int rank) const { return rank >= routers_; }
  /// Of routing ranks.
  [[nodiscard]] int lane(int rank) const;
  [[nodiscard]] Stages stages(int rank) const;
  /// Its first rank; of the lane after the last one, the number of routing ranks.
  [[nodiscard]] int first_of_lane(int lane) const { return routers_ * lane / lanes(); }
  /// The rank that does a stage on a lane.
  [[nodiscard]] int rank_at(int lane, int stage) const;

  /// The ranks of the node that a rank may pass updates to: later routing ranks of its lane, then all
  /// updating ranks. Always later ranks.
  [[nodiscard]] std::vector<int> targets(int rank) const;
  /// The ranks that may pass updates to a rank, in order.
  [[nodiscard]] std::vector<int> sources(int rank) const;

  /// For users: "generate, route 1", "route 2", "deliver", "update".
  [[nodiscard]] std::string name(int rank) const;

 private:
  /// Whether stage d is done by ranks that route.
  [[nodiscard]] bool is_delivered_by_routers() const { return updaters() > 1 || dimensions_ == 0; }
  [[nodiscard]] int stages_on_lane() const {
    return dimensions_ + static_cast<int>(is_delivered_by_routers());
  }

  int ranks_;
  int routers_;
  int dimensions_;
};

/// The default number of routing ranks of a node: as many for each dimension as update (equal loads,
/// section 5.1), and three of ten where they only generate.
int usual_routers(int ranks, int dimensions);

}  // namespace groma::randomaccess
