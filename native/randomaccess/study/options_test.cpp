#include "randomaccess/study/options.hpp"

#include <gtest/gtest.h>

#include "testing/one_thread.hpp"

ALL_ON_ONE_THREAD;

namespace groma::randomaccess {
namespace {

StudyOptions parsed(const std::vector<std::string>& arguments) {
  const auto options = parse_study_options(arguments);
  EXPECT_TRUE(options) << options.error().what;
  return options ? options.value() : StudyOptions{};
}

std::string refused(const std::vector<std::string>& arguments) {
  const auto options = parse_study_options(arguments);
  return options ? "accepted" : options.error().code + ": " + options.error().what;
}

TEST(StudyOptions, TakeTablesAsWordsPowersAndSizes) {
  EXPECT_EQ(parsed({"--table", "1024"}).words, 1024U);
  EXPECT_EQ(parsed({"--table", "2^27"}).words, std::uint64_t{1} << 27U);
  EXPECT_EQ(parsed({"--table=1GiB"}).words, std::uint64_t{1} << 27U);
  for (const std::string text : {"0", "-1", "2^64", "2^", "much", "1e30GiB", ""}) {
    EXPECT_NE(refused({"--table", text}).find("usage: --table takes"), std::string::npos) << text;
  }
}

TEST(StudyOptions, TakeUpdatesAsANumberOrAsAMultipleOfTheTable) {
  EXPECT_EQ(parsed({}).updates.of(1024).value(), 4096U);
  EXPECT_EQ(parsed({"--updates", "0.5x"}).updates.of(1024).value(), 512U);
  EXPECT_EQ(parsed({"--updates", "2^20"}).updates.of(1024).value(), 1U << 20U);
  for (const std::string text : {"-4", "-4x", "0", "0x", "nanx", "2^63", "x"}) {
    EXPECT_NE(refused({"--updates", text}).find("usage: --updates takes"), std::string::npos) << text;
  }
}

TEST(StudyOptions, KeepAMultipleOfTheTableWithinTheMostUpdates) {
  const UpdateCount updates = parsed({"--updates", "4096x"}).updates;
  EXPECT_EQ(updates.of(std::uint64_t{1} << 48U).value(), std::uint64_t{1} << 60U);
  const auto refused = updates.of(std::uint64_t{1} << 49U);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, "usage");
  EXPECT_NE(refused.error().what.find("more than 2^60"), std::string::npos) << refused.error().what;
}

/// The step after a value that an option does not take.
std::string step_after(const std::string& option, const std::string& value) {
  const auto options = parse_study_options({option, value});
  return options ? "accepted" : options.error().next;
}

TEST(StudyOptions, NameTheRangeOfANumberThatTheyRefuse) {
  for (const auto& [option, range] :
       std::vector<std::pair<std::string, std::string>>{{"--threads", "1 to 256"},
                                                        {"--runs", "1 to 4294967295"},
                                                        {"--repeat", "1 to 4294967295"},
                                                        {"--seed", "0 to 2^64 - 1"},
                                                        {"--routers", "1 to 16777216"},
                                                        {"--ranks", "1 to 16777216"},
                                                        {"--nodes", "1 to 16777216"},
                                                        {"--parts", "1 to 16777216"},
                                                        {"--grid", "at most 16777216 ranks"},
                                                        {"--table", "at most 2^48 words"},
                                                        {"--updates", "at most 2^60"},
                                                        {"--look-ahead", "4 to 1024"}}) {
    EXPECT_NE(step_after(option, "-1").find(range), std::string::npos) << option;
  }
}

TEST(StudyOptions, TakeGridsOfAnyDimension) {
  EXPECT_EQ(parsed({"--grid", "4"}).grid, std::vector<int>{4});
  EXPECT_EQ(parsed({"--grid", "4x3x2x2"}).grid, (std::vector<int>{4, 3, 2, 2}));
  EXPECT_EQ(parsed({"--grid", "4x3", "--grid", "2x6"}).grid, (std::vector<int>{2, 6})) << "the last counts";
  for (const std::string text : {"4x", "x4", "0x4", "-2x-2", "4,4", "65536x65536"}) {
    EXPECT_NE(refused({"--grid", text}).find("usage: --grid takes"), std::string::npos) << text;
  }
}

TEST(StudyOptions, KeepTheLookAheadWithinTheRules) {
  EXPECT_EQ(parsed({"--look-ahead", "1024"}).look_ahead, 1024U);
  EXPECT_NE(refused({"--look-ahead", "1025"}), "accepted");
  EXPECT_NE(refused({"--look-ahead", "3"}), "accepted");
  EXPECT_NE(refused({"--look-ahead", "-1"}), "accepted");
}

TEST(StudyOptions, TakeABurdenOnARoleWhoseNameMayHaveBlanks) {
  const auto extra_load = [](const std::string& text) { return parse_study_options({"--burden", text}); };
  EXPECT_EQ(extra_load("generate, route 1=2e-6").value().extra_load.role, "generate, route 1");
  EXPECT_EQ(extra_load("update=2e-6").value().extra_load.each, Seconds(2e-6));
  EXPECT_EQ(parse_study_options({}).value().extra_load.role, "");
  for (const std::string wrong : {"update", "=2e-6", "update=", "update=soon"}) {
    EXPECT_FALSE(extra_load(wrong)) << wrong;
  }
}

TEST(StudyOptions, TakeNamesOnlyThatThereAre) {
  EXPECT_EQ(parsed({"--generator", "lcg"}).generator, Generator::kCongruential);
  EXPECT_EQ(parsed({"--owner", "division"}).owner, OwnerRule::kDivision);
  EXPECT_NE(refused({"--generator", "rand"}), "accepted");
  EXPECT_NE(refused({"--owner", "guess"}), "accepted");
  EXPECT_EQ(refused({"--frobnicate"}), "usage: unknown option or verb '--frobnicate'");
}

}  // namespace
}  // namespace groma::randomaccess
