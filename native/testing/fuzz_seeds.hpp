// What a fuzz target tells testing/fuzz_main.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace groma::test {

/// Inputs that a target makes itself, because their format changes with the program.
std::vector<std::string> fuzz_seeds();

}  // namespace groma::test

/// What libFuzzer calls.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t length);
