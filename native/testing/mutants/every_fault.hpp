// Each fault of update.hpp beside this file, planted for a test of kernels that are compiled with it.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "base/pages.hpp"
#include "randomaccess/stream.hpp"
#include "randomaccess/update.hpp"
#include "randomaccess/verification.hpp"

namespace groma::randomaccess {

inline constexpr std::uint64_t kMutatedWords = 1U << 16U;
/// Far from the start of the polynomial sequence, whose values have few bits there and meet in few words.
inline constexpr Section kMutatedSection{std::uint64_t{1} << 40U, 1U << 13U};

class EveryFault : public ::testing::TestWithParam<Fault> {
 protected:
  void SetUp() override { planted_fault = GetParam(); }
  void TearDown() override { planted_fault = Fault::kNone; }

  /// One update in eight is wrong, and each spoils a word or two; few of them meet in one word.
  static void expect_found(std::uint64_t wrong, const std::string& where) {
    if (GetParam() == Fault::kNone) {
      EXPECT_EQ(wrong, 0U) << where;
    } else {
      EXPECT_GT(wrong, kMutatedSection.count / 16) << where;
    }
  }
};

constexpr Fault kFaults[] = {Fault::kNone, Fault::kDropped, Fault::kFlipped, Fault::kMisplaced,
                             Fault::kStale};

struct MutatedTable {
  MutatedTable() { fill(words, 0); }
  Block memory = Block::map(Bytes(kMutatedWords * sizeof(std::uint64_t)), PageMode::kSmall).value();
  std::span<std::uint64_t> words = memory.as<std::uint64_t>().first(kMutatedWords);
};

}  // namespace groma::randomaccess
