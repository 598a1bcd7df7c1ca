// What a signal does to a run: results are saved at once, and the process ends a little later in any case.
#pragma once

#include <atomic>
#include <functional>
#include <string_view>
#include <thread>

#include "job/process.hpp"
#include "mpi/communicator.hpp"

namespace groma::job {

/// While this lives, SIGINT, SIGTERM, SIGHUP and those of batch systems set `cancelled` and call `save` from
/// a thread of its own: a launcher that passes a signal on kills soon after (Open MPI after 1 s), too soon
/// for a large matrix to end. After a second signal, or `kGrace` seconds, `give_up` is called, which ends the
/// process. One at a time.
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

/// Collective. Says on the root which signal ended the run, 0 for none, where that does not go without
/// saying: if only some ranks got one it was not meant for the run, and the first such rank is named.
void report_signal(const mpi::Communicator& world, const Process& process, std::string_view program,
                   int signal);

}  // namespace groma::job
