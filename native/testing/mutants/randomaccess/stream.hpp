// The sequences of randomaccess/stream.hpp, which here pass every update that a kernel generates to a test.
// Kernels find this file in the place of that one, as update.hpp beside it.
#pragma once

#define with_sequence with_unseen_sequence
#include "../../../randomaccess/stream.hpp"
#undef with_sequence

namespace groma::randomaccess {

/// Called with every update that this process generates; null: no call.
inline void (*on_generated)(std::uint64_t value) = nullptr;

template <class Sequence>
struct ObservedSequence : Sequence {
  static std::uint64_t next(std::uint64_t x) {
    const std::uint64_t value = Sequence::next(x);
    if (on_generated != nullptr) on_generated(value);
    return value;
  }
};

template <class Use>
decltype(auto) with_sequence(Generator generator, const Use& use) {
  return with_unseen_sequence(generator, [&]<class Sequence>() -> decltype(auto) {
    return use.template operator()<ObservedSequence<Sequence>>();
  });
}

}  // namespace groma::randomaccess
