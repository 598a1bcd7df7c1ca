// Messages that may match each other.
#pragma once

#include <cstddef>
#include <cstdint>

#include "trace/log/calls.hpp"

namespace groma::trace {

/// Stands for a source that a receive does not name.
constexpr std::uint32_t kAnySource = ~std::uint32_t{0};

/// Messages that may match each other. With kAnySource or log::kAny for the tag: those that a receive may
/// get.
struct MessageClass {
  std::uint32_t group = 0;  ///< index of the communicator
  std::uint32_t source = 0;
  std::uint32_t destination = 0;
  std::int64_t tag = 0;
  bool partitioned = false;
  bool operator==(const MessageClass&) const = default;
};

struct MessageClassHash {
  std::size_t operator()(const MessageClass& one) const noexcept;
};

}  // namespace groma::trace
