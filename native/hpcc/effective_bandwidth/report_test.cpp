#include "hpcc/effective_bandwidth/report.hpp"

#include <gtest/gtest.h>

#include "testing/one_thread.hpp"

ALL_ON_ONE_THREAD;

namespace groma::hpcc {
namespace {

Report whole() {
  const Scope scope = whole_scope({}, {Seconds(60.0), 5}, 4, false);
  return {.asked = scope,
          .scope = scope,
          .coverage = {12, 12, 30, 10},
          .rounds = 5,
          .asked_rounds = 5,
          .allowed = Seconds(12.0),
          .whole_round = Seconds(40.0)};
}

TEST(CutWarning, IsSilentWhereTheWholeDefinitionWasMeasured) {
  EXPECT_FALSE(cut_warning(whole()));
}

TEST(CutWarning, SaysHowManyRingsPairsAndRoundsThereAreAndWhatAllNeed) {
  Report report = whole();
  report.coverage.bandwidth_rings = 3;
  report.coverage.bandwidth_pairs = 5;
  report.rounds = 1;
  const auto warning = cut_warning(report);
  ASSERT_TRUE(warning);
  EXPECT_EQ(warning->code, "effective_bandwidth.cut");
  for (const char* words : {"3 of 10 rings", "5 of 12 pairs", "1 of 5 rounds", "12 s"}) {
    EXPECT_NE(warning->what.find(words), std::string::npos) << warning->what;
  }
  EXPECT_EQ(warning->what.find("8 bytes"), std::string::npos) << "these are all there";
  EXPECT_NE(warning->next.find("--budget 250s"), std::string::npos) << warning->next;
}

TEST(CutWarning, TellsOfShorterSamples) {
  Report report = whole();
  report.scope.bandwidth_rings.loop = 1;
  EXPECT_TRUE(cut_warning(report));
}

TEST(TextOfReport, CountsPairsAndRingsOfEverySize) {
  Report report = whole();
  report.coverage.bandwidth_rings = 3;
  const std::string text = text_of(report, {{"code", "what was seen", "what to do"}});
  for (const char* words :
       {"5 rounds", "random rings of 8 bytes: 30 of 30 rings", "random rings of 2000000 bytes: 3 of 10 rings",
        "12 of 12 pairs", "WARNING: what was seen; what to do."}) {
    EXPECT_NE(text.find(words), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace groma::hpcc
