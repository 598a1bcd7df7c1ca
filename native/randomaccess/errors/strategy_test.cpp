#include "randomaccess/errors/strategy.hpp"

#include <gtest/gtest.h>

#include "randomaccess/local.hpp"
#include "randomaccess/verification.hpp"
#include "testing/serial_updates.hpp"

namespace groma::randomaccess {
namespace {

constexpr Section kSection{11, 30000};

std::vector<std::uint64_t> updated(const std::string& name, std::uint64_t threads, Generator generator) {
  std::vector<std::uint64_t> words(512);
  fill(words, 0);
  strategy_named(name).value().on({words, generator, threads})(kSection);
  return words;
}

std::vector<std::uint64_t> expected(Generator generator) {
  std::vector<std::uint64_t> words(512);
  fill(words, 0);
  update_serially(words, generator, kSection);
  return words;
}

TEST(Strategies, ThatAreExactGiveTheTableOfPlainUpdates) {
  for (const std::string name :
       {"serial", "atomic", "owner", "locks:1", "locks:3", "locks:16", "locks:600"}) {
    ASSERT_TRUE(strategy_named(name).value().exact);
    for (const Generator generator : {Generator::kPolynomial, Generator::kCongruential}) {
      for (const std::uint64_t threads : {1U, 2U, 3U, 4U}) {
        EXPECT_EQ(updated(name, threads, generator), expected(generator)) << name << ' ' << threads;
      }
    }
  }
}

TEST(Strategies, WithoutSynchronisationAreRightWhereAThreadIsAlone) {
  EXPECT_FALSE(strategy_named("unsynchronised").value().exact);
  EXPECT_EQ(updated("unsynchronised", 1, Generator::kPolynomial), expected(Generator::kPolynomial));
}

TEST(Strategies, ThatThereAreNotAreRefused) {
  for (const std::string name :
       {"", "luck", "locks", "locks:", "locks:0", "locks:-1", "locks:x", "locks:65537"}) {
    const auto refused = strategy_named(name);
    ASSERT_FALSE(refused) << name;
    EXPECT_EQ(refused.error().code, "usage");
    EXPECT_NE(refused.error().next.find(kStrategyNames), std::string::npos);
  }
}

}  // namespace
}  // namespace groma::randomaccess
