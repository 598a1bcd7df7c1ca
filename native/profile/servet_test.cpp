#include "groma/servet.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "base/random.hpp"
#include "profile/servet_text.hpp"

namespace {

class Servet : public ::testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directories(folder); }
  void TearDown() override {
    ::unsetenv("SERVET_FILE");
    release_degr_info(&info);
    std::filesystem::remove_all(folder);
  }
  int load(const std::string& text) {
    const std::filesystem::path file = folder / "servet.txt";
    std::ofstream(file) << text;
    return load_file(file);
  }
  int load_file(const std::string& file) {
    ::setenv("SERVET_FILE", file.c_str(), 1);
    return load_degr_info(&info);
  }
  std::filesystem::path folder =
      std::filesystem::path(::testing::TempDir()) / ("groma-servet-" + std::to_string(::getpid()));
  degr_desc info{};
};

TEST_F(Servet, ReadsTheRatiosOfAProfile) {
  ASSERT_EQ(load_file(GROMA_MADE_DATA "/example-cluster.json"), 0) << groma_last_error();
  EXPECT_EQ(get_network_dist_ratio(&info, 1), 1.0);
  EXPECT_EQ(get_network_dist_ratio(&info, 8), 2.4);
  EXPECT_EQ(get_network_access_ratio(&info, 4), 1.66);
  EXPECT_TRUE(std::isnan(get_network_access_ratio(&info, 3)));  // not measured
}

TEST_F(Servet, ReadsElementsAndArraysOfTheText) {
  ASSERT_EQ(load("# Servet\nratDist[1] = 1.0\nratDist[3] = 1.5  # far\n\nRATNC: 1.0, 1.25 2\ncaches: 3\n"), 0)
      << groma_last_error();
  EXPECT_EQ(get_network_dist_ratio(&info, 1), 1.0);
  EXPECT_TRUE(std::isnan(get_network_dist_ratio(&info, 2)));
  EXPECT_EQ(get_network_dist_ratio(&info, 3), 1.5);
  EXPECT_EQ(get_network_access_ratio(&info, 2), 1.25);
  EXPECT_EQ(get_network_access_ratio(&info, 3), 2.0);
}

TEST_F(Servet, AnswersNotANumberForWhatItDoesNotKnow) {
  ASSERT_EQ(load("ratDist 1 2\n"), 0);
  for (const int unknown : {-1, 0, 3, 1 << 30})
    EXPECT_TRUE(std::isnan(get_network_dist_ratio(&info, unknown)));
  EXPECT_TRUE(std::isnan(get_network_access_ratio(&info, 1)));
  EXPECT_TRUE(std::isnan(get_network_dist_ratio(nullptr, 1)));
}

TEST_F(Servet, RefusesWithALineAndLeavesAnEmptyDescriptor) {
  EXPECT_EQ(load("ratDist[1] = 1\nratDist[2] = fast\n"), GROMA_NOT_A_PROFILE);
  EXPECT_NE(std::string(groma_last_error()).find("line 2"), std::string::npos);
  EXPECT_EQ(load("caches: 3\n"), GROMA_NOT_FOUND);
  EXPECT_EQ(load_file(folder / "none"), GROMA_CANNOT_READ);
  EXPECT_EQ(load_degr_info(nullptr), GROMA_BAD_ARGUMENT);
  EXPECT_TRUE(std::isnan(get_network_dist_ratio(&info, 1)));
}

TEST_F(Servet, ReleasesTwiceAndNothing) {
  ASSERT_EQ(load("ratNC 1\n"), 0);
  release_degr_info(&info);
  release_degr_info(&info);
  release_degr_info(nullptr);
  EXPECT_TRUE(std::isnan(get_network_access_ratio(&info, 1)));
}

TEST(ServetText, RefusesWhatIsNoRatio) {
  using groma::profile::read_servet_text;
  for (const char* text : {"ratDist", "ratDist[0] = 1", "ratDist[-1] = 1", "ratDist[1 = 1",
                           "ratDist[1] = 1 2", "ratNC: 1 x", "ratNC: 1.25.5", "ratNC[1.5] = 1", "ratNC: -1",
                           "ratNC: 0", "ratNC: nan", "ratNC: inf", "ratNC[99999999999] = 1"}) {
    EXPECT_FALSE(read_servet_text(text)) << text;
  }
  EXPECT_TRUE(read_servet_text(""));
  EXPECT_TRUE(read_servet_text("ratDist[2]1"));
  EXPECT_TRUE(read_servet_text("ratDist[ 2 ] = 1e0"));
  EXPECT_TRUE(read_servet_text("ratDist 1,2 , 3"));
}

TEST(ServetText, SurvivesRandomTextOfItsOwnSigns) {
  static constexpr std::string_view kSigns = "ratDistNC[]=: 0123456789.,-e#\n";
  groma::RandomStream random(29);
  for (int i = 0; i < 20'000; ++i) {
    std::string text = "ratNC";
    for (std::uint64_t left = random.below(20); left > 0; --left) text += kSigns[random.below(kSigns.size())];
    const auto read = groma::profile::read_servet_text(text);
    EXPECT_TRUE(read || !read.error().what.empty());
  }
}

}  // namespace
