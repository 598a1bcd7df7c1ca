// What a signal does to a run: results are saved at once, and the process ends a little later in any case.
#pragma once

#include <atomic>
#include <functional>
#include <thread>

#include "base/result.hpp"
#include "mpi/communicator.hpp"

namespace groma::job {

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

  /// The last one of this process, 0 where there was none.
  [[nodiscard]] int signal() const;

 private:
  void wait_for_signal();

  std::atomic<bool>& cancelled_;
  std::function<void()> save_;
  std::function<void()> give_up_;
  std::thread waiting_;
};

/// Collective. An error if some ranks got `signal` but not all of them: then it was not meant for the run.
/// The error names the first such rank.
Status signalled_alone(const mpi::Communicator& world, int signal);

}  // namespace groma::job
