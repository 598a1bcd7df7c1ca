#include "survey/probe.hpp"

#include <gtest/gtest.h>

namespace groma::survey {
namespace {

const ProbeInfo kInfo{.name = "example",
                      .title = "",
                      .measures = "",
                      .method = "",
                      .traffic = "",
                      .reference = "",
                      .parameters = {{"mode", "huge", "both", "both", "a word"}}};

TEST(Probes, RegisterThemselvesAndRunByTheirOrder) {
  const auto run = [](const Context&) -> Status { return Done{}; };
  const auto named = [](std::string_view name, std::uint32_t order) {
    ProbeInfo info = kInfo;
    info.name = name;
    info.order = order;
    return info;
  };
  const Registration late(named("test_a_late", 4'000'000'002), run);
  const Registration second(named("test_z", 4'000'000'001), run);
  const Registration first(named("test_b", 4'000'000'001), run);
  const auto probes = Probes::all();
  ASSERT_GE(probes.size(), 3U);
  EXPECT_EQ(probes.at(probes.size() - 3)->info.name, "test_b");
  EXPECT_EQ(probes.at(probes.size() - 2)->info.name, "test_z");
  EXPECT_EQ(probes.back()->info.name, "test_a_late");
  EXPECT_EQ(Probes::find("test_z"), probes.at(probes.size() - 2));
  EXPECT_EQ(Probes::find("no such probe"), nullptr);
}

/// Holds for the example and, in the full test program, for every real probe.
TEST(Probes, ParseTheirOwnDefaultsAtEveryDepth) {
  for (const Probe* probe : Probes::all()) {
    for (const char* depth : {"quick", "standard", "thorough"}) {
      const auto parsed = Parameters::parse(probe->info, {std::string("depth=") + depth});
      ASSERT_TRUE(parsed) << probe->info.name;
      for (const Parameter& one : parameters_of(probe->info)) {
        const std::string again = std::string(one.name) + "=" + parsed.value().text(one.name);
        EXPECT_TRUE(Parameters::parse(probe->info, {again})) << probe->info.name << " refuses " << again;
      }
    }
  }
}

}  // namespace
}  // namespace groma::survey
