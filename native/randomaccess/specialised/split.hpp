// Which of a node's ranks updates a word: parts of consecutive words, about even.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "randomaccess/stream.hpp"

namespace groma::randomaccess {

/// One multiplication computes the part. It needs no correction, because it defines the bounds of the parts.
class Split {
 public:
  /// `words` may be fewer than `parts`, or 0.
  Split(std::uint64_t words, std::uint64_t parts) : words_(words), parts_(parts) {
    const Wide scaled = (Wide{parts} << 64U) / std::max<std::uint64_t>(1, words);
    factor_ = static_cast<std::uint64_t>(std::min<Wide>(scaled, std::numeric_limits<std::uint64_t>::max()));
  }

  [[nodiscard]] std::uint64_t parts() const { return parts_; }
  /// Of a word of the node; below parts().
  [[nodiscard]] std::uint64_t operator()(std::uint64_t word) const {
    return static_cast<std::uint64_t>((Wide{word} * factor_) >> 64U);
  }
  /// The first word that is in this part or a later one.
  [[nodiscard]] std::uint64_t first(std::uint64_t part) const {
    if (part >= parts_) return words_;
    const Wide at = ((Wide{part} << 64U) + factor_ - 1) / factor_;
    return static_cast<std::uint64_t>(std::min<Wide>(at, words_));
  }
  [[nodiscard]] std::uint64_t size(std::uint64_t part) const { return first(part + 1) - first(part); }

 private:
  std::uint64_t words_;
  std::uint64_t parts_;
  std::uint64_t factor_;
};

}  // namespace groma::randomaccess
