#include "base/standard_output.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

namespace groma {
namespace {

TEST(Delivered, KeepsTheCodeWhereAllIsThrough) {
  std::ostringstream out;
  std::ostringstream errors;
  out << "all";
  EXPECT_EQ(delivered(0, "program", out, errors), 0);
  EXPECT_EQ(delivered(3, "program", out, errors), 3);
  EXPECT_EQ(errors.str(), "");
}

TEST(Delivered, IsAFailureOfTheEnvironmentWhereTheDeviceIsFull) {
  std::ofstream out("/dev/full");
  std::ostringstream errors;
  out << "lost";
  EXPECT_EQ(delivered(0, "program", out, errors), 4);
  EXPECT_NE(errors.str().find("program: cannot write"), std::string::npos);
}

TEST(Delivered, LeavesAnotherFailureAsItIs) {
  std::ofstream out("/dev/full");
  std::ostringstream errors;
  out << "lost";
  EXPECT_EQ(delivered(3, "program", out, errors), 3);
  EXPECT_EQ(errors.str(), "");
}

}  // namespace
}  // namespace groma
