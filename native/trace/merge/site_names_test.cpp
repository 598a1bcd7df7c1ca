#include "trace/merge/site_names.hpp"

#include <gtest/gtest.h>

#include <sstream>

#include "trace/merge/addr2line.hpp"
#include "trace/model/event_types.hpp"

namespace groma::trace {
namespace {

const Module kProgram{"/home/program", 10, 20};

std::string label(const SiteNames& sites, std::uint32_t type, std::uint64_t value) {
  Names names;
  sites.name(names);
  return names.events.at(type).values.at(value);
}

TEST(SiteNames, AskForTheInstructionBeforeTheReturnAndNameWhatIsThere) {
  SiteNames sites;
  const auto first = sites.number({kProgram, 0x100});
  const auto second = sites.number({kProgram, 0x80});
  EXPECT_EQ(sites.number({kProgram, 0x100}), first);
  sites.resolve([](const Module& module, std::span<const std::uint64_t> addresses) {
    EXPECT_EQ(module, kProgram);
    EXPECT_EQ((std::vector<std::uint64_t>(addresses.begin(), addresses.end())),
              (std::vector<std::uint64_t>{0x7f, 0xff}));
    return std::vector<Symbol>{{"main", "/src/a.c", 5}, {"main", "/src/a.c", 7}};
  });
  EXPECT_EQ(sites.of(first).function, sites.of(second).function);
  EXPECT_EQ(label(sites, kCallerType, sites.of(first).function), "main");
  EXPECT_EQ(label(sites, kCallerLineType, sites.of(first).line), "7 (a.c, program)");
  EXPECT_EQ(label(sites, kCallerLineType, sites.of(second).line), "5 (a.c, program)");
}

TEST(SiteNames, KeepEqualNamesOfTwoFilesApart) {
  SiteNames sites;
  const auto first = sites.number({kProgram, 1});
  const auto second = sites.number({kProgram, 2});
  sites.resolve([](const auto&, auto) {
    return std::vector<Symbol>{{"help", "/src/a.c", 5}, {"help", "/src/b.c", 5}};
  });
  EXPECT_NE(sites.of(first).function, sites.of(second).function);
  EXPECT_NE(sites.of(first).line, sites.of(second).line);
}

TEST(SiteNames, GiveTheAddressInItsModuleWhereNothingIsKnown) {
  SiteNames sites;
  const auto known = sites.number({{"/lib/b.so", 1, 2}, 0x1f});
  const auto nowhere = sites.number({{}, 0xabc});
  sites.resolve(no_symbols);
  EXPECT_EQ(label(sites, kCallerType, sites.of(known).function), "b.so+0x1f");
  EXPECT_EQ(label(sites, kCallerLineType, sites.of(known).line), "b.so+0x1f");
  EXPECT_EQ(label(sites, kCallerLineType, sites.of(nowhere).line), "0xabc");
}

TEST(SiteNames, KeepLabelsOnOneLine) {
  SiteNames sites;
  const auto odd = sites.number({{"/lib/a\nb", 1, 2}, 1});
  sites.resolve(no_symbols);
  EXPECT_EQ(label(sites, kCallerType, sites.of(odd).function), "a?b+0x1");
}

TEST(SiteNames, NameNothingWithoutSites) {
  SiteNames sites;
  sites.resolve(no_symbols);
  Names names;
  sites.name(names);
  EXPECT_TRUE(names.events.empty());
}

TEST(Addr2line, IsReadWithItsUnknownsAndDiscriminators) {
  std::istringstream said("main\n/src/a:b.c:12 (discriminator 3)\n??\n??:0\nf(int)\n??:?\n");
  const auto symbols = read_symbols(said);
  ASSERT_EQ(symbols.size(), 3U);
  EXPECT_EQ(symbols[0].file, "/src/a:b.c");
  EXPECT_EQ(symbols[0].line, 12U);
  EXPECT_EQ(symbols[1].function, "");
  EXPECT_EQ(symbols[1].file, "");
  EXPECT_EQ(symbols[2].function, "f(int)");
  EXPECT_EQ(symbols[2].line, 0U);
}

TEST(Addr2line, SaysNothingOfAFileThatIsNotTheOneThatWasTraced) {
  const auto symbols = addr2line("/tmp");
  const std::vector<std::uint64_t> addresses{1};
  EXPECT_TRUE(symbols({"/proc/self/exe", 1, 1}, addresses).empty());
  EXPECT_TRUE(symbols({"relative", 1, 1}, addresses).empty());
}

}  // namespace
}  // namespace groma::trace
