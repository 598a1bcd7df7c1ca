// Threads that stand ready between pieces of work, for what is repeated too often to start threads each time.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <thread>
#include <utility>
#include <vector>

#include "base/units.hpp"

namespace groma {

/// The caller is member 0, so that a crew of one costs nothing. Between pieces of work the others sleep. All
/// keep the affinity mask of the caller; where that mask has just one CPU for each member, every member is
/// pinned to its own while the crew lives, and its memory stays close to it.
class Crew {
 public:
  /// Throws std::system_error where the system refuses a thread.
  explicit Crew(std::uint32_t members);
  ~Crew();
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

  [[nodiscard]] std::size_t size() const { return threads_.size() + 1; }

  /// Runs `work` once on each member, returns when all have finished. By the thread that made the crew only.
  void run(const std::function<void(std::size_t member)>& work);

 private:
  void serve(std::size_t member);
  void dismiss();

  const std::function<void(std::size_t)>* work_ = nullptr;
  std::atomic<std::uint32_t> piece_{0};  ///< number of the piece of work that is begun
  std::atomic<std::uint32_t> busy_{0};
  bool leave_ = false;
  std::vector<PhysicalCore> cpus_;  ///< of the members where they are pinned, else none
  std::vector<std::jthread> threads_;
};

/// First and last element, exclusive, of one part of `count` elements in `parts`; every bound but the last is
/// a multiple of `grain`.
std::pair<std::uint64_t, std::uint64_t> part_of(std::uint64_t count, std::uint64_t grain, std::size_t part,
                                                std::size_t parts);

}  // namespace groma
