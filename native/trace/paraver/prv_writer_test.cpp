#include "trace/paraver/prv_writer.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>

namespace groma::trace {
namespace {

/// The lines after the header.
std::string lines_of(const std::string& path) {
  std::ifstream file(path);
  std::string text(std::istreambuf_iterator<char>(file), {});
  return text.substr(text.find('\n') + 1);
}

TEST(PrvWriter, WritesRecordsWithTheirOwnCpusAndNumbersOfAnyLength) {
  constexpr std::uint64_t kMost = ~std::uint64_t{0};
  constexpr std::uint32_t kLast = 0xffffffff - 1;
  const std::string path = ::testing::TempDir() + "prv-writer-test";
  auto made = PrvWriter::create(path);
  ASSERT_TRUE(made);
  PrvWriter& writer = made.value();
  Layout layout;
  layout.objects = {{0, 0, 0, 4, 0}, {kLast, kLast, kLast, kLast, 0}};
  layout.objects[1].application = 1;
  writer.begin(layout);
  writer.state({0, 0, 12, 1});
  writer.state({.object = 1, .begin = kMost, .end = 9, .state = 10, .cpu = 77});
  writer.event({0, 12, 50000001, kMost});
  writer.event({0, 12, 50000002, 0});
  writer.event(
      {.object = 0, .time = 12, .type = 7, .value = ~std::uint64_t{4}, .cpu = 0, .is_negative = true});
  writer.communication({0, 1, 2, 1, 3, 4, kMost, 6});
  writer.end({});
  ASSERT_TRUE(writer.status());
  EXPECT_EQ(lines_of(path + ".prv"),
            "1:5:1:1:1:0:12:1\n"
            "1:77:2:4294967295:4294967295:18446744073709551615:9:10\n"
            "2:5:1:1:1:12:50000001:18446744073709551615:50000002:0\n"
            "2:0:1:1:1:12:7:-5\n"
            "3:5:1:1:1:1:2:4294967295:2:4294967295:4294967295:3:4:18446744073709551615:6\n");
}

}  // namespace
}  // namespace groma::trace
