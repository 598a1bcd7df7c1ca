// Transforms that fit in a cache, by FFTW 3: one vector, in place.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "hpcc/fft/decomposition.hpp"

namespace groma::hpcc::fft {

/// How long FFTW looks for a fast way: it tries some (a few tenths of a second for a few thousand points, at
/// most a few seconds), or takes its first guess.
enum class Planning { kMeasure, kEstimate };

class ShortTransform {
 public:
  /// Not thread-safe, as FFTW's planner is not.
  ShortTransform(std::uint64_t length, Planning planning);

  [[nodiscard]] std::uint64_t length() const { return length_; }
  /// X[k] = sum of x[j] exp(-2 pi i j k / length). Thread-safe. `vector` lies on a 64-byte boundary.
  void execute(Complex* vector) const;

 private:
  struct Destroy {
    void operator()(void* plan) const;
  };
  std::uint64_t length_;
  std::unique_ptr<void, Destroy> plan_;
};

/// Name and version of the library that runs.
std::string fft_library();

}  // namespace groma::hpcc::fft
