// The three vectors of STREAM in one rank, the four steps over them, and what they must hold afterwards
// (McCalpin, STREAM; docs/hpcc/stream.md).
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "base/pages.hpp"
#include "base/result.hpp"
#include "base/stream_kernels.hpp"
#include "base/thread_pool.hpp"

namespace groma::hpcc {

/// The suite's scalar: 0.42 (2 + 0.42) is just above 1, so that values hardly grow from round to round.
constexpr double kStreamScalar = 0.42;

/// One step of a round. Vectors are numbered: a 0, b 1, c 2.
struct StreamStep {
  std::string_view name;
  StreamOperation operation;
  std::size_t out;
  std::size_t first;
  std::size_t second;
  std::uint64_t streams;  ///< vectors read and written: what the bandwidth counts

  [[nodiscard]] double bytes(std::uint64_t elements) const {
    return static_cast<double>(streams * sizeof(double)) * static_cast<double>(elements);
  }
};

/// One round: c = a, b = s c, c = a + b, a = b + s c.
inline constexpr std::array kStreamSteps = {
    StreamStep{"copy", StreamOperation::kCopy, 2, 0, 0, 2},
    StreamStep{"scale", StreamOperation::kScale, 1, 2, 2, 2},
    StreamStep{"add", StreamOperation::kAdd, 2, 0, 1, 3},
    StreamStep{"triad", StreamOperation::kTriad, 0, 1, 2, 3},
};

/// Vectors of one rank, cut into one part for each member of the pool, who touches it first and walks it.
class StreamVectors {
 public:
  static Result<StreamVectors> make(std::uint64_t elements, ThreadPool& pool);

  [[nodiscard]] std::uint64_t elements() const { return elements_; }

  /// One step over all elements, until its stores have left.
  void step(const StreamStep& step, StreamPass pass);

  /// The same over `length` elements from `begin` on, a multiple of 8 each, of every member's part. Vectors
  /// no longer hold what rounds leave behind: fill() is due.
  void step_within_parts(const StreamStep& step, StreamPass pass, std::uint64_t begin, std::uint64_t length);

  /// Elements of the shortest part.
  [[nodiscard]] std::uint64_t shortest_part() const;

  /// Start values; every element has its own, so that one in a wrong place is found.
  void fill();

  /// Farthest distance of any element from what `rounds` rounds after fill() make of it, over the bound on
  /// the rounding errors of that many rounds. Above 1: some element is wrong, or no finite number.
  [[nodiscard]] double deviation(std::uint64_t rounds) const;

  /// a, b and c; for tests.
  [[nodiscard]] std::span<double> vector(std::size_t which) const;

 private:
  StreamVectors(Block memory, std::uint64_t elements, ThreadPool& pool);
  [[nodiscard]] std::pair<std::uint64_t, std::uint64_t> part(std::size_t member) const;
  [[nodiscard]] StreamOperands operands(const StreamStep& step, std::uint64_t at) const;

  Block memory_;
  std::uint64_t elements_;
  std::uint64_t stride_;
  ThreadPool* pool_;
};

}  // namespace groma::hpcc
