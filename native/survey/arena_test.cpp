#include "survey/arena.hpp"

#include <gtest/gtest.h>

#include <set>

namespace groma::survey {
namespace {

constexpr std::uintptr_t kHuge = (2_MiB).value();

Arena arena_of(Bytes size) {
  Result<Block> block = Block::map(size, PageMode::kSmall);
  return Arena(std::move(block).value(), RandomStream(1));
}

TEST(Arena, SmallWindowsLieInsideOneHugePage) {
  Arena arena = arena_of(8_MiB);
  for (int i = 0; i < 200; ++i) {
    const auto start = reinterpret_cast<std::uintptr_t>(arena.window(768_KiB));
    EXPECT_EQ(start / kHuge, (start + (768_KiB).value() - 1) / kHuge);
  }
}

TEST(Arena, WindowsReachEveryHugePage) {
  Arena arena = arena_of(8_MiB);
  std::set<std::uintptr_t> pages;
  for (int i = 0; i < 200; ++i) pages.insert(reinterpret_cast<std::uintptr_t>(arena.window(4_KiB)) / kHuge);
  EXPECT_EQ(pages.size(), 4U);
}

TEST(Arena, AWindowMayFillTheArena) {
  Arena arena = arena_of(4_MiB);
  EXPECT_EQ(arena.window(4_MiB), arena.window(4_MiB));
}

}  // namespace
}  // namespace groma::survey
