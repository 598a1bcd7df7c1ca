#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>

#include "testing/fakes.hpp"
#include "testing/trace_sink.hpp"
#include "trace/paraver/prv_reader.hpp"
#include "trace/store/any_trace.hpp"
#include "trace/store/store_reader.hpp"
#include "trace/store/store_writer.hpp"

namespace groma::trace {
namespace {

using testing::TraceInMemory;

/// Writes down everything in the order in which it comes.
class RecordingSink final : public Sink {
 public:
  void begin(const Layout& layout) override { lines.push_back("begin " + std::to_string(layout.duration)); }
  void state(const State& one) override { add("state", {one.object, one.begin, one.end, one.state}); }
  void event(const Event& one) override { add("event", {one.object, one.time, one.type, one.value}); }
  void communication(const Communication& one) override {
    add("message", {one.sender, one.logical_send, one.physical_send, one.receiver, one.logical_receive,
                    one.physical_receive, one.bytes, one.tag});
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
  sink.begin(layout_of(tasks));
  Nanoseconds time = 0;
  for (int i = 0; i < records; ++i) {
    time += random() % 1000;
    const Nanoseconds at = random() % 16 == 0 ? any() : time;
    switch (random() % 3) {
      case 0:
        sink.state({object(), at, at + random() % 5000, static_cast<std::uint32_t>(any())});
        break;
      case 1:
        sink.event({object(), at, static_cast<std::uint32_t>(random() % 50), any()});
        break;
      default:
        sink.communication({object(), any(), at, object(), any(), at + 5, any(), any()});
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
