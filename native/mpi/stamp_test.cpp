#include "mpi/stamp.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "testing/one_thread.hpp"

ALL_ON_ONE_THREAD;

namespace groma::mpi {
namespace {

TEST(Stamp, IsGoneFromMemoryThatWaitsForTheMessageOfThatIteration) {
  for (std::size_t size = 1; size <= 3; ++size) {
    for (std::uint32_t iteration = 0; iteration < 600; ++iteration) {
      std::vector<std::byte> memory(size);
      stamp(memory, iteration);
      EXPECT_TRUE(is_stamped(memory, iteration));
      unstamp(memory, iteration);
      EXPECT_FALSE(is_stamped(memory, iteration)) << iteration << " of " << size << " bytes";
    }
  }
}

}  // namespace
}  // namespace groma::mpi
