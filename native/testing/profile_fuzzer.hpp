// Reads any bytes as a profile and as a file of Servet, and asks everything of what was opened.
#pragma once

#include <string_view>

namespace groma::test {

/// Whether the bytes are a profile. A sanitizer tells what is wrong with the reader; an error that is not one
/// line ends the program.
bool read_as_profile(std::string_view bytes);

}  // namespace groma::test
