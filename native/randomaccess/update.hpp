// How a word takes an update: the innermost operation of every kernel, in a file of its own, so that the
// mutation tests can compile the kernels with faulty ones (testing/mutants).
#pragma once

#include <atomic>
#include <cstdint>

namespace groma::randomaccess {

/// Of a word that one thread has for itself.
struct PlainXor {
  void operator()(std::uint64_t& word, std::uint64_t value) const { word ^= value; }
};

/// A load, a xor and a store; what another thread stores in between is lost.
struct UnsynchronisedXor {
  void operator()(std::uint64_t& word, std::uint64_t value) const {
    const std::atomic_ref<std::uint64_t> shared(word);
    shared.store(shared.load(std::memory_order_relaxed) ^ value, std::memory_order_relaxed);
  }
};

/// One read-modify-write operation.
struct AtomicXor {
  void operator()(std::uint64_t& word, std::uint64_t value) const {
    std::atomic_ref<std::uint64_t>(word).fetch_xor(value, std::memory_order_relaxed);
  }
};

}  // namespace groma::randomaccess
