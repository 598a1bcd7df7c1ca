#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "groma/groma.h"

namespace {

using ProfilePointer = std::unique_ptr<groma_profile, decltype(&groma_profile_close)>;

ProfilePointer open(const std::string& file) {
  groma_profile* profile = nullptr;
  EXPECT_EQ(groma_profile_open(file.c_str(), &profile), GROMA_OK) << groma_last_error();
  return {profile, &groma_profile_close};
}

groma_status parse(std::string_view json) {
  groma_profile* profile = nullptr;
  const groma_status status = groma_profile_parse(json.data(), json.size(), &profile);
  groma_profile_close(profile);
  return status;
}

ProfilePointer parsed(std::string_view json) {
  groma_profile* profile = nullptr;
  EXPECT_EQ(groma_profile_parse(json.data(), json.size(), &profile), GROMA_OK) << groma_last_error();
  return {profile, &groma_profile_close};
}

constexpr std::string_view kSmall = R"({"schema": "groma.record/1", "kind": "survey", "created": "2025-03-01",
  "facts": {"node": {"caches": [{"level": 1, "kind": "data", "line": null, "size": {"value": 32768, "unit": "B",
  "low": 32768, "high": 36864, "confidence": 0.95, "method": "knee"}}], "bandwidth": {"read": [], "triad": []}}}})";

class GromaApi : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(groma_profile_parse(kSmall.data(), kSmall.size(), &profile), GROMA_OK) << groma_last_error();
  }
  void TearDown() override { groma_profile_close(profile); }
  groma_profile* profile = nullptr;
};

TEST_F(GromaApi, GivesAQuantityWithUnitIntervalAndMethod) {
  groma_quantity size{};
  ASSERT_EQ(groma_profile_quantity(profile, "node.caches.0.size", &size), GROMA_OK);
  EXPECT_EQ(size.value, 32768.0);
  EXPECT_EQ(size.low, 32768.0);
  EXPECT_EQ(size.high, 36864.0);
  EXPECT_EQ(size.confidence, 0.95);
  EXPECT_STREQ(size.unit, "B");
  EXPECT_STREQ(size.method, "knee");
}

TEST_F(GromaApi, GivesNumbersTextsCountsAndKeys) {
  double level = 0;
  ASSERT_EQ(groma_profile_number(profile, "node.caches.0.level", &level), GROMA_OK);
  EXPECT_EQ(level, 1.0);
  const char* text = nullptr;
  ASSERT_EQ(groma_profile_text(profile, "node.caches.0.kind", &text), GROMA_OK);
  EXPECT_STREQ(text, "data");
  std::size_t count = 0;
  ASSERT_EQ(groma_profile_count(profile, "node.caches", &count), GROMA_OK);
  EXPECT_EQ(count, 1U);
  ASSERT_EQ(groma_profile_count(profile, "node.bandwidth", &count), GROMA_OK);
  EXPECT_EQ(count, 2U);
  ASSERT_EQ(groma_profile_key(profile, "node.bandwidth", 1, &text), GROMA_OK);
  EXPECT_STREQ(text, "triad");
}

TEST_F(GromaApi, ReachesTheRecordByALeadingDot) {
  const char* text = nullptr;
  ASSERT_EQ(groma_profile_text(profile, ".created", &text), GROMA_OK);
  EXPECT_STREQ(text, "2025-03-01");
}

TEST_F(GromaApi, TellsNotMeasuredFromAnotherKindAndLeavesTheOutputAlone) {
  groma_quantity quantity{};
  quantity.value = 42.0;
  EXPECT_EQ(groma_profile_quantity(profile, "node.caches.0.line", &quantity), GROMA_NOT_FOUND);
  EXPECT_EQ(groma_profile_quantity(profile, "node.caches.1.size", &quantity), GROMA_NOT_FOUND);
  EXPECT_NE(std::string(groma_last_error()).find("node.caches.1.size"), std::string::npos);
  EXPECT_EQ(groma_profile_quantity(profile, "node.caches.0", &quantity), GROMA_WRONG_KIND);
  EXPECT_EQ(groma_profile_quantity(profile, "node.caches.0.level", &quantity), GROMA_WRONG_KIND);
  EXPECT_EQ(quantity.value, 42.0);
  const char* key = nullptr;
  EXPECT_EQ(groma_profile_key(profile, "node.caches", 0, &key), GROMA_WRONG_KIND);
  EXPECT_EQ(groma_profile_key(profile, "node.caches.0.kind", 9, &key), GROMA_WRONG_KIND);
  EXPECT_EQ(key, nullptr);
}

TEST_F(GromaApi, RefusesAKeyBeyondTheLast) {
  const char* key = nullptr;
  for (const std::size_t index : {std::size_t{2}, ~std::size_t{0}}) {
    EXPECT_EQ(groma_profile_key(profile, "node.bandwidth", index, &key), GROMA_BAD_ARGUMENT);
  }
  EXPECT_EQ(key, nullptr);
}

TEST_F(GromaApi, RefusesNullPointersBeforeItLooksForAnything) {
  EXPECT_EQ(groma_message_time(profile, {0, 0}, {1, 0}, 8, nullptr), GROMA_BAD_ARGUMENT);
  EXPECT_EQ(groma_message_bandwidth(profile, {0, 0}, {1, 0}, 8, nullptr), GROMA_BAD_ARGUMENT);
  EXPECT_EQ(groma_layer_between(profile, {0, 0}, {1, 0}, nullptr), GROMA_BAD_ARGUMENT);
  EXPECT_EQ(groma_layer_time(profile, 0, 8, nullptr), GROMA_BAD_ARGUMENT);
  EXPECT_EQ(groma_cache_sharers(profile, 1, 0, nullptr), GROMA_BAD_ARGUMENT);
}

TEST_F(GromaApi, RefusesNullPointers) {
  double number = 0;
  EXPECT_EQ(groma_profile_number(nullptr, "node", &number), GROMA_BAD_ARGUMENT);
  EXPECT_EQ(groma_profile_number(profile, nullptr, &number), GROMA_BAD_ARGUMENT);
  EXPECT_EQ(groma_profile_number(profile, "node", nullptr), GROMA_BAD_ARGUMENT);
  EXPECT_EQ(groma_profile_open(nullptr, &profile), GROMA_BAD_ARGUMENT);
  EXPECT_EQ(groma_profile_parse("{}", 2, nullptr), GROMA_BAD_ARGUMENT);
  groma_profile_close(nullptr);
}

TEST(GromaApiFiles, ReadsWhatTheSurveyWrites) {
  const ProfilePointer profile = open(GROMA_MADE_DATA "/example-profile.json");
  std::size_t caches = 0;
  ASSERT_EQ(groma_profile_count(profile.get(), "node.caches", &caches), GROMA_OK);
  ASSERT_GT(caches, 0U);
  groma_quantity size{};
  ASSERT_EQ(groma_profile_quantity(profile.get(), "node.caches.0.size", &size), GROMA_OK);
  EXPECT_LE(size.low, size.value);
  EXPECT_LE(size.value, size.high);
}

TEST(GromaApiFiles, TellsHowTheNetworkDegrades) {
  const ProfilePointer profile = open(GROMA_MADE_DATA "/example-network.json");
  groma_quantity ratio{};
  ASSERT_EQ(groma_network_distance_ratio(profile.get(), 1, &ratio), GROMA_OK);
  EXPECT_EQ(ratio.value, 1.0);
  ASSERT_EQ(groma_network_distance_ratio(profile.get(), 4, &ratio), GROMA_OK);
  EXPECT_GT(ratio.low, 4.0);  // a ring with a cable at half rate
  EXPECT_STREQ(ratio.unit, "ratio");
  ASSERT_EQ(groma_network_access_ratio(profile.get(), 2, &ratio), GROMA_OK);
  EXPECT_NEAR(ratio.value, 2.0, 0.1);
}

TEST(GromaApiFiles, TellsThatDistancesAndProcessesWereNotMeasured) {
  const ProfilePointer network = open(GROMA_MADE_DATA "/example-network.json");
  const ProfilePointer node = open(GROMA_MADE_DATA "/example-profile.json");
  groma_quantity ratio{};
  EXPECT_EQ(groma_network_distance_ratio(network.get(), 5, &ratio), GROMA_NOT_FOUND);
  EXPECT_EQ(groma_network_access_ratio(network.get(), 3, &ratio), GROMA_NOT_FOUND);
  EXPECT_EQ(groma_network_distance_ratio(node.get(), 1, &ratio), GROMA_NOT_FOUND);
  EXPECT_EQ(groma_network_distance_ratio(network.get(), 0, &ratio), GROMA_BAD_ARGUMENT);
  EXPECT_EQ(groma_network_access_ratio(network.get(), 0, &ratio), GROMA_BAD_ARGUMENT);
  EXPECT_EQ(groma_network_access_ratio(nullptr, 1, &ratio), GROMA_BAD_ARGUMENT);
  EXPECT_EQ(groma_network_access_ratio(network.get(), 1, nullptr), GROMA_BAD_ARGUMENT);
}

TEST(GromaApiFiles, SaysWhichFileCannotBeReadAndWhy) {
  groma_profile* profile = nullptr;
  EXPECT_EQ(groma_profile_open("no/such/file.json", &profile), GROMA_CANNOT_READ);
  EXPECT_NE(std::string(groma_last_error()).find("no/such/file.json: No such file"), std::string::npos);
  EXPECT_EQ(groma_profile_open(GROMA_TEST_DATA, &profile), GROMA_CANNOT_READ);
  EXPECT_NE(std::string(groma_last_error()).find("Is a directory"), std::string::npos);
  EXPECT_EQ(profile, nullptr);
}

TEST(GromaApiFiles, RefusesForeignAndBrokenDocuments) {
  for (const std::string_view foreign :
       {"", "{", "[]", "{}", "7", R"({"schema": "groma.record/2", "kind": "survey", "facts": {}})",
        R"({"schema": "groma.record/1", "kind": "hpcc", "facts": {}})",
        R"({"schema": "groma.record/1", "kind": "survey"})",
        R"({"schema": "groma.record/1", "kind": "survey", "facts": []})"}) {
    EXPECT_EQ(parse(foreign), GROMA_NOT_A_PROFILE) << foreign;
    EXPECT_STRNE(groma_last_error(), "");
  }
}

TEST(GromaApiThreads, ReadOneProfileAndKeepTheirOwnErrors) {
  const ProfilePointer profile = open(GROMA_MADE_DATA "/example-profile.json");
  std::vector<std::string> errors(4);
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < errors.size(); ++i) {
      threads.emplace_back([&, i] {
        const std::string path = "node.absent" + std::to_string(i);
        groma_quantity quantity{};
        for (int round = 0; round < 200; ++round) {
          groma_profile_quantity(profile.get(), "node.caches.0.latency", &quantity);
          groma_core_to_core_latency(profile.get(), 0, 1, &quantity);
          groma_cache_size(profile.get(), static_cast<int>(i), &quantity);
          groma_profile_quantity(profile.get(), path.c_str(), &quantity);
        }
        errors[i] = groma_last_error();
      });
    }
  }
  for (std::size_t i = 0; i < errors.size(); ++i) {
    EXPECT_NE(errors[i].find("node.absent" + std::to_string(i)), std::string::npos);
  }
}

TEST(GromaApiSamples, AreReadWhenAPathLeadsThere) {
  const ProfilePointer profile = open(GROMA_MADE_DATA "/example-profile.json");
  std::size_t probes = 0;
  std::size_t cases = 0;
  const char* name = nullptr;
  ASSERT_EQ(groma_profile_count(profile.get(), ".samples", &probes), GROMA_OK) << groma_last_error();
  EXPECT_GT(probes, 1U);
  ASSERT_EQ(groma_profile_key(profile.get(), ".samples", 0, &name), GROMA_OK);
  EXPECT_EQ(groma_profile_count(profile.get(), (".samples." + std::string(name) + ".cases").c_str(), &cases),
            GROMA_OK)
      << groma_last_error();
  EXPECT_GT(cases, 0U);
  EXPECT_EQ(groma_profile_count(profile.get(), ".samples.absent", &cases), GROMA_NOT_FOUND);
  EXPECT_EQ(groma_profile_count(profile.get(), ".samplesx", &cases), GROMA_NOT_FOUND);
}

TEST(GromaApiSamples, AreReadOnceByManyThreads) {
  const ProfilePointer profile = open(GROMA_MADE_DATA "/example-profile.json");
  std::vector<const char*> names(4, nullptr);
  {
    std::vector<std::jthread> threads;
    for (const char*& name : names) {
      threads.emplace_back([&] { groma_profile_key(profile.get(), ".samples", 0, &name); });
    }
  }
  ASSERT_NE(names[0], nullptr);
  for (const char* name : names) EXPECT_EQ(name, names[0]);
}

TEST(GromaApiSamples, AreCheckedWhenAPathLeadsThere) {
  constexpr const char* kBroken =
      R"({"schema": "groma.record/1", "kind": "survey", "samples": {"clock": 2e}, "facts": {"x": 7}})";
  const ProfilePointer profile = parsed(kBroken);
  std::size_t count = 0;
  double number = 0.0;
  EXPECT_EQ(groma_profile_number(profile.get(), "x", &number), GROMA_OK);
  for (int round = 0; round < 2; ++round) {
    EXPECT_EQ(groma_profile_count(profile.get(), ".samples.clock", &count), GROMA_NOT_A_PROFILE);
    EXPECT_NE(std::string(groma_last_error()).find("samples: line 1, column 13"), std::string::npos)
        << groma_last_error();
  }
}

TEST(GromaApiSamples, ThatAreNoTableHaveNoPaths) {
  const ProfilePointer profile =
      parsed(R"({"schema": "groma.record/1", "kind": "survey", "samples": 5, "facts": {}})");
  std::size_t count = 0;
  EXPECT_EQ(groma_profile_count(profile.get(), ".samples", &count), GROMA_WRONG_KIND);
  EXPECT_EQ(groma_profile_count(profile.get(), ".samples.clock", &count), GROMA_NOT_FOUND);
}

TEST(GromaApiVersion, HasThreeNumbers) {
  const std::string version = groma_version();
  EXPECT_EQ(std::count(version.begin(), version.end(), '.'), 2);
}

}  // namespace
