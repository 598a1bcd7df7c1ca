// All that a file, or a descriptor that is open, holds as text.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <optional>
#include <string>

namespace groma {

/// Nothing where it cannot be read to its end, as a folder; errno says why.
inline std::optional<std::string> text_of(int descriptor) {
  constexpr std::size_t kBlock = std::size_t{1} << 16U;
  std::string text;
  std::string block(kBlock, '\0');
  while (true) {
    const auto read = ::read(descriptor, block.data(), block.size());
    if (read < 0 && errno == EINTR) continue;
    if (read < 0) return std::nullopt;
    if (read == 0) return text;
    text.append(block, 0, static_cast<std::size_t>(read));
  }
}

/// Nothing where it cannot be read to its end.
inline std::optional<std::string> text_of_file(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return std::nullopt;
  auto text = text_of(file);
  ::close(file);
  return text;
}

}  // namespace groma
