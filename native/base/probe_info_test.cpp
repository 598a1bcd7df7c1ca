#include "base/probe_info.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "testing/one_thread.hpp"

ALL_ON_ONE_THREAD;

namespace groma {
namespace {

const ProbeInfo kInfo{.name = "example",
                      .title = "",
                      .measures = "",
                      .method = "",
                      .traffic = "",
                      .reference = "",
                      .parameters = {{"rounds", "3", "5", "7", "own default of a parameter that all have"},
                                     {"core", "-1", "-1", "-1", "-1 chooses"},
                                     {"mode", "huge", "both", "both", "a word"}}};

Parameters parse(const std::vector<std::string>& assignments) {
  return Parameters::parse(kInfo, assignments).value();
}

std::string refusal(const std::vector<std::string>& assignments) {
  const auto parsed = Parameters::parse(kInfo, assignments);
  if (parsed) return "accepted";
  EXPECT_EQ(parsed.error().code, "usage");
  EXPECT_FALSE(parsed.error().next.empty());
  return parsed.error().what;
}

TEST(Parameters, HaveTheDefaultsOfTheDepth) {
  EXPECT_EQ(parse({}).text("depth"), "standard");
  EXPECT_EQ(parse({}).count("rounds"), 5U);
  EXPECT_EQ(parse({"depth=quick"}).count("rounds"), 3U);
  EXPECT_EQ(parse({"depth=thorough"}).count("rounds"), 7U);
  EXPECT_EQ(parse({"depth=quick"}).text("mode"), "huge");
  EXPECT_GT(parse({"depth=thorough"}).number("budget"), parse({}).number("budget"));
}

TEST(Parameters, HaveATypeOfTheirOwnOrThatOfTheirValues) {
  EXPECT_EQ(type_of({"budget", "1", "4", "20", ""}), "seconds");
  EXPECT_EQ(type_of({"bytes", "8", "8", "8", ""}), "bytes");
  EXPECT_EQ(type_of({"rounds", "3", "5", "7", ""}), "count");
  EXPECT_EQ(type_of({"core", "-1", "-1", "-1", ""}), "integer");
  EXPECT_EQ(type_of({"share", "1", "0.5", "1", ""}), "number");
  EXPECT_EQ(type_of({"paces", "0.5,1", "0.5,1", "0.5,1", ""}), "text");
  EXPECT_EQ(type_of({"isa", "auto", "auto", "auto", "", "auto|sse2"}), "auto|sse2");
}

TEST(Parameters, AreOverriddenByAssignmentsTheLastOfWhichWins) {
  EXPECT_EQ(parse({"rounds=9", "mode=small", "rounds=11"}).count("rounds"), 11U);
  EXPECT_EQ(parse({"mode=a=b"}).text("mode"), "a=b");
  EXPECT_EQ(parse({"mode="}).text("mode"), "");
  EXPECT_EQ(parse({"rounds=9", "depth=quick"}).count("rounds"), 9U);
}

TEST(Parameters, AreRefusedWhereTheyAreNoAssignment) {
  EXPECT_EQ(refusal({"rounds"}), "'rounds' is not of the form key=value");
  EXPECT_EQ(refusal({""}), "'' is not of the form key=value");
}

TEST(Parameters, AreRefusedWhereTheProbeHasNoneOfThatName) {
  EXPECT_EQ(refusal({"round=3"}), "probe example has no parameter 'round'");
  EXPECT_EQ(refusal({"=3"}), "probe example has no parameter ''");
  EXPECT_EQ(refusal({" rounds=3"}), "probe example has no parameter ' rounds'");
}

TEST(Parameters, AreRefusedAtAnUnknownDepth) {
  EXPECT_EQ(refusal({"depth=deep"}), "unknown depth 'deep'");
  EXPECT_EQ(refusal({"depth="}), "unknown depth ''");
  EXPECT_EQ(refusal({"depth=Quick"}), "unknown depth 'Quick'");
}

TEST(Parameters, AreRefusedWhereANumberIsNone) {
  for (const std::string text :
       {"", "x", "3x", "0x10", " 3", "3 ", "+3", "1,5", "nan", "inf", "1e999", "--1"}) {
    EXPECT_EQ(refusal({"rounds=" + text}), "parameter rounds takes a number: '" + text + "'");
  }
}

TEST(Parameters, AreRefusedWhereANumberIsNegativeUnlessItsDefaultIs) {
  EXPECT_EQ(refusal({"rounds=-3"}), "parameter rounds takes no negative number: '-3'");
  EXPECT_EQ(refusal({"budget=-0.5"}), "parameter budget takes no negative number: '-0.5'");
  EXPECT_EQ(parse({"core=-7"}).number("core"), -7.0);
}

TEST(Parameters, KeepEveryDigitOfASeed) {
  EXPECT_EQ(parse({"seed=18446744073709551615"}).rule().seed, std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(parse({"seed=9007199254740993"}).rule().seed, 9007199254740993U);
}

TEST(Parameters, CountWithoutOverflow) {
  EXPECT_EQ(parse({"rounds=1e3"}).count("rounds"), 1000U);
  EXPECT_EQ(parse({"rounds=1e300"}).count("rounds"), std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(parse({"rounds=4294967296"}).rule().max_rounds, std::numeric_limits<std::uint32_t>::max());
  EXPECT_EQ(parse({"rounds=0"}).rule().max_rounds, 1U);
  EXPECT_EQ(parse({"core=-1"}).count("core"), 0U);
  EXPECT_EQ(parse({}).count("no such parameter"), 0U);
}

TEST(Parameters, MakeTheSamplingRule) {
  const SamplingRule rule = parse({"budget=1.5", "rounds=12", "seed=3"}).rule();
  EXPECT_EQ(rule.budget, Seconds(1.5));
  EXPECT_EQ(rule.max_rounds, 12U);
  EXPECT_EQ(rule.seed, 3U);
}

TEST(Parameters, OfBytesLeaveRoomForSums) {
  ProbeInfo info = kInfo;
  info.parameters = {{"size", "0", "0", "0", "a size", "bytes"}};
  const auto size_of = [&](const std::string& value) {
    return Parameters::parse(info, {"size=" + value}).value().bytes("size");
  };
  EXPECT_EQ(size_of("4096"), 4_KiB);
  EXPECT_GT(size_of("18446744073709551615") * 8, size_of("18446744073709551615"));
  EXPECT_GT(size_of("1e300"), Bytes(std::uint64_t{1} << 40U));
}

TEST(Parameters, OfAProbeStandBeforeThoseOfAll) {
  std::vector<std::string_view> names;
  for (const Parameter& one : parameters_of(kInfo)) names.push_back(one.name);
  EXPECT_EQ(names, (std::vector<std::string_view>{"rounds", "core", "mode", "budget", "seed"}));
}

TEST(Parameters, ListsAreCutAtCommas) {
  ProbeInfo info = kInfo;
  info.parameters = {{"names", "a,bc,,d", "", "x,", "a list"}};
  const auto list_at = [&](const std::string& depth) {
    return Parameters::parse(info, {"depth=" + depth}).value().list("names");
  };
  EXPECT_EQ(list_at("quick"), (std::vector<std::string>{"a", "bc", "", "d"}));
  EXPECT_EQ(list_at("standard"), (std::vector<std::string>{""}));
  EXPECT_EQ(list_at("thorough"), (std::vector<std::string>{"x", ""}));
}

}  // namespace
}  // namespace groma
