#include "trace/merge/groups.hpp"

#include <gtest/gtest.h>

#include <utility>

namespace groma::trace {
namespace {

using Runs = std::vector<Run>;  // gtest has a Run of its own

CommunicatorDefinition definition_of(Runs members, Runs remote = {}) {
  CommunicatorDefinition made;
  made.inter = !remote.empty();
  made.members = std::move(members);
  made.remote = std::move(remote);
  return made;
}

TEST(Groups, KeepEachListOfRanksOnce) {
  Groups groups;
  const CommunicatorDefinition shuffled = definition_of({{3, 1, 1}, {0, 2, 2}, {1, 1, 1}});
  const GroupIndex world = groups.define(0, 0, groups.number(definition_of({{0, 1, 4}})));
  std::vector<GroupIndex> made;
  for (std::uint32_t rank = 0; rank < 4; ++rank) {
    made.push_back(groups.define(0, rank, groups.number(shuffled), world));
  }
  made.push_back(groups.define(0, 0, groups.number(shuffled), world));
  EXPECT_EQ(made, (std::vector<GroupIndex>{1, 1, 1, 1, 2}));
  EXPECT_EQ(groups.at(1).members.data(), groups.at(2).members.data());
  EXPECT_EQ(groups.number(shuffled).members, groups.number(shuffled).members);
}

TEST(Groups, TellApartWhatWasMadeFromDifferentOnes) {
  Groups groups;
  const NumberedDefinition both = groups.number(definition_of({{0, 1, 2}}));
  const GroupIndex one = groups.define(0, 0, both);
  const GroupIndex other = groups.define(0, 0, both);
  ASSERT_NE(one, other);
  EXPECT_EQ(groups.define(0, 1, both), one);
  EXPECT_EQ(groups.define(0, 1, both), other);
  const GroupIndex of_one = groups.define(0, 0, both, one);
  const GroupIndex of_other = groups.define(0, 0, both, other);
  EXPECT_EQ(groups.define(0, 1, both, other), of_other);
  EXPECT_EQ(groups.define(0, 1, both, one), of_one);
}

TEST(Groups, MakeOneOfTheTwoSidesOfAnIntercommunicator) {
  Groups groups;
  const Runs left{{0, 1, 1}};
  const Runs right{{1, 1, 1}};
  const GroupIndex own = groups.define(0, 0, groups.number(definition_of(left)));
  const GroupIndex others = groups.define(0, 1, groups.number(definition_of(right)));
  const NumberedDefinition from_left = groups.number(definition_of(left, right));
  const NumberedDefinition from_right = groups.number(definition_of(right, left));
  const GroupIndex made = groups.define(0, 0, from_left, own);
  EXPECT_EQ(groups.define(0, 1, from_right, others), made);
  EXPECT_TRUE(groups.is_side_of(made, from_left));
  EXPECT_FALSE(groups.is_side_of(made, from_right));
  const GroupIndex again = groups.define(0, 0, from_left, made);
  EXPECT_EQ(groups.define(0, 1, from_right, made), again);
}

}  // namespace
}  // namespace groma::trace
