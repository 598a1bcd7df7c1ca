// Threads and memory of a rank, used by one transform after another.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>

#include "base/pages.hpp"
#include "base/result.hpp"
#include "base/thread_pool.hpp"
#include "hpcc/fft/decomposition.hpp"

namespace groma::hpcc::fft {

enum class Part { kData, kMiddle, kStaging, kColumns };
constexpr std::size_t kParts = 4;

/// Points of each part that a transform needs.
struct Needs {
  std::uint64_t data;
  std::uint64_t middle;
  std::uint64_t staging;
  std::uint64_t columns;
};

class Workspace {
 public:
  explicit Workspace(ThreadPool& pool) : pool_(&pool) {}

  /// At least so much of every part. What grows loses its content; nothing is touched yet.
  Status reserve(const Needs& needs);
  [[nodiscard]] Complex* of(Part part) const;

  [[nodiscard]] std::size_t members() const { return pool_->size(); }
  /// Runs work(member, item) for all items, each member a range of consecutive ones.
  void share_out(std::uint64_t items, const std::function<void(std::size_t, std::uint64_t)>& work);

 private:
  ThreadPool* pool_;
  std::array<std::unique_ptr<Block>, kParts> blocks_;
};

}  // namespace groma::hpcc::fft
