#include "trace/export/rows_writer.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <sstream>

#include "trace/export/steps_writer.hpp"

namespace groma::trace {
namespace {

struct Frame {
  RowsWriter::Head head{};
  std::string content;
  std::uint64_t at(std::size_t row, std::size_t column) const {
    std::uint64_t value = 0;
    std::memcpy(&value, content.data() + 8 * (row * head.columns + column), 8);
    return value;
  }
};

std::vector<Frame> frames_of(const std::string& text) {
  std::vector<Frame> found;
  for (std::size_t at = 0; at < text.size();) {
    Frame frame;
    std::memcpy(&frame.head, text.data() + at, sizeof frame.head);
    at += sizeof frame.head;
    const std::size_t bytes = frame.head.kind == RowsWriter::Kind::kText
                                  ? frame.head.rows
                                  : 8 * frame.head.rows * frame.head.columns;
    frame.content = text.substr(at, bytes);
    at += bytes;
    found.push_back(frame);
  }
  return found;
}

class Rows : public ::testing::Test {
 protected:
  Rows() {
    names.states[1] = "Running";
    names.events[50000001] = {9, "MPI", {{1, "a \"quoted\" one"}, {~std::uint64_t{4}, "minus"}}};
    Layout layout;
    layout.duration = 100;
    layout.nodes = {{"host", 2}};
    layout.objects = {{0, 0, 0, 0, 0}, {0, 1, 2, 1, 0}};
    writer.begin(layout);
  }
  Names names;
  std::ostringstream out;
  RowsWriter writer{out, names};
};

TEST_F(Rows, TellNamesFirst) {
  writer.end({});
  const auto frames = frames_of(out.str());
  ASSERT_EQ(frames.size(), 1U);
  EXPECT_EQ(frames[0].content,
            R"({"created":"","duration":100,"nodes":["host"],"objects":[[0,0,0,0],[0,1,2,0]],)"
            R"("states":[[1,"Running"]],"types":[{"type":50000001,"label":"MPI",)"
            R"("values":[[1,"a \"quoted\" one"],[-5,"minus"]]}]})");
}

TEST(RowsOfNodes, HaveTheNamesOfTheRowsWhereThereAreSome) {
  Names names;
  names.nodes = {"n0091", "", "n0093", "n0094"};
  Layout layout;
  layout.nodes = {{"", 1}, {"known", 1}, {"", 1}};
  std::ostringstream out;
  RowsWriter writer{out, names};
  writer.begin(layout);
  EXPECT_NE(frames_of(out.str())[0].content.find(R"("nodes":["n0091","known","n0093"])"), std::string::npos);
}

TEST_F(Rows, HaveEachRecordInTheOrderOfItsKind) {
  constexpr std::uint64_t events = 70000;  // more than a frame holds
  writer.state({1, 5, 9, 3});
  for (std::uint64_t i = 0; i < events; ++i) writer.event({0, i, 50000001, i % 2});
  writer.communication({0, 1, 2, 1, 3, 4, 5, 6});
  writer.end({});
  const auto frames = frames_of(out.str());
  ASSERT_EQ(frames.size(), 5U);
  std::uint64_t seen = 0;
  for (const Frame& frame : frames) {
    if (frame.head.kind != RowsWriter::Kind::kEvents) continue;
    for (std::size_t row = 0; row < frame.head.rows; ++row, ++seen) ASSERT_EQ(frame.at(row, 1), seen);
  }
  EXPECT_EQ(seen, events);
  EXPECT_EQ(frames[2].head.kind, RowsWriter::Kind::kStates);
  EXPECT_EQ(frames[2].at(0, 3), 3U);
  for (std::size_t column = 0; column < 8; ++column) {
    constexpr std::array<std::uint64_t, 8> wanted{0, 1, 2, 1, 3, 4, 5, 6};
    EXPECT_EQ(frames[4].at(0, column), wanted[column]);
  }
}

TEST(RowsOfSteps, HaveSlicesAndMessagesAndCountWhatIsLeftOut) {
  std::ostringstream out;
  const Names names;
  StepsWriter writer{out, names};
  Layout layout;
  layout.objects = {{0, 0, 0, 0, 0}, {0, 1, 0, 1, 0}};
  writer.begin(layout);
  writer.state({1, 0, 90, 1});
  writer.event({1, 10, 50000001, 2});
  writer.event({1, 10, 50100001, 8});
  writer.event({1, 20, 90000000, 7});
  writer.event({1, 30, 50000001, 0});
  writer.communication({0, 1, 2, 1, 3, 4, 5, 6});
  writer.end({});
  const auto frames = frames_of(out.str());
  ASSERT_EQ(frames.size(), 4U);
  EXPECT_EQ(frames[1].head.kind, RowsWriter::Kind::kCommunications);
  EXPECT_EQ(frames[2].head.kind, RowsWriter::Kind::kSteps);
  EXPECT_EQ(frames[3].content, R"({"states":1,"events":1})");
  constexpr std::array<std::array<std::uint64_t, 5>, 6> wanted{{{1, 10, 0, 50000001, 2},
                                                                {1, 20, 0, 90000000, 7},
                                                                {1, 30, 1, 90000000, 7},
                                                                {1, 30, 1, 50000001, 2},
                                                                {1, 30, 0, 90000000, 7},
                                                                {1, 90, 1, 90000000, 7}}};
  ASSERT_EQ(frames[2].head.rows, wanted.size());
  for (std::size_t row = 0; row < wanted.size(); ++row) {
    for (std::size_t column = 0; column < 5; ++column) {
      EXPECT_EQ(frames[2].at(row, column), wanted[row][column]) << row << ' ' << column;
    }
  }
}

}  // namespace
}  // namespace groma::trace
