#include <gtest/gtest.h>

#include <vector>

#include "job/outcome.hpp"
#include "job/worst_deviation.hpp"

namespace groma::job {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();

double worst_of(const std::vector<double>& deviations) {
  WorstDeviation worst;
  for (const double one : deviations) worst.take(one);
  return worst.value();
}

TEST(WorstDeviation, IsTheLargestMagnitude) {
  EXPECT_EQ(worst_of({}), 0.0);
  EXPECT_EQ(worst_of({1.0, -3.0, 2.0}), 3.0);
}

TEST(WorstDeviation, IsInfiniteOnceOneWasNoFiniteNumber) {
  for (const double wrong : {kNoNumber, -kNoNumber, kInfinity, -kInfinity}) {
    EXPECT_EQ(worst_of({wrong}), kInfinity);
    EXPECT_EQ(worst_of({wrong, 1.0}), kInfinity);
    EXPECT_EQ(worst_of({1.0, wrong, 2.0}), kInfinity);
    EXPECT_EQ(worst_of({1.0, 2.0, wrong}), kInfinity);
  }
}

TEST(WorstDeviation, OfAllRanksKnowsWhatIsNoNumberOnOne) {
  const auto world = mpi::Communicator::world();
  for (int rank = 0; rank < world.size(); ++rank) {
    const bool here = world.rank() == rank;
    EXPECT_EQ(WorstDeviation(here ? kNoNumber : 1.0).over(world), kInfinity);
    EXPECT_EQ(WorstDeviation(here ? -5.0 : 1.0).over(world), 5.0);
  }
}

TEST(Check, PassesFiniteNumbersWithinTheLimitOnly) {
  EXPECT_TRUE((Check{"", 16.0, 16.0}).passed());
  EXPECT_FALSE((Check{"", 16.1, 16.0}).passed());
  EXPECT_FALSE((Check{"", kNoNumber, 16.0}).passed());
  EXPECT_FALSE((Check{"", -kInfinity, 16.0}).passed());
  EXPECT_FALSE((Check{"", kInfinity, kInfinity}).passed());
  EXPECT_FALSE((Check{"", 1.0, kNoNumber}).passed());
}

}  // namespace
}  // namespace groma::job
