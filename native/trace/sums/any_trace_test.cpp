#include "testing/any_trace.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace groma::trace {
namespace {

const std::string kTrace =
    "#Paraver (01/01/2026 at 00:00):1000_ns:1(2):2:2(1:1,2:1):1(1:1),1\nc:1:1:2:1:2\ni:1:2:1:1:1:2\n"
    "1:1:1:1:1:0:600:1\n2:2:1:2:1:300:50000001:2:42000050:3000\n3:1:1:1:1:600:600:2:1:2:2:300:800:1000:7\n"
    "2:1:1:1:1:600:42000050:6000:50000001:1\n2:1:1:1:1:700:50000001:0:90000000:1\n4:1:1\n"
    "STATES\n1 Running\nEVENT_TYPE\n9 50000001 MPI\nVALUES\n1 Send\nLEVEL NODE SIZE 1\nhost\n";

/// Bytes that mean something, put, taken or doubled at random places.
std::string mutated(std::mt19937_64& chance) {
  static const std::string letters = "0123456789:(),\n\r-#c_ \xFF";
  std::string text = kTrace;
  for (std::size_t changes = 1 + chance() % 6; changes > 0 && !text.empty(); --changes) {
    const std::size_t at = chance() % text.size();
    switch (chance() % 4) {
      case 0:
        text[at] = letters[chance() % letters.size()];
        break;
      case 1:
        text.erase(at, 1 + chance() % 20);
        break;
      case 2:
        text.insert(at, text.substr(chance() % text.size(), chance() % 30));
        break;
      default:
        text.insert(at, "99999999999999999999");
    }
  }
  return text;
}

TEST(AnyTrace, IsReadOrRefusedInOneLine) {
  std::mt19937_64 chance(7);  // NOLINT: the same texts in every run
  for (int round = 0; round < 1000; ++round) {
    const std::string text = mutated(chance);
    ASSERT_TRUE(test::is_read_or_refused(text)) << text;
  }
}

}  // namespace
}  // namespace groma::trace
