#include "base/standard_input.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <thread>

#include "base/exit_code.hpp"

namespace groma {
namespace {

TEST(AllInput, IsAllThatAPipeHolds) {
  std::array<int, 2> pipe{};
  ASSERT_EQ(::pipe(pipe.data()), 0);
  const std::string given(300'000, 'x');
  std::thread writer([&] {
    EXPECT_EQ(::write(pipe[1], given.data(), given.size()), static_cast<ssize_t>(given.size()));
    ::close(pipe[1]);
  });
  const auto read = all_input(pipe[0]);
  writer.join();
  ::close(pipe[0]);
  ASSERT_TRUE(read);
  EXPECT_EQ(read.value(), given);
}

TEST(AllInput, SaysWhyAFolderCannotBeRead) {
  const int folder = ::open("/", O_RDONLY);
  const auto read = all_input(folder);
  ::close(folder);
  ASSERT_FALSE(read);
  EXPECT_NE(read.error().what.find("Is a directory"), std::string::npos);
  EXPECT_EQ(code_of(read.error()), kEnvironment);
}

}  // namespace
}  // namespace groma
