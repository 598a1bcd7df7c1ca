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

TEST(Arena, WindowsLieInsideArenasThatAreSmallerThanAHugePage) {
  constexpr Bytes kSize = 64_KiB;
  Result<Block> block = Block::map(kSize, PageMode::kSmall);
  const std::byte* const start = block.value().data();
  Arena arena(std::move(block).value(), RandomStream(1));
  std::set<std::ptrdiff_t> offsets;
  for (int i = 0; i < 200; ++i) offsets.insert(arena.window(4_KiB) - start);
  EXPECT_EQ(*offsets.begin(), 0);
  EXPECT_EQ(*offsets.rbegin(), static_cast<std::ptrdiff_t>((kSize - 4_KiB).value()));
  EXPECT_EQ(arena.window(kSize), start);
}

}  // namespace
}  // namespace groma::survey
