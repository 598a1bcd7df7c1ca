#include <gtest/gtest.h>
#include <sys/stat.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <random>
#include <thread>

#include "testing/fakes.hpp"
#include "testing/one_thread.hpp"
#include "testing/trace_sink.hpp"
#include "trace/paraver/prv_reader.hpp"
#include "trace/paraver/prv_writer.hpp"
#include "trace/store/any_trace.hpp"
#include "trace/store/store_reader.hpp"
#include "trace/store/store_writer.hpp"

ALL_ON_ONE_THREAD;  // but for one that fills a pipe

namespace groma::trace {
namespace {

using test::TraceInMemory;

/// Writes down everything in the order in which it comes.
class RecordingSink final : public Sink {
 public:
  void begin(const Layout& layout) override { lines.push_back("begin " + std::to_string(layout.duration)); }
  void state(const State& one) override {
    add("state", {one.object, one.begin, one.end, one.state, one.cpu});
  }
  void event(const Event& one) override {
    add("event", {one.object, one.time, one.type, one.value, one.cpu, one.is_negative ? 1U : 0U});
  }
  void communication(const Communication& one) override {
    add("message", {one.sender, one.logical_send, one.physical_send, one.receiver, one.logical_receive,
                    one.physical_receive, one.bytes, one.tag, one.sender_cpu, one.receiver_cpu,
                    one.has_negative_tag ? 1U : 0U});
  }
  void end(const Names& names) override { lines.push_back("end " + std::to_string(names.events.size())); }

  std::vector<std::string> lines;

 private:
  void add(std::string line, std::initializer_list<std::uint64_t> numbers) {
    for (const std::uint64_t number : numbers) line += ' ' + std::to_string(number);
    lines.push_back(std::move(line));
  }
};

Layout layout_of(std::uint32_t tasks) {
  Layout layout;
  layout.created = "23/11/2026 at 12:00";
  layout.duration = 1'000'000;
  layout.nodes = {{"n1", tasks}};
  for (std::uint32_t i = 0; i < tasks; ++i) layout.objects.push_back({0, i, 0, i, 0});
  layout.communicators = {{0, 1, {0, 1}}};
  layout.intercommunicators = {{0, 2, 1, 0, 3, 1}};
  layout.comments = {"a comment"};
  return layout;
}

/// Any numbers, in any order, now and then very large.
void write_random(Sink& sink, std::uint64_t seed, int records, std::uint32_t tasks) {
  std::mt19937_64 random(seed);
  const auto any = [&] { return random() >> (random() % 64); };
  const auto object = [&] { return static_cast<ObjectIndex>(random() % tasks); };
  const auto cpu = [&] { return random() % 8 == 0 ? static_cast<std::uint32_t>(any()) : kUsualCpu; };
  const auto negative = [&] { return random() % 16 == 0; };
  sink.begin(layout_of(tasks));
  Nanoseconds time = 0;
  for (int i = 0; i < records; ++i) {
    time += random() % 1000;
    const Nanoseconds at = random() % 16 == 0 ? any() : time;
    switch (random() % 3) {
      case 0:
        sink.state({object(), at, at + random() % 5000, static_cast<std::uint32_t>(any()), cpu()});
        break;
      case 1:
        sink.event({object(), at, static_cast<std::uint32_t>(random() % 50), any(), cpu(), negative()});
        break;
      default:
        sink.communication(
            {object(), any(), at, object(), any(), at + 5, any(), any(), cpu(), cpu(), negative()});
    }
  }
  Names names;
  names.states[1] = "Running";
  names.events[50000001] = {9, "MPI", {{1, "MPI_Send"}}};
  names.threads = {"THREAD 1.1.1"};
  sink.end(names);
}

class Store : public ::testing::Test {
 protected:
  void write(std::uint64_t seed, int records, std::uint32_t tasks) const {
    auto writer = StoreWriter::create(path);
    ASSERT_TRUE(writer);
    write_random(writer.value(), seed, records, tasks);
    ASSERT_TRUE(writer.value().status());
  }
  [[nodiscard]] std::vector<char> content() const {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  [[nodiscard]] std::string content_of(const std::string& name) const {
    std::ifstream file(tree.root() + name, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  void replace(const std::vector<char>& bytes) const {
    std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  }
  /// Empty: it could be read.
  [[nodiscard]] std::string refusal() const {
    const auto store = StoreReader::open(path);
    if (!store) return store.error().what;
    RecordingSink recorded;
    const auto read = store.value().replay(recorded);
    return read ? "" : read.error().what;
  }

  const fake::Tree tree;
  const std::string path = tree.root() + "t.groma";
};

TEST_F(Store, GivesBackWhatItGotInTheSameOrder) {
  for (const std::uint32_t tasks : {1U, 2U, 7U, 300U}) {
    for (const int records : {0, 1, 1000, 60'000}) {
      write(tasks, records, tasks);
      RecordingSink expected;
      write_random(expected, tasks, records, tasks);
      const auto store = StoreReader::open(path);
      ASSERT_TRUE(store) << store.error().what;
      RecordingSink read;
      ASSERT_TRUE(store.value().replay(read));
      ASSERT_EQ(read.lines, expected.lines);
    }
  }
}

TEST_F(Store, KeepsLayoutAndNames) {
  write(1, 10, 2);
  const auto store = StoreReader::open(path);
  ASSERT_TRUE(store);
  const store::Footer& about = store.value().about();
  EXPECT_EQ(about.layout.created, "23/11/2026 at 12:00");
  EXPECT_EQ(about.layout.nodes[0].name, "n1");
  EXPECT_EQ(about.layout.objects[1].task, 1U);
  EXPECT_EQ(about.layout.communicators[0].tasks, (std::vector<std::uint32_t>{0, 1}));
  EXPECT_EQ(about.layout.intercommunicators[0].second, 3U);
  EXPECT_EQ(about.layout.comments[0], "a comment");
  EXPECT_EQ(about.names.events.at(50000001).values.at(1), "MPI_Send");
  EXPECT_EQ(about.names.threads[0], "THREAD 1.1.1");
}

TEST_F(Store, ReadsAPartOfOneThread) {
  auto writer = StoreWriter::create(path);
  ASSERT_TRUE(writer);
  writer.value().begin(layout_of(2));
  for (Nanoseconds i = 0; i < 100'000; ++i) {
    writer.value().state({static_cast<ObjectIndex>(i % 2), 10 * i, 10 * i + 10, i % 3 == 0 ? 1U : 13U});
  }
  writer.value().end({});
  const auto store = StoreReader::open(path);
  ASSERT_TRUE(store);
  TraceInMemory part;
  ASSERT_TRUE(store.value().read(1, store::Kind::states, 500'000, 500'100, part));
  EXPECT_LT(part.states.size(), 20'000U) << "only the blocks that are needed";
  std::size_t inside = 0;
  for (const State& one : part.states) {
    EXPECT_EQ(one.object, 1U);
    inside += one.begin >= 500'000 && one.begin < 500'100 ? 1 : 0;
  }
  EXPECT_EQ(inside, 5U);
  std::uint64_t useful = 0;
  std::uint64_t collective = 0;
  for (const store::Block& block : store.value().about().blocks) {
    useful += block.times[static_cast<std::size_t>(store::Class::useful)];
    collective += block.times[static_cast<std::size_t>(store::Class::collective)];
  }
  EXPECT_EQ(useful, 333'340U);
  EXPECT_EQ(collective, 666'660U);
}

TEST_F(Store, HasItsNameOnlyWhenItIsComplete) {
  {
    auto writer = StoreWriter::create(path);
    ASSERT_TRUE(writer);
    writer.value().begin(layout_of(1));
    EXPECT_FALSE(std::filesystem::exists(path));
  }
  EXPECT_TRUE(std::filesystem::is_empty(tree.root())) << "what was begun is removed";
}

TEST_F(Store, EndsWithTheLastRecordOrWithoutOneWhereItsHeaderSays) {
  Layout layout = layout_of(1);
  layout.duration = 700;
  for (const bool has_records : {false, true}) {
    auto writer = StoreWriter::create(path);
    ASSERT_TRUE(writer);
    writer.value().end_at_last_record();
    writer.value().begin(layout);
    if (has_records) writer.value().state({0, 0, 600, 1});
    writer.value().end({});
    EXPECT_EQ(StoreReader::open(path).value().about().layout.duration, has_records ? 600U : 700U);
  }
}

TEST_F(Store, TellsWhereItCannotBeWritten) {
  EXPECT_FALSE(StoreWriter::create(tree.root() + "none/t.groma"));
}

TEST_F(Store, IsRefusedWhereverItWasCut) {
  write(3, 3000, 4);
  const auto whole = content();
  for (std::size_t length = 0; length < whole.size(); length += 1 + length / 7) {
    replace({whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length)});
    EXPECT_NE(refusal(), "") << length;
  }
}

TEST_F(Store, IsRefusedWhereverABitIsWrong) {
  write(3, 3000, 4);
  const auto whole = content();
  std::mt19937 random(1);
  for (int i = 0; i < 2000; ++i) {
    auto damaged = whole;
    damaged[12 + random() % (whole.size() - 12)] ^= static_cast<char>(1U << random() % 8);
    replace(damaged);
    // Four bytes of the head mean nothing in this version.
    if (std::equal(damaged.begin() + 16, damaged.end(), whole.begin() + 16)) continue;
    ASSERT_NE(refusal().find("damaged"), std::string::npos);
  }
}

TEST_F(Store, OfAnotherVersionIsRefused) {
  write(3, 10, 1);
  auto other = content();
  other[8] = 9;
  replace(other);
  EXPECT_NE(refusal().find("version 9"), std::string::npos);
}

/// Two tasks, a record of each kind, a name in ISO 8859-1; written by version 1.
constexpr auto kOldStore = std::to_array<std::uint8_t>({
    0x67, 0x72, 0x6f, 0x6d, 0x61, 0x74, 0x72, 0x63, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x01,
    0x02, 0x04, 0x02, 0x04, 0x00, 0x00, 0xb0, 0x09, 0xa0, 0x06, 0x01, 0x0d, 0x00, 0x01, 0x01, 0x01, 0x02,
    0x02, 0x02, 0x01, 0x00, 0x00, 0x01, 0xd7, 0x04, 0x90, 0x03, 0xe8, 0x07, 0x07, 0x01, 0x02, 0x02, 0x03,
    0x01, 0x00, 0x00, 0x00, 0x01, 0x02, 0xb8, 0x17, 0x81, 0x01, 0x13, 0xe8, 0x07, 0x01, 0x02, 0x00, 0x02,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x01, 0x00, 0x01, 0x00, 0x01, 0x00, 0x01, 0x02, 0x00, 0x01, 0x00,
    0x00, 0x01, 0x01, 0x07, 0x01, 0x81, 0xe1, 0xeb, 0x17, 0x09, 0x03, 0x01, 0x02, 0x09, 0x00, 0x00, 0x00,
    0xe8, 0x07, 0x02, 0x02, 0x01, 0x02, 0x81, 0xe1, 0xeb, 0x17, 0xb2, 0xbd, 0x83, 0x14, 0x03, 0x00, 0x00,
    0x10, 0x0d, 0x02, 0x00, 0x00, 0x00, 0xe8, 0x07, 0xd0, 0xc1, 0xb8, 0xdc, 0xb1, 0xb8, 0xa1, 0x9d, 0x82,
    0x01, 0xd8, 0x04, 0x00, 0x00, 0x00, 0x90, 0x03, 0x00, 0x00, 0x00, 0x00, 0x02, 0x1d, 0x12, 0x01, 0x03,
    0xd8, 0x04, 0xd8, 0x04, 0xd8, 0x04, 0xde, 0xe0, 0xcf, 0xdc, 0xb5, 0xf6, 0xd6, 0xd6, 0x84, 0x01, 0x01,
    0x01, 0x2f, 0x0c, 0x02, 0x01, 0xac, 0x02, 0xac, 0x02, 0xac, 0x02, 0xe7, 0xf6, 0xb3, 0xb9, 0xf1, 0xd7,
    0xce, 0x89, 0x7f, 0x30, 0x31, 0x2f, 0x30, 0x31, 0x2f, 0x32, 0x30, 0x32, 0x36, 0x20, 0x61, 0x74, 0x20,
    0x30, 0x30, 0x3a, 0x30, 0x30, 0x52, 0x75, 0x6e, 0x6e, 0x69, 0x6e, 0x67, 0x4d, 0x50, 0x49, 0x52, 0xe9,
    0x63, 0x65, 0x70, 0x74, 0x69, 0x6f, 0x6e, 0x3b, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0xa9, 0x00,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0xae, 0x24, 0x07, 0x89, 0x19, 0xdc, 0x39, 0xa3, 0x65, 0x6e, 0x64,
    0x74, 0x72, 0x61, 0x63, 0x65,
});

TEST_F(Store, OfVersion1IsRead) {
  replace({kOldStore.begin(), kOldStore.end()});
  const auto store = StoreReader::open(path);
  ASSERT_TRUE(store) << store.error().what;
  TraceInMemory read;
  ASSERT_TRUE(store.value().replay(read));
  EXPECT_EQ(read.layout.duration, 1000U);
  ASSERT_EQ(read.states.size(), 2U);
  EXPECT_EQ(read.states[1].begin, 600U);
  EXPECT_EQ(read.states[1].cpu, kUsualCpu);
  ASSERT_EQ(read.events.size(), 2U);
  EXPECT_EQ(read.events[1].value, 3000U);
  ASSERT_EQ(read.communications.size(), 1U);
  EXPECT_EQ(read.communications[0].tag, 7U);
  EXPECT_EQ(read.names.events.at(50000001).values.at(2),
            "R\xC3\xA9"
            "ception");
}

/// Numbers that a store never holds, with checksums that fit.
TEST_F(Store, SurvivesAnyFooter) {
  write(3, 300, 4);
  const auto whole = content();
  store::Tail tail{};
  std::memcpy(&tail, whole.data() + whole.size() - sizeof tail, sizeof tail);
  std::mt19937 random(2);
  for (int i = 0; i < 3000; ++i) {
    auto damaged = whole;
    for (int j = 0; j < 3; ++j) damaged[tail.footer + random() % tail.bytes] = static_cast<char>(random());
    const auto* const footer = reinterpret_cast<const std::uint8_t*>(damaged.data()) + tail.footer;
    tail.checksum = store::checksum_of({footer, tail.bytes});
    std::memcpy(damaged.data() + whole.size() - sizeof tail, &tail, sizeof tail);
    replace(damaged);
    static_cast<void>(refusal());
  }
}

/// What Paraver takes: CPUs that change, numbers with a sign and without, headers without communicators or
/// nodes.
TEST_F(Store, GivesACleanTraceBackByteForByte) {
  const std::string pcf =
      "DEFAULT_OPTIONS\n\nLEVEL               THREAD\nUNITS               NANOSEC\nLOOK_BACK           100\n"
      "SPEED               1\nFLAG_ICONS          ENABLED\nNUM_OF_STATE_COLORS 1000\nYMAX_SCALE          "
      "37\n\n\n"
      "DEFAULT_SEMANTIC\n\nTHREAD_FUNC          State As Is\n\n\nSTATES\n1    Running\n\n\nSTATES_COLOR\n"
      "1    {1,2,3}\n\n\nEVENT_TYPE\n6    7    Seven\nVALUES\n-5      minus five\n\n\n";
  const std::string row = "LEVEL NODE SIZE 1\nhost\n\nLEVEL TASK SIZE 2\none\ntwo\n\n";
  for (const std::string head : {"1(4):1:2(1:1,1:1),1\nc:1:1:2:1:2\n", "1(4):1:2(1:1,1:1),0\n",
                                 "1(4):1:2(1:1,1:1)\n", "0:1:2(1:0,1:0)\n", "0:1:2(1:1,1:1)\n"}) {
    const std::string text =
        "#Paraver (01/01/2026 at 00:00):1000_ns:" + head +
        "#20260101000000:CUTTER:ORIGINAL:\"a b\":1:2:3\n# another\n"
        "1:1:1:1:1:0:600:1\n1:4:1:2:1:0:1000:1\n2:1:1:1:1:600:7:-5:7:18446744073709551611\n"
        "2:3:1:1:1:600:7:0\n1:3:1:1:1:600:700:1\n3:0:1:1:1:700:700:2:1:2:1:700:1000:8:-1\n"
        "3:1:1:1:1:700:700:3:1:2:1:700:1000:8:1\n2:1:1:1:1:1000:7:1\n";
    tree.write("a.prv", text).write("a.pcf", pcf).write("a.row", row);
    auto store = StoreWriter::create(path);
    ASSERT_TRUE(store);
    const auto read = read_trace(tree.root() + "a.prv", store.value());
    ASSERT_TRUE(read);
    EXPECT_TRUE(read.value().warnings().empty()) << text;
    auto back = PrvWriter::create(tree.root() + "b");
    ASSERT_TRUE(back);
    ASSERT_TRUE(read_trace(path, back.value()));
    ASSERT_TRUE(back.value().status());
    EXPECT_EQ(content_of("b.prv"), text);
    EXPECT_EQ(content_of("b.pcf"), pcf);
    EXPECT_EQ(content_of("b.row"), row);
  }
}

TEST_F(Store, NeedsLittleForACpuThatStays) {
  const auto bytes_with = [&](const std::function<std::uint32_t(int)>& cpu) {
    auto writer = StoreWriter::create(path);
    writer.value().begin(layout_of(2));
    for (int i = 0; i < 10'000; ++i) writer.value().event({0, static_cast<Nanoseconds>(i), 1, 1, cpu(i)});
    writer.value().end({});
    return writer.value().bytes();
  };
  const std::uint64_t usual = bytes_with([](int) { return kUsualCpu; });
  EXPECT_LT(bytes_with([](int) { return 17U; }), usual + 20);
  EXPECT_LT(bytes_with([](int i) { return static_cast<std::uint32_t>(i / 100 % 8); }), usual + 1000);
}

/// A pipe can be read once: nothing of it is taken to see what it is.
TEST(AnyTrace, ComesThroughAPipe) {
  const fake::Tree tree;
  const std::string pipe = tree.root() + "pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  const auto read_what = [&](const std::string& text) {
    std::thread writing([&] { std::ofstream(pipe, std::ios::binary) << text; });
    TraceInMemory trace;
    auto report = read_trace(pipe, trace);
    writing.join();
    return report;
  };
  const auto report = read_what("#Paraver (01/01/2026 at 00:00):10_ns:1(1):1:1(1:1)\n1:1:1:1:1:0:10:1\n");
  ASSERT_TRUE(report) << report.error().what;
  EXPECT_EQ(report.value().states, 1U);
  const auto nothing = read_what("");
  ASSERT_FALSE(nothing);
  EXPECT_NE(nothing.error().what.find("is a pipe"), std::string::npos);
}

TEST(AnyTrace, IsAStoreOrATraceOfParaver) {
  const fake::Tree tree;
  std::ofstream(tree.root() + "t.prv")
      << "#Paraver (01/01/2026 at 00:00):10_ns:1(1):1:1(1:1)\n1:1:1:1:1:0:10:1\n";
  TraceInMemory text;
  const auto of_text = read_trace(tree.root() + "t.prv", text);
  ASSERT_TRUE(of_text);
  auto writer = StoreWriter::create(tree.root() + "t.groma");
  ASSERT_TRUE(writer);
  ASSERT_TRUE(read_prv(tree.root() + "t.prv", writer.value()));
  TraceInMemory stored;
  const auto of_store = read_trace(tree.root() + "t.groma", stored);
  ASSERT_TRUE(of_store);
  EXPECT_EQ(of_store.value().states, of_text.value().states);
  EXPECT_EQ(stored.states.size(), 1U);
}

}  // namespace
}  // namespace groma::trace
