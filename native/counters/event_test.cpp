#include "counters/event.hpp"

#include <gtest/gtest.h>

#include <random>

#include "testing/fake_counters.hpp"

namespace groma::counters {
namespace {

constexpr std::string_view kCpu = "/sys/bus/event_source/devices/cpu/";

FakeCounters with_core() {
  FakeCounters fake;
  const std::string cpu(kCpu);
  fake.files = {{cpu + "type", "4\n"},
                {cpu + "events/cpu-cycles", "event=0x3c\n"},
                {cpu + "format/event", "config:0-7,32-35\n"},
                {cpu + "format/umask", "config:8-15\n"},
                {cpu + "format/edge", "config:18\n"},
                {cpu + "format/inv", "config:23\n"},
                {cpu + "format/cmask", "config:24-31\n"},
                {cpu + "format/offcore_rsp", "config1:0-63\n"}};
  return fake;
}

std::string reason_of(std::string_view name, const System& system) {
  std::string reason;
  EXPECT_FALSE(find_event(name, system, reason)) << name;
  return reason;
}

Event event(std::string_view name, const System& system) {
  std::string reason;
  auto found = find_event(name, system, reason);
  EXPECT_TRUE(found) << name << ": " << reason;
  return found.value_or(Event{});
}

TEST(Event, HasPortableNamesWithoutRepeats) {
  const FakeCounters none;
  for (const PortableName& one : portable_names()) EXPECT_EQ(event(one.name, none).config, one.config);
  EXPECT_EQ(event("cs", none).config, event("context-switches", none).config);
}

TEST(Event, ReadsNativeNamesFromTheirUnit) {
  const auto fake = with_core();
  EXPECT_EQ(event("cpu/cpu-cycles/", fake).config, 0x3cU);
  EXPECT_EQ(event("cpu/cpu-cycles/", fake).type, 4U);
  EXPECT_EQ(event("cpu/event=0xc0,umask=2/", fake).config, 0x2c0U);
  EXPECT_EQ(event("cpu/offcore_rsp=0xffffffffffffffff/", fake).config1, ~std::uint64_t{0});
}

TEST(ListedNames, KeepTheCommasOfNativeNames) {
  using Names = std::vector<std::string_view>;
  EXPECT_EQ(listed_names("cycles,cpu/event=0x3c,umask=1/,tsc"),
            (Names{"cycles", "cpu/event=0x3c,umask=1/", "tsc"}));
  EXPECT_EQ(listed_names("cpu/event=1,umask=2/u,cpu/event=2,umask=2/"),
            (Names{"cpu/event=1,umask=2/u", "cpu/event=2,umask=2/"}));
  EXPECT_EQ(listed_names(",cycles,,tsc,"), (Names{"cycles", "tsc"}));
  EXPECT_EQ(listed_names("cycles,cpu/event=1,umask=2"), (Names{"cycles", "cpu/event=1,umask=2"}));
  EXPECT_TRUE(listed_names("").empty());
}

TEST(Event, SpreadsAValueOverTheRangesOfItsField) {
  EXPECT_EQ(event("cpu/event=0x5a7/", with_core()).config, 0x5'0000'00a7U);
}

TEST(Event, RefusesAValueThatItsFieldCannotHold) {
  EXPECT_EQ(reason_of("cpu/umask=256/", with_core()), "the field umask of the unit cpu cannot be 256");
  EXPECT_EQ(reason_of("cpu/umask=x/", with_core()), "the field umask of the unit cpu cannot be x");
}

TEST(Event, CountsEdgesDurationsAndTheRest) {
  const auto fake = with_core();
  EXPECT_EQ(event("cpu/event=0x3c/:edge", fake).config, 0x0104'003cU);
  EXPECT_EQ(event("cpu/event=0x3c/:duration", fake).config, 0x0100'003cU);
  EXPECT_EQ(event("cpu/event=0x3c/:level", fake).config, 0x0100'003cU);
  EXPECT_EQ(event("cpu/event=0x3c/:idle", fake).config, 0x0180'003cU);
  EXPECT_EQ(event("r3c:edge", fake).config, 0x0104'003cU);
}

TEST(Event, SaysWhyItHasNoEdges) {
  EXPECT_EQ(reason_of("page-faults:edge", with_core()), "only hardware counts edges and durations");
  EXPECT_NE(reason_of("cycles:edge", with_core()).find("native"), std::string::npos);
  EXPECT_EQ(reason_of("r3c:edge", FakeCounters{}), "the unit cpu has no event and no field edge");
}

TEST(Event, CountsInTheModeThatIsAskedFor) {
  const FakeCounters none;
  EXPECT_FALSE(event("cycles:u", none).kernel);
  EXPECT_FALSE(event("cycles:k", none).user);
  EXPECT_TRUE(event("cycles:uk", none).kernel);
  EXPECT_FALSE(event("page-faults:u", none).usage);
}

TEST(Event, RefusesWhatIsNoneInOneLine) {
  const auto fake = with_core();
  for (const auto* name :
       {"", "cyclés", "cpu/", "cpu/nothing/", "absent/x/", "r", "rxyz", "cycles:z", "papi:", "tsc:u",
        "../etc/passwd/", "cpu/../type/", "/", "//", ":", "cpu/event=/:", "papi"}) {
    std::string reason;
    if (find_event(name, fake, reason)) continue;
    EXPECT_FALSE(reason.empty()) << name;
    EXPECT_EQ(reason.find('\n'), std::string::npos) << name;
  }
  EXPECT_FALSE(reason_of("cpu/../type/", fake).empty());
}

TEST(Event, SurvivesAnyText) {
  const auto fake = with_core();
  constexpr std::string_view kSigns = "cpu/event=0x3-,:rk tscpapi\n";
  std::mt19937 random(7);
  for (int i = 0; i < 20000; ++i) {
    std::string name;
    for (auto length = random() % 24; length > 0; --length) name += kSigns[random() % kSigns.size()];
    std::string reason;
    const bool is_found = find_event(name, fake, reason).has_value();
    EXPECT_EQ(reason.empty(), is_found) << name;
  }
}

}  // namespace
}  // namespace groma::counters
