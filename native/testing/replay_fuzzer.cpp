// Any bytes as a trace that is replayed. testing/fuzz_main.cpp or libFuzzer calls it.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "testing/any_replay.hpp"
#include "testing/fuzz_seeds.hpp"

std::vector<std::string> groma::test::fuzz_seeds() {
  return {trace::test::trace_of_all_replayed()};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t length) {
  if (!groma::trace::test::is_replayed_or_refused({reinterpret_cast<const char*>(bytes), length}))
    std::abort();
  return 0;
}
