#include <gtest/gtest.h>

#include <algorithm>

#include "mpi/shared_memory.hpp"

namespace groma::mpi {
namespace {

TEST(SharedMemory, IsZeroAtFirstAndShowsWhatOtherRanksWrite) {
  const auto node = Communicator::world().split_by_node();
  const auto ranks = static_cast<std::size_t>(node.size());
  const SharedMemory memory(node, Bytes(ranks));
  ASSERT_EQ(memory.bytes().size(), ranks);
  EXPECT_TRUE(std::ranges::all_of(memory.bytes(), [](std::byte one) { return one == std::byte{0}; }));
  node.barrier();
  memory.bytes()[static_cast<std::size_t>(node.rank())] = std::byte{7};
  node.barrier();
  EXPECT_TRUE(std::ranges::all_of(memory.bytes(), [](std::byte one) { return one == std::byte{7}; }));
}

TEST(SharedMemory, IsAlignedToPairsOfCacheLines) {
  const auto node = Communicator::world().split_by_node();
  const SharedMemory memory(node, Bytes(1000));
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory.bytes().data()) % 128, 0U);
}

}  // namespace
}  // namespace groma::mpi
