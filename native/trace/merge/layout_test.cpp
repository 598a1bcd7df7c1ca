#include "trace/merge/layout.hpp"

#include <gtest/gtest.h>

#include <array>

namespace groma::trace {
namespace {

using Place = std::array<std::uint32_t, 3>;
using Runs = std::vector<Run>;  // gtest has a Run of its own

std::vector<Place> places(const std::vector<Object>& objects) {
  std::vector<Place> made;
  for (const Object& one : objects) made.push_back({one.application, one.task, one.thread});
  return made;
}

TEST(Layout, LeavesObjectsWithoutGapsAsTheyAre) {
  const std::vector<Object> known{{0, 0, 0, 0, 0}, {0, 0, 1, 1, 0}, {0, 1, 0, 2, 1}, {1, 0, 0, 3, 1}};
  EXPECT_EQ(without_gaps(known, {{0, 2}, {1, 1}}), known);
}

TEST(Layout, HasAPlaceForEachRankAndThreadThatIsMissing) {
  const std::vector<Object> known{{0, 2, 1, 0, 0}, {0, 4, 0, 1, 3}, {1, 1, 0, 2, 3}};
  const std::vector<Object> made = without_gaps(known, {{0, 6}, {1, 2}});
  EXPECT_EQ(places(made), (std::vector<Place>{{0, 0, 0},
                                              {0, 1, 0},
                                              {0, 2, 0},
                                              {0, 2, 1},
                                              {0, 3, 0},
                                              {0, 4, 0},
                                              {0, 5, 0},
                                              {1, 0, 0},
                                              {1, 1, 0}}));
  EXPECT_EQ(made[6].node, 3U) << "that of the rank before";
}

TEST(Layout, DoesNotFillWhatADamagedLogNames) {
  const std::vector<Object> known{{0, 0, 0, 0, 0}, {0, 4'000'000'000U, 70'000, 0, 0}};
  EXPECT_EQ(without_gaps(known, {{0, 4'100'000'000U}}), known);
}

TEST(Layout, TellsAnIntercommunicatorByItsSides) {
  Groups groups;
  const Runs all{{0, 1, 4}};
  const Runs even{{0, 2, 2}};
  const Runs odd{{1, 2, 2}};
  CommunicatorDefinition world{};
  world.members = all;
  CommunicatorDefinition half{};
  half.members = even;
  CommunicatorDefinition inter{};
  inter.inter = true;
  inter.members = even;
  inter.remote = odd;
  groups.define(0, 0, groups.number(world));
  groups.define(0, 0, groups.number(half));
  groups.define(0, 0, groups.number(inter));
  Layout layout;
  add_communicators(groups, layout);
  ASSERT_EQ(layout.communicators.size(), 3U);
  EXPECT_EQ(layout.communicators[2].id, 4U) << "the other side is nobody's yet";
  EXPECT_EQ(layout.communicators[2].tasks, (std::vector<std::uint32_t>{1, 3}));
  ASSERT_EQ(layout.intercommunicators.size(), 1U);
  const Intercommunicator& one = layout.intercommunicators[0];
  EXPECT_EQ(one.id, 3U);
  EXPECT_EQ(one.first, 2U);
  EXPECT_EQ(one.second, 4U);
  EXPECT_EQ(one.second_leader, 1U);
}

TEST(Layout, TellsTheOwnSideWhereTheOtherIsAnotherWorld) {
  Groups groups;
  CommunicatorDefinition inter{};
  inter.inter = true;
  inter.members = {{0, 1, 2}};
  inter.remote = {{-1, 0, 2}};
  groups.define(0, 0, groups.number(inter));
  Layout layout;
  add_communicators(groups, layout);
  EXPECT_TRUE(layout.intercommunicators.empty());
  ASSERT_EQ(layout.communicators.size(), 1U);
  EXPECT_EQ(layout.communicators[0].tasks, (std::vector<std::uint32_t>{0, 1}));
}

}  // namespace
}  // namespace groma::trace
