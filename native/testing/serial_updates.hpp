// The reference that the algorithms of RandomAccess are tested against.
#pragma once

#include <span>

#include "randomaccess/stream.hpp"

namespace groma::randomaccess {

/// Applies the updates of a section one after the other, as the rules define them.
inline void update_serially(std::span<std::uint64_t> table, Generator generator, Section section) {
  with_sequence(generator, [&]<class Sequence>() {
    const typename Sequence::Index index(table.size());
    std::uint64_t value = Sequence::at(static_cast<std::int64_t>(section.first));
    for (std::uint64_t left = section.count; left != 0; --left) {
      value = Sequence::next(value);
      table[index(value)] ^= value;
    }
  });
}

}  // namespace groma::randomaccess
