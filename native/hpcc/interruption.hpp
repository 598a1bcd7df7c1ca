// What a signal does to a run: it is noted, what was measured is saved at once, and the process ends in any
// case a little later.
#pragma once

#include <atomic>
#include <functional>
#include <thread>

namespace groma::hpcc {

/// While this lives, SIGINT, SIGTERM and SIGHUP set `cancelled` and call `save` from a thread of its own: a
/// launcher that passes a signal on kills soon after (Open MPI after 1 s), too soon for a large matrix to
/// end. After a second signal, or `kGrace` seconds, `give_up` is called, which ends the process. One at a
/// time.
class Interruption {
 public:
  static constexpr int kGrace = 10;

  Interruption(std::atomic<bool>& cancelled, std::function<void()> save, std::function<void()> give_up);
  ~Interruption();
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;

 private:
  void wait_for_signal();

  std::atomic<bool>& cancelled_;
  std::function<void()> save_;
  std::function<void()> give_up_;
  std::thread waiting_;
};

}  // namespace groma::hpcc
