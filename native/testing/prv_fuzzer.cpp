// Any bytes as a trace of Paraver. testing/fuzz_main.cpp or libFuzzer calls it.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "testing/any_trace.hpp"
#include "testing/fuzz_seeds.hpp"

std::vector<std::string> groma::test::fuzz_seeds() {
  return {};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t length) {
  if (!groma::trace::test::is_read_or_refused({reinterpret_cast<const char*>(bytes), length})) std::abort();
  return 0;
}
