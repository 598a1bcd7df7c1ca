#include "base/json.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace groma {
namespace {

TEST(Json, WritesEveryKindOfValue) {
  const JsonObject object = JsonObject()
                                .add("text", "a\"b\\c\n")
                                .add("number", 1.5e-9)
                                .add("count", std::uint64_t{1} << 63U)
                                .add("truth", true)
                                .add("list", std::vector<int>{1, 2})
                                .add("none", Json::null());
  EXPECT_EQ(object.json().text(), R"({"text":"a\"b\\c\u000a","number":1.5e-09,"count":9223372036854775808,)"
                                  R"("truth":true,"list":[1,2],"none":null})");
}

TEST(Json, TurnsWhatJsonCannotExpressIntoNull) {
  EXPECT_EQ(Json(std::numeric_limits<double>::quiet_NaN()).text(), "null");
  EXPECT_EQ(Json(std::numeric_limits<double>::infinity()).text(), "null");
}

TEST(Json, KeepsEveryDigitOfADouble) {
  EXPECT_EQ(Json(0.1).text(), "0.1");
}

}  // namespace
}  // namespace groma
