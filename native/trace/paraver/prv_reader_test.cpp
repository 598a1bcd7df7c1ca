#include "trace/paraver/prv_reader.hpp"

#include <gtest/gtest.h>

#include "testing/fakes.hpp"
#include "testing/trace_sink.hpp"
#include "trace/paraver/names_reader.hpp"

namespace groma::trace {
namespace {

using test::TraceInMemory;

const std::string kHeader = "#Paraver (01/02/26 at 03:04):1000_ns:2(2,2):1:2(2:1,1:2),1\n";

ReadReport read(const std::string& text, TraceInMemory& sink) {
  const auto report = read_prv_text(text, sink);
  EXPECT_TRUE(report) << report.error().what;
  return report ? report.value() : ReadReport{};
}

std::uint64_t defects(const std::string& text, TraceDefect kind) {
  TraceInMemory sink;
  return read(text, sink).of(kind).count;
}

TEST(PrvReader, GivesHeaderRecordsInTheOrderOfTheFile) {
  TraceInMemory sink;
  const auto report = read(kHeader +
                               "c:1:7:2:1:2\ni:1:9:7:1:8:2\n# a comment\n"
                               "1:1:1:1:1:0:100:1\n2:2:1:1:2:100:50000001:3:42:-5\n"
                               "3:1:1:1:1:110:120:3:1:2:1:90:130:4096:-1\n",
                           sink);
  EXPECT_EQ(sink.layout.created, "01/02/26 at 03:04");
  ASSERT_EQ(sink.layout.objects.size(), 3U);
  EXPECT_EQ(sink.layout.objects[2].task, 1U);
  EXPECT_EQ(sink.layout.objects[2].node, 1U);
  EXPECT_EQ(sink.layout.objects[2].cpu, 2U);
  ASSERT_EQ(sink.layout.communicators.size(), 1U);
  EXPECT_EQ(sink.layout.communicators[0].tasks, (std::vector<std::uint32_t>{0, 1}));
  ASSERT_EQ(sink.layout.intercommunicators.size(), 1U);
  ASSERT_EQ(sink.states.size(), 1U);
  EXPECT_EQ(sink.states[0].end, 100U);
  ASSERT_EQ(sink.events.size(), 2U);
  EXPECT_EQ(sink.events[1].object, 1U);
  EXPECT_EQ(static_cast<std::int64_t>(sink.events[1].value), -5);
  ASSERT_EQ(sink.communications.size(), 1U);
  EXPECT_EQ(sink.communications[0].receiver, 2U);
  EXPECT_EQ(sink.communications[0].physical_receive, 130U);
  EXPECT_EQ(report.event_lines, 1U);
  EXPECT_EQ(report.last_time, 130U);
  EXPECT_TRUE(sink.ended);
}

TEST(PrvReader, TakesTimesWithoutUnitAsMicroseconds) {
  TraceInMemory sink;
  const auto report = read("#Paraver (x):5:0:1:1(1:0)\r\n1:0:1:1:1:2:5:1\r\n", sink);
  EXPECT_EQ(report.of(TraceDefect::kNoUnit).count, 1U);
  ASSERT_EQ(sink.states.size(), 1U);
  EXPECT_EQ(sink.states[0].begin, 2000U);
  EXPECT_EQ(report.of(TraceDefect::kWrongDuration).count, 0U);
}

TEST(PrvReader, KnowsBothSeparatorsOfApplications) {
  for (const std::string text :
       {"2(1:1,1:1),2(1:1,2:1),3", "2(1:1,1:1):2(1:1,2:1),3", "2(1:1,1:1),0:2(1:1,2:1)"}) {
    TraceInMemory sink;
    const auto report = read("#Paraver (x):5_ns:1(4):2:" + text + "\n2:1:2:2:2:5:1:1\n", sink);
    EXPECT_EQ(sink.layout.objects.size(), 5U) << text;
    ASSERT_EQ(sink.events.size(), 1U) << text;
    EXPECT_EQ(sink.events[0].object, 4U);
    EXPECT_EQ(report.of(TraceDefect::kMalformed).count, 0U) << text;
  }
}

/// Those of EAR, of a plug-in of QEMU, of ovni, of Paraver's own cutter, and what Paraver takes as well.
TEST(PrvReader, KnowsHeadersThatToolsWrite) {
  for (const auto& [text, duration] : std::initializer_list<std::pair<std::string, Nanoseconds>>{
           {"(27/10/2022 at 06:17):00000000000000002000:1(48):1:2:(1:1,1:1)", 2000000},
           {"(x):1_ns:1(2):1:2:(2:1,1:1)", 1},
           {"(x):1_ns:1(2):2:1:(2:1),1:(1:1)", 1},
           {"(x):00002000_ns:0:1:2(2:1,1:1)", 2000},
           {"(x):2000_ms:1(2):1:2(2:1,1:1)", 2000000000},
           {"(x):2000_s:1(2):1:2(2:1,1:1)", 2000000},
           {"(x):2000.5_us:1(2):1:2(2:1,1:1)", 2000000},
           {"(x):2e3_ns:1(2):1:2(2:1,1:1)", 2000},
           {"(x): 2000_ns: 1(2): 1: 2(2:1,1:1)", 2000}}) {
    TraceInMemory sink;
    const auto report = read("#Paraver " + text + "\n2:1:1:1:1:0:1:1\n", sink);
    EXPECT_EQ(sink.events.size(), 1U) << text;
    EXPECT_GE(sink.layout.objects.size(), 2U) << text;
    EXPECT_EQ(sink.layout.duration, duration) << text;
    EXPECT_EQ(report.of(TraceDefect::kMalformed).count, 0U) << text;
  }
  EXPECT_EQ(defects("new format\n" + kHeader + "2:1:1:1:1:1000:1:1\n", TraceDefect::kMalformed), 0U);
  EXPECT_EQ(defects("#Paraver (x):5_s:1(1):1:1(1:1)\n", TraceDefect::kNoUnit), 1U);
}

TEST(PrvReader, KnowsCommunicatorsInCapitals) {
  TraceInMemory sink;
  const auto report = read(kHeader + "C:1:7:2:1:2\nI:1:9:7:1:8:2\n2:1:1:1:1:1000:1:1\n", sink);
  EXPECT_EQ(sink.layout.communicators.size(), 1U);
  EXPECT_EQ(sink.layout.intercommunicators.size(), 1U);
  EXPECT_TRUE(report.warnings().empty());
}

TEST(PrvReader, LetsAStateWithoutEndLastToTheNextOfItsThreadOrToTheEnd) {
  TraceInMemory sink;
  const auto report =
      read(kHeader + "1:1:1:1:1:0:-1:1\n1:2:1:1:2:5:-1:13\n1:1:1:1:1:400:500:4\n2:1:1:1:1:900:1:1\n", sink);
  ASSERT_EQ(sink.states.size(), 3U);
  EXPECT_EQ(sink.states[0].end, 400U);
  EXPECT_EQ(sink.states[1].begin, 400U);
  EXPECT_EQ(sink.states[2].state, 13U);
  EXPECT_EQ(sink.states[2].end, 1000U) << "that of the header";
  EXPECT_EQ(report.states, 3U);
  EXPECT_EQ(report.last_time, 1000U);
  EXPECT_EQ(report.of(TraceDefect::kOpenState).count, 2U);
  EXPECT_EQ(report.of(TraceDefect::kUnsorted).count, 1U) << "the last one comes after the event";
  EXPECT_EQ(report.of(TraceDefect::kOutOfRange).count, 0U);
}

TEST(PrvReader, KeepsCpusCommentsAndSigns) {
  TraceInMemory sink;
  const auto report = read(kHeader +
                               "# a comment\n#20240102:CUTTER:x\n1:1:1:1:1:0:100:1\n1:4:1:1:1:100:200:1\n"
                               "2:0:1:1:2:200:5:-5:6:18446744073709551611\n"
                               "3:1:1:1:1:200:200:4:1:2:1:200:1000:4096:-1\n# late\n",
                           sink);
  EXPECT_EQ(sink.layout.comments, (std::vector<std::string>{" a comment", "20240102:CUTTER:x"}));
  EXPECT_EQ(report.of(TraceDefect::kLateComment).count, 1U);
  EXPECT_EQ(sink.states.at(0).cpu, kUsualCpu);
  EXPECT_EQ(sink.states.at(1).cpu, 4U);
  EXPECT_EQ(sink.events.at(0).cpu, 0U);
  EXPECT_TRUE(sink.events.at(0).is_negative);
  EXPECT_FALSE(sink.events.at(1).is_negative);
  EXPECT_EQ(sink.events.at(0).value, sink.events.at(1).value);
  EXPECT_EQ(sink.communications.at(0).sender_cpu, kUsualCpu);
  EXPECT_EQ(sink.communications.at(0).receiver_cpu, 4U);
  EXPECT_TRUE(sink.communications.at(0).has_negative_tag);
}

TEST(PrvReader, TakesTextsThatAreNoUtf8AsLatin1) {
  const fake::Tree tree;
  tree.write("t.prv", "#Paraver (f\xE9v):9_ns:1(1):1:1(1:1)\n#\xE9\n2:1:1:1:1:9:1:1\n");
  tree.write("t.pcf", "EVENT_TYPE\n9 1 \xC9tat\nVALUES\n1 \xC3\xA9t\xC3\xA9\n");
  tree.write("t.row", "LEVEL NODE SIZE 1\nn\xE9\n");
  TraceInMemory sink;
  const auto report = read_prv(tree.root() + "t.prv", sink);
  ASSERT_TRUE(report);
  EXPECT_EQ(report.value().of(TraceDefect::kNotUtf8).count, 4U);
  EXPECT_EQ(sink.layout.created, "f\xC3\xA9v");
  EXPECT_EQ(sink.layout.comments, std::vector<std::string>{"\xC3\xA9"});
  EXPECT_EQ(sink.names.events.at(1).label, "\xC3\x89tat");
  EXPECT_EQ(sink.names.events.at(1).values.at(1), "\xC3\xA9t\xC3\xA9");
  EXPECT_EQ(sink.names.nodes.at(0), "n\xC3\xA9");
}

TEST(PrvReader, CountsDirtAndGoesOn) {
  const std::string last = "1:1:1:1:1:0:1000:1\n";
  EXPECT_EQ(defects(kHeader + "1:1:1:3:1:0:9:1\n1:1:1:1:3:0:9:1\n1:1:0:1:1:0:9:1\n" + last,
                    TraceDefect::kUnknownObject),
            3U);
  EXPECT_EQ(defects(kHeader + "4:1:1:1:1:0:9:1\n" + last, TraceDefect::kOldRecord), 1U);
  EXPECT_EQ(
      defects(kHeader + "1:1:1:1:1:0:9\nhello\n1:x\n2:1:1:1:1:5:1\n3:1\n" + last, TraceDefect::kMalformed),
      5U);
  EXPECT_EQ(defects(kHeader + "1:1:1:1:1:9:0:1\n" + last, TraceDefect::kBackward), 1U);
  EXPECT_EQ(defects(kHeader + last + last, TraceDefect::kRepeated), 1U);
  EXPECT_EQ(defects(kHeader + "2:1:1:1:1:9:1:1\n" + last, TraceDefect::kUnsorted), 1U);
  EXPECT_EQ(defects(kHeader + "2:1:1:1:1:1860:1:1\n", TraceDefect::kWrongDuration), 1U);
  EXPECT_EQ(defects(kHeader + "c:1:1:2:1:3\nc:2:1:1:1\n" + last + "c:1:1:1:1\n", TraceDefect::kUnknownMember),
            3U);
  EXPECT_EQ(defects(kHeader, TraceDefect::kNoRecords), 1U);
  EXPECT_EQ(defects(kHeader, TraceDefect::kWrongDuration), 0U) << "no record says other than the header";
  EXPECT_EQ(defects(kHeader + "1:1:1:1:1:0:1000:1", TraceDefect::kCutLine), 1U);
}

TEST(PrvReader, TakesNumbersWithAFractionWithoutIt) {
  TraceInMemory sink;
  const auto report = read(kHeader +
                               "2:1:1:1:1:10.750000:500000009:12.5:7:-1.25\n1:1:1:1:1:20.5:30.9:1\n"
                               "2:1:1:1:1:40:8:1.\n2:1:1:1:1:50:8:.5\n",
                           sink);
  ASSERT_EQ(sink.events.size(), 3U);
  EXPECT_EQ(sink.events[0].time, 10U);
  EXPECT_EQ(sink.events[0].value, 12U);
  EXPECT_EQ(static_cast<std::int64_t>(sink.events[1].value), -1);
  EXPECT_EQ(sink.events[2].value, 1U);
  ASSERT_EQ(sink.states.size(), 1U);
  EXPECT_EQ(sink.states[0].end, 30U);
  EXPECT_EQ(report.of(TraceDefect::kFraction).count, 3U);
  EXPECT_EQ(report.of(TraceDefect::kFraction).line, 2U);
  EXPECT_EQ(report.of(TraceDefect::kMalformed).count, 1U) << "a fraction is no number";
}

TEST(PrvReader, LeavesAbsurdNumbersOut) {
  for (const std::string line :
       {"1:1:1:1:1:0:18446744073709551615:1", "1:1:1:1:1:0:99999999999999999999999:1",
        "1:1:1:1:1:0:9:4294967296", "2:1:1:1:1:-7:1:1", "2:1:1:1:1:5:99999999999:1",
        "2:1:1:1:1:5:1:99999999999999999999999"}) {
    TraceInMemory sink;
    const auto report = read(kHeader + line + "\n2:1:1:1:1:1000:1:1\n", sink);
    EXPECT_EQ(report.of(TraceDefect::kOutOfRange).count, 1U) << line;
    EXPECT_EQ(sink.states.size(), 0U) << line;
    EXPECT_EQ(sink.events.size(), 1U) << line;
  }
}

TEST(PrvReader, SaysThatNegativeTimesAreLeftOut) {
  TraceInMemory sink;
  const auto warnings = read(kHeader + "2:1:1:1:1:-7:1:1\n2:1:1:1:1:1000:1:1\n", sink).warnings();
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_NE(warnings[0].text.find("negative"), std::string::npos) << warnings[0].text;
}

TEST(PrvReader, RefusesWhatIsNoTrace) {
  for (const std::string text :
       {"", "\n", "hello\n", "#Paraver\n", "#Paraver (x)\n", "#Paraver (x):5_ns\n",
        "#Paraver (x):5_ns:1(1)\n", "#Paraver (x):5_ns:1(1):1:1\n",
        "#Paraver (x):5_ns:1(1):1:1(4000000000:1)\n", "#Paraver (x):5_ns:1(1):1:1(99999999999999999999:1)\n",
        "#Paraver (x):5_ns:1(1):0\n"}) {
    TraceInMemory sink;
    const auto report = read_prv_text(text, sink);
    ASSERT_FALSE(report) << text;
    EXPECT_EQ(report.error().code, "damaged");
    EXPECT_EQ(report.error().what.find('\n'), std::string::npos);
  }
}

TEST(PrvReader, ReadsLinesAcrossBlocks) {
  std::string text = kHeader;
  constexpr std::uint64_t count = 400000;
  for (std::uint64_t i = 1; i <= count; ++i)
    text += "2:1:1:1:1:" + std::to_string(i) + ":1:" + std::to_string(i) + '\n';
  TraceInMemory sink;
  read(text, sink);
  ASSERT_EQ(sink.events.size(), count);
  for (std::uint64_t i = 0; i < count; ++i) ASSERT_EQ(sink.events[i].value, i + 1);
}

TEST(PrvReader, FindsARepeatedLineOnBothSidesOfABlock) {
  const std::size_t lines = 200'000;  // more than a block
  std::string text = kHeader;
  for (std::size_t i = 0; i < lines; ++i) {
    const std::string line = "2:1:1:1:1:" + std::to_string(1'000'000'000 + i) + ":42000050:7\n";
    text += line;
    text += line;
  }
  TraceInMemory sink;
  EXPECT_EQ(read(text, sink).of(TraceDefect::kRepeated).count, lines);
  EXPECT_EQ(sink.events.size(), lines);
}

TEST(PrvReader, TellsAFileThatIsNotThere) {
  TraceInMemory sink;
  const auto report = read_prv("/nonexistent/t.prv", sink);
  ASSERT_FALSE(report);
  EXPECT_NE(report.error().what.find("/nonexistent/t.prv"), std::string::npos);
}

TEST(PcfReader, GivesValuesToAllTypesOfABlock) {
  Names names;
  const auto unread = read_pcf(
      "STATES\r\n1    Running\r\n\nSTATES_COLOR\n1 {0,0,255}\nEVENT_TYPE\n9 50000001 MPI p2p\n9 50000002 "
      "coll\n"
      "VALUES\n0 Outside MPI\n-1 none\n\nEVENT_TYPE\nnonsense\n7 42000050 PAPI_TOT_INS [instr]\n",
      names);
  EXPECT_EQ(unread, 1U);
  EXPECT_EQ(names.states.at(1), "Running");
  EXPECT_EQ(names.colours.at(1), "{0,0,255}");
  EXPECT_EQ(names.events.at(50000002).values.at(0), "Outside MPI");
  EXPECT_EQ(names.events.at(50000001).values.at(~std::uint64_t{0}), "none");
  EXPECT_EQ(names.events.at(42000050).label, "PAPI_TOT_INS [instr]");
  EXPECT_TRUE(names.events.at(42000050).values.empty());
}

TEST(RowReader, BelievesNoSize) {
  Names names;
  EXPECT_EQ(
      read_row("LEVEL NODE SIZE 2\na\nb\n\nLEVEL NOTHING\nLEVEL THREAD SIZE 99999999999\nTHREAD 1.1.1\n",
               names),
      1U);
  EXPECT_EQ(names.nodes, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(names.threads, (std::vector<std::string>{"THREAD 1.1.1"}));
}

TEST(RowReader, KeepsEveryLevel) {
  Names names;
  EXPECT_EQ(read_row("LEVEL TASK SIZE 2\none\ntwo\n\nLEVEL CPU SIZE 1\n1.n\n", names), 0U);
  ASSERT_EQ(names.other_levels.size(), 1U);
  EXPECT_EQ(names.other_levels[0].name, "TASK");
  EXPECT_EQ(names.other_levels[0].rows, (std::vector<std::string>{"one", "two"}));
}

}  // namespace
}  // namespace groma::trace
