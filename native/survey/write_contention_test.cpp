#include "survey/write_contention.hpp"

#include <gtest/gtest.h>

#include <thread>

namespace groma::survey {
namespace {

TEST(WriteContention, EveryWriteArrives) {
  alignas(64) std::uint64_t words[2] = {0, 0};
  std::atomic<bool> stop = false;
  {
    const std::jthread writer([&] { keep_writing(words[1], stop); });
    for (int i = 0; i < 10; ++i) time_writes(words[0], words[1], 1000);
    stop = true;
  }
  EXPECT_EQ(words[0], 10'000U);
  EXPECT_EQ(words[1] % 64, 0U);
}

TEST(WriteContention, WithoutTheOtherWriterThereIsNoTime) {
  std::uint64_t word = 0;
  std::uint64_t idle = 0;
  EXPECT_FALSE(time_writes(word, idle, 1000).has_value());
}

}  // namespace
}  // namespace groma::survey
