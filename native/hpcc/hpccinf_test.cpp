#include "hpcc/hpccinf.hpp"

#include <gtest/gtest.h>

#include "base/random.hpp"
#include "testing/one_thread.hpp"

ALL_ON_ONE_THREAD;

namespace groma::hpcc {
namespace {

const std::vector<std::string>& lines_of_example() {
  static const std::vector<std::string> lines = {
      "HPLinpack benchmark input file",
      "Somebody's cluster",
      "HPL.out      output file name (if any)",
      "8            device out (6=stdout,7=stderr,file)",
      "2            # of problems sizes (N)",
      "1000 2000    Ns",
      "1            # of NBs",
      "80           NBs",
      "1            PMAP process mapping (0=Row-,1=Column-major)",
      "2            # of process grids (P x Q)",
      "2 1          Ps",
      "2 4          Qs",
      "16.0         threshold",
      "2            # of panel fact",
      "0 2          PFACTs (0=left, 1=Crout, 2=Right)",
      "1            # of recursive stopping criterium",
      "4            NBMINs (>= 1)",
      "1            # of panels in recursion",
      "2            NDIVs",
      "1            # of recursive panel fact.",
      "1            RFACTs (0=left, 1=Crout, 2=Right)",
      "1            # of broadcast",
      "3            BCASTs (0=1rg,1=1rM,2=2rg,3=2rM,4=Lng,5=LnM)",
      "1            # of lookahead depth",
      "0            DEPTHs (>=0)",
      "1            SWAP (0=bin-exch,1=long,2=mix)",
      "60           swapping threshold",
      "1            L1 in (0=transposed,1=no-transposed) form",
      "0            U  in (0=transposed,1=no-transposed) form",
      "0            Equilibration (0=no,1=yes)",
      "16           memory alignment in double (> 0)",
      "##### This line (no. 32) is ignored. ######",
      "1                               Number of additional problem sizes for PTRANS",
      "1200 10000 30000                values of N",
      "2                               number of additional blocking sizes for PTRANS",
      "40 9 8 13 13 20 16 32 64        values of NB",
  };
  return lines;
}

std::string joined(const std::vector<std::string>& lines, const std::string& end = "\n") {
  std::string text;
  for (const std::string& line : lines) text += line + end;
  return text;
}

std::string example() {
  return joined(lines_of_example());
}

/// The example with another line `number`.
std::string with_line(std::size_t number, const std::string& line) {
  std::vector<std::string> lines = lines_of_example();
  lines.at(number - 1) = line;
  return joined(lines);
}

std::string first_lines(std::size_t count) {
  const auto& lines = lines_of_example();
  return joined({lines.begin(), lines.begin() + static_cast<std::ptrdiff_t>(count)});
}

std::string complaint(const std::string& text) {
  const Result<Input> input = parse_hpccinf(text);
  if (input) return "accepted";
  EXPECT_EQ(input.error().code, "usage");
  EXPECT_EQ(input.error().what.find('\n'), std::string::npos);
  return input.error().what;
}

TEST(Hpccinf, ReadsEveryLineOfAnExample) {
  const Result<Input> read = parse_hpccinf(example());
  ASSERT_TRUE(read) << read.error().what;
  const Input& input = read.value();
  EXPECT_EQ(input.n, (std::vector<std::uint64_t>{1000, 2000}));
  EXPECT_EQ(input.nb, std::vector<std::uint64_t>{80});
  EXPECT_EQ(input.order, RankOrder::kColumnMajor);
  EXPECT_EQ(input.grids, (std::vector<Grid>{{2, 2}, {1, 4}}));
  EXPECT_EQ(input.residual_threshold, 16.0);
  ASSERT_EQ(input.methods.size(), 2U);
  const HplMethod& method = input.methods[1];
  EXPECT_EQ(method.panel, PanelFactorization::kRight);
  EXPECT_EQ(method.recursion_stop, 4U);
  EXPECT_EQ(method.recursion_parts, 2U);
  EXPECT_EQ(method.recursion, PanelFactorization::kCrout);
  EXPECT_EQ(method.broadcast, PanelBroadcast::kTwoRingModified);
  EXPECT_EQ(method.look_ahead, 0);
  EXPECT_EQ(method.swap, RowSwap::kSpreadRoll);
  EXPECT_EQ(method.swap_threshold, 60U);
  EXPECT_FALSE(method.lower_transposed);
  EXPECT_TRUE(method.upper_transposed);
  EXPECT_FALSE(method.equilibrate);
  EXPECT_EQ(method.alignment, 16U);
  EXPECT_EQ(input.ptrans_n, std::vector<std::uint64_t>{1200});
  EXPECT_EQ(input.ptrans_nb, (std::vector<std::uint64_t>{40, 9}));
}

TEST(Hpccinf, TakesTabsAndLineEndsOfOtherSystems) {
  EXPECT_TRUE(parse_hpccinf(joined(lines_of_example(), "\r\n")));
  EXPECT_TRUE(parse_hpccinf(with_line(6, "\t1000\t+2000\tNs")));
  std::string open = example();
  open.pop_back();  // no line end at the end
  EXPECT_TRUE(parse_hpccinf(open));
  EXPECT_TRUE(parse_hpccinf(example() + "\n\nnotes of mine\n"));
}

/// HPL takes the digits at the begin of a word, and then looks at no more words than it was told of.
TEST(Hpccinf, TakesALastValueWithItsCommentDirectlyBehindIt) {
  const Result<Input> input = parse_hpccinf(with_line(6, "1000 2000Ns"));
  ASSERT_TRUE(input) << input.error().what;
  EXPECT_EQ(input.value().n, (std::vector<std::uint64_t>{1000, 2000}));
  EXPECT_EQ(parse_hpccinf(with_line(8, "+80NBs")).value().nb, std::vector<std::uint64_t>{80});
  EXPECT_EQ(parse_hpccinf(with_line(13, "1.5threshold")).value().residual_threshold, 1.5);
  EXPECT_TRUE(parse_hpccinf(with_line(5, "2problems (N)")));
}

TEST(Hpccinf, RefusesAValueThatGoesOnAsAnotherNumber) {
  for (const char* line :
       {"1000Ns 2000", "1000 2000.5", "1000 2e3", "1000 2k", "1000 0x10", "1000 2000-Ns"}) {
    EXPECT_NE(complaint(with_line(6, line)).find("line 6 (Ns): found"), std::string::npos) << line;
  }
  EXPECT_NE(complaint(with_line(13, "1.0.0")).find("line 13"), std::string::npos);
}

TEST(Hpccinf, IgnoresTheFirstFourLinesAndTheSeparator) {
  for (const std::size_t number : {1U, 2U, 3U, 4U, 32U}) EXPECT_TRUE(parse_hpccinf(with_line(number, "")));
}

TEST(Hpccinf, TakesAnInputOfHplAlone) {
  for (const std::size_t count : {31U, 32U}) {
    const Result<Input> input = parse_hpccinf(first_lines(count));
    ASSERT_TRUE(input) << input.error().what;
    EXPECT_TRUE(input.value().ptrans_n.empty());
  }
}

TEST(Hpccinf, TakesAnInputOfHplAloneWithBlankLinesBehindIt) {
  for (const std::string blank : {"\n\n", "\r\n \t\r\n\r\n", "\n\n\n\n\n\n\n"}) {
    const Result<Input> input = parse_hpccinf(first_lines(31) + blank);
    ASSERT_TRUE(input) << input.error().what;
    EXPECT_TRUE(input.value().ptrans_n.empty());
    EXPECT_TRUE(parse_hpccinf(example() + blank));
  }
}

TEST(Hpccinf, NamesTheLineAtWhichAFileEnds) {
  EXPECT_EQ(complaint(""), "it ends after line 0; expected 36 lines, or the 31 lines of an HPL.dat");
  EXPECT_EQ(complaint(first_lines(30)),
            "it ends after line 30; expected 36 lines, or the 31 lines of an HPL.dat");
  EXPECT_EQ(
      complaint(first_lines(33)),
      "line 34 (Ns for PTRANS): the file ends before it, but a whole number from 1 to 67108864 is expected");
  EXPECT_EQ(complaint(first_lines(34)),
            "line 35 (number of NBs for PTRANS): the file ends before it, but a whole number from 0 to 64 is "
            "expected");
  EXPECT_NE(complaint(first_lines(35)).find("line 36"), std::string::npos);
}

TEST(Hpccinf, NamesWhatStandsInALineAndWhatIsExpected) {
  EXPECT_EQ(
      complaint(with_line(6, "1000 lots Ns")),
      "line 6 (Ns): found 'lots' after 1 of 2 values, but 2 whole numbers from 1 to 67108864 are expected");
  EXPECT_EQ(complaint(with_line(8, "-80 NBs")),
            "line 8 (NBs): found '-80', but a whole number from 1 to 67108864 is expected");
  EXPECT_EQ(complaint(with_line(6, "0 1 Ns")),
            "line 6 (Ns): found '0', but 2 whole numbers from 1 to 67108864 are expected");
  EXPECT_EQ(complaint(with_line(13, "sixteen")),
            "line 13 (threshold): found 'sixteen', but a positive number such as 16.0 is expected");
  EXPECT_EQ(
      complaint(with_line(15, "0")),
      "line 15 (PFACTs): the line ends after 1 of 2 values, but 2 whole numbers from 0 to 2 are expected");
}

TEST(Hpccinf, RefusesNumbersThatNoMachineHolds) {
  EXPECT_NE(complaint(with_line(6, "99999999999999999999999 1")).find("line 6"), std::string::npos);
  EXPECT_NE(complaint(with_line(7, "1000000000")).find("line 7"), std::string::npos);
  std::vector<std::string> grids = lines_of_example();
  grids[10] = grids[11] = "65536 1";
  EXPECT_NE(complaint(joined(grids)).find("line 12 (Qs): P times Q is 4294967296"), std::string::npos);
  EXPECT_NE(complaint(with_line(13, "nan")).find("line 13"), std::string::npos);
}

TEST(Hpccinf, RefusesListsThatMultiplyBeyondMeasure) {
  std::vector<std::string> lines = lines_of_example();
  for (const std::size_t number : {14U, 16U, 18U, 20U, 22U, 24U}) {
    lines[number - 1] = "60";
    std::string& list = lines[number];
    list.clear();
    for (int i = 0; i < 60; ++i) list += number == 14 || number >= 20 ? "1 " : "4 ";
  }
  EXPECT_NE(complaint(joined(lines)).find("multiply"), std::string::npos);
}

TEST(Hpccinf, ShowsNothingOfABinaryFile) {
  EXPECT_NE(complaint(std::string("\x7f"
                                  "ELF\0\0\n",
                                  7))
                .find("not a text file"),
            std::string::npos);
  const std::string garbled = complaint(with_line(6, "\x1b[31m\xff\xfe Ns"));
  for (const char character : garbled) EXPECT_TRUE(character >= ' ' && character <= '~');
}

/// Whatever is in the file: an input or one clear line, never a crash.
TEST(Hpccinf, SurvivesAnyDamage) {
  RandomStream random(7);
  for (int trial = 0; trial < 3000; ++trial) {
    std::string text = example();
    for (std::uint64_t i = random.below(20) + 1; i > 0; --i) {
      const std::size_t at = random.below(text.size());
      const std::uint64_t kind = random.below(3);
      if (kind == 0) text[at] = static_cast<char>(random.below(256));
      if (kind == 1) text.erase(at, random.below(40));
      if (kind == 2) text.insert(at, std::to_string(static_cast<std::int64_t>(random.next())));
      if (text.empty()) break;
    }
    const Result<Input> input = parse_hpccinf(text);
    if (input) {
      EXPECT_FALSE(input.value().n.empty());
      for (const std::uint64_t n : input.value().n) EXPECT_GE(n, 1U);
      for (const Grid& grid : input.value().grids) EXPECT_GE(grid.ranks(), 1);
    } else {
      EXPECT_EQ(input.error().what.find('\n'), std::string::npos);
      EXPECT_LT(input.error().what.size(), 300U);
    }
  }
}

TEST(ReadInputText, SaysWhyAFileCannotBeRead) {
  EXPECT_NE(read_input_text("/nowhere/hpccinf.txt").error().what.find("cannot be read"), std::string::npos);
  EXPECT_NE(read_input_text("/tmp").error().what.find("folder"), std::string::npos);
  EXPECT_NE(read_input_text("/dev/zero").error().what.find("1 MiB"), std::string::npos);
}

}  // namespace
}  // namespace groma::hpcc
