// Whole numbers in words of a command.
#pragma once

#include <charconv>
#include <cstdint>
#include <string>
#include <system_error>

namespace groma::trace {

/// False if the word is none.
inline bool read_number(const std::string& word, std::uint64_t& value) {
  const char* const end = word.data() + word.size();
  const auto [at, error] = std::from_chars(word.data(), end, value);
  return error == std::errc{} && at == end;
}

}  // namespace groma::trace
