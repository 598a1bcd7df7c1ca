// What a store says of the whole trace: after the blocks, in numbers of seven bits a byte.
#pragma once

#include <array>
#include <vector>

#include "trace/model/trace.hpp"
#include "trace/store/format.hpp"

namespace groma::trace::store {

struct Footer {
  Layout layout;
  Names names;
  Nanoseconds last_time = 0;
  std::array<std::uint64_t, kKinds> records{};
  std::vector<std::uint32_t> types;  ///< of events, by the numbers that blocks have
  std::vector<Block> blocks;         ///< in the order of the file
};

std::vector<std::uint8_t> encode(const Footer& footer);
/// False where the bytes are no footer of that version.
bool decode(std::span<const std::uint8_t> bytes, std::uint32_t version, Footer& footer);

}  // namespace groma::trace::store
