#include "hpcc/options.hpp"

#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <fstream>

#include "hpcc/sizing.hpp"
#include "testing/one_thread.hpp"

ALL_ON_ONE_THREAD;

namespace groma::hpcc {
namespace {

Options parsed(const std::vector<std::string>& arguments) {
  const Result<Options> options = parse_options(arguments);
  EXPECT_TRUE(options) << options.error().what;
  return options ? options.value() : Options{};
}

std::string refused(const std::vector<std::string>& arguments) {
  const Result<Options> options = parse_options(arguments);
  return options ? "accepted" : options.error().code + ": " + options.error().what;
}

TEST(Options, TakeValuesBehindASpaceOrAnEqualsSign) {
  EXPECT_EQ(parsed({"-N", "100,200"}).n, (std::vector<std::uint64_t>{100, 200}));
  EXPECT_EQ(parsed({"--n=100"}).n, std::vector<std::uint64_t>{100});
  EXPECT_EQ(parsed({"--grid", "2x3,1x6"}).grids, (std::vector<Grid>{{2, 3}, {1, 6}}));
  EXPECT_EQ(parsed({"plan", "--ranks", "4"}).ranks, 4);
}

TEST(Options, TakeMemoryAsBytesWithAUnitOrAsAShare) {
  EXPECT_EQ(parsed({"--memory", "8GiB"}).memory, Bytes(std::uint64_t{8} << 30U));
  EXPECT_EQ(parsed({"--memory", "1.5kB"}).memory, Bytes(1500));
  EXPECT_EQ(parsed({"--memory", "4096"}).memory, Bytes(4096));
  EXPECT_DOUBLE_EQ(parsed({"--memory", "25%"}).memory_share.value_or(0.0), 0.25);
  for (const std::string text : {"0%", "101%", "-1GiB", "8 GiB", "GiB", "nan", "inf", "1e99TiB", ""}) {
    EXPECT_NE(refused({"--memory", text}).find("usage: --memory"), std::string::npos) << text;
  }
}

TEST(Options, NameTheRangeOfANumberThatIsOutsideIt) {
  for (const auto& [option, value, range] : {std::array{"--threads", "4097", "1 to 4096"},
                                             {"--repeat", "4294967296", "1 to 4294967295"},
                                             {"--seed", "18446744073709551616", "0 to 2^64 - 1"},
                                             {"-N", "67108865", "1 to 67108864"},
                                             {"--nb", "0", "1 to 67108864"},
                                             {"--grid", "0x2", "16777216"}}) {
    const Result<Options> options = parse_options({option, value});
    ASSERT_FALSE(options) << option;
    EXPECT_NE(options.error().next.find(range), std::string::npos) << options.error().next;
  }
}

TEST(Options, CountTheLastTimeThatTheyAreGiven) {
  EXPECT_EQ(parsed({"--memory", "25%", "--memory", "4096"}).memory_share, std::nullopt);
  EXPECT_EQ(parsed({"--memory", "4096", "--memory", "25%"}).memory, std::nullopt);
  EXPECT_EQ(parsed({"-N", "100", "--n", "200"}).n, std::vector<std::uint64_t>{200});
  EXPECT_EQ(parsed({"--grid", "1x2", "--grid", "2x1"}).grids, (std::vector<Grid>{{2, 1}}));
  EXPECT_EQ(parsed({"--only", "hpl", "--only", "fft"}).only, std::vector<std::string>{"fft"});
}

TEST(Options, TakeTimesInSecondsMinutesAndHours) {
  EXPECT_EQ(parsed({"--budget", "90"}).effort.budget, Seconds(90));
  EXPECT_EQ(parsed({"--budget", "1.5s"}).effort.budget, Seconds(1.5));
  EXPECT_EQ(parsed({"--budget", "2min"}).effort.budget, Seconds(120));
  EXPECT_NE(refused({"--budget", "-1"}), "accepted");
  EXPECT_NE(refused({"--budget", "soon"}), "accepted");
  EXPECT_NE(refused({"--budget", "1e308h"}), "accepted") << "no number of seconds";
}

TEST(Options, TakeRatesByTheirNames) {
  const std::vector<GivenRate> rates = parsed({"--rates", "multiply=4e10,shared_updates=2e7"}).rates;
  const Rates taken = replaced({}, rates);
  EXPECT_EQ(rates.size(), 2U);
  EXPECT_EQ(taken.multiply, 4e10);
  EXPECT_EQ(taken.shared_updates, 2e7);
  EXPECT_EQ(taken.bandwidth, Rates{}.bandwidth);
  for (const std::string text : {"", "multiply", "multiply=", "=1", "speed=1", "multiply=0", "multiply=-1",
                                 "multiply=nan", "multiply=inf", "multiply=1x"}) {
    EXPECT_NE(refused({"--rates", text}).find("usage: --rates takes"), std::string::npos) << text;
  }
}

TEST(Options, SayWhatAnotherNameOfAnOptionTakes) {
  const Result<Options> options = parse_options({"run", "--n", "0"});
  ASSERT_FALSE(options);
  EXPECT_NE(options.error().next.find("orders of the HPL matrix"), std::string::npos) << options.error().next;
}

TEST(Options, NameTheOptionThatIsWrong) {
  EXPECT_EQ(refused({"--frobnicate"}), "usage: unknown option or verb '--frobnicate'");
  EXPECT_NE(refused({"-N", "0"}).find("-N takes"), std::string::npos);
  EXPECT_NE(refused({"-N"}).find("-N takes"), std::string::npos);
  EXPECT_NE(refused({"-N", "99999999999"}).find("-N takes"), std::string::npos);
  EXPECT_NE(refused({"--grid", "2x3x"}).find("--grid takes"), std::string::npos);
  EXPECT_NE(refused({"--grid", "65536x65536"}).find("--grid takes"), std::string::npos);
  EXPECT_NE(refused({"--threads", "4294967295"}).find("--threads takes"), std::string::npos);
  EXPECT_NE(refused({"--append=yes"}).find("--append takes"), std::string::npos);
}

TEST(Options, RefuseOneFileForTheSummaryAndTheEvents) {
  EXPECT_NE(refused({"--output", "a", "--events", "./a"}).find("same file"), std::string::npos);
  EXPECT_NE(refused({"--events", "hpccoutf.txt"}).find("same file"), std::string::npos);
  EXPECT_EQ(parsed({"--output", "/dev/null", "--events", "/dev/null"}).events, "/dev/null");
}

TEST(Options, RefuseToReplaceTheInput) {
  EXPECT_NE(refused({"--input", "sizes", "--output", "./sizes"}).find("would replace the input"),
            std::string::npos);
  EXPECT_NE(refused({"--input", "sizes", "--events", "sizes"}).find("--events would"), std::string::npos);
  EXPECT_NE(refused({"--output", "hpccinf.txt"}).find("--output would"), std::string::npos);
  EXPECT_EQ(parsed({"--input", "/dev/stdin", "--events", "/dev/stdin"}).input, "/dev/stdin");
}

/// Options are read on every rank, files on one: ranks elsewhere may see other links.
TEST(FindInput, RefusesFilesOfARunThatLeadToOnePlace) {
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "groma-one-place";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder / "in");
  std::ofstream(folder / "sizes") << "text\n";
  std::filesystem::create_symlink("sizes", folder / "link");
  std::filesystem::create_directory_symlink("in", folder / "way");
  const auto error_of = [&](const std::string& option, const std::string& one,
                            const std::string& other_option, const std::string& other) {
    const auto found =
        find_input(parsed({option, (folder / one).string(), other_option, (folder / other).string()}));
    return found ? "accepted" : found.error().code + ": " + found.error().what;
  };
  EXPECT_NE(error_of("--input", "sizes", "--output", "link").find("usage: --output would"),
            std::string::npos);
  EXPECT_NE(error_of("--input", "link", "--events", "sizes").find("usage: --events would"),
            std::string::npos);
  EXPECT_NE(error_of("--output", "in/a", "--events", "way/a").find("same file"), std::string::npos);
  EXPECT_EQ(error_of("--output", "in/a", "--events", "in/b"), "accepted");
  const std::string here = std::filesystem::current_path().string();
  EXPECT_FALSE(find_input(parsed({"--output", "made-by-no-one", "--events", here + "/made-by-no-one"})));
  std::filesystem::remove_all(folder);
}

TEST(Options, RefuseTwoSizesOfOneMatrix) {
  EXPECT_NE(refused({"-N", "100", "--memory", "1GiB"}).find("both"), std::string::npos);
}

}  // namespace
}  // namespace groma::hpcc
