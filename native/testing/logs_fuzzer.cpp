// Any bytes as logs of the tracer. testing/fuzz_main.cpp or libFuzzer calls it.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "testing/any_logs.hpp"
#include "testing/fakes.hpp"
#include "testing/fuzz_seeds.hpp"

std::vector<std::string> groma::test::fuzz_seeds() {
  std::string all = trace::test::logs_of_all_calls();
  return {all.substr(0, all.size() / 2), std::move(all)};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t length) {
  static const groma::fake::Tree folder;
  const std::string_view text{reinterpret_cast<const char*>(bytes), length};
  if (!groma::trace::test::are_merged_or_refused(text, folder.root())) std::abort();
  return 0;
}
