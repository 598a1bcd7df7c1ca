// What a thread needs at each call, and what of it is freed when the thread ends.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <new>
#include <utility>

#include "trace/log/calls.hpp"
#include "trace/tracer/writer.hpp"

namespace groma::trace {

class CallSites;
class Counting;
class LogUser;
class RegionNames;

/// Calls that got nothing, since the last record.
struct MissCounts {
  struct Sum {
    std::uint64_t count;
    std::uint64_t ticks;
  };
  bool any;
  std::array<Sum, log::kMisses> of;
};

/// What the process keeps of a thread: it outlives it.
struct ThreadLog {
  Writer writer;
  MissCounts misses;  ///< those after the last record of the thread
  /// Its thread makes it, or records what is no call of MPI: that may happen while MPI ends.
  std::atomic<bool> busy;
};

/// Threads with small stacks have room for little of this: what is large is made at its first use.
struct ThreadState {
  unsigned depth;         ///< of wrapped calls: an MPI may call itself by its public names
  const void* outermost;  ///< the end of the stack in the first of them
  bool recording;
  bool refused;    ///< the log cannot be made
  bool attaching;  ///< its log is being made
  bool has_ended;
  Writer* writer;      ///< that of the log
  MissCounts* misses;  ///< those of the log
  ThreadLog* log;
  LogUser* user;       ///< of the log
  Counting* counting;  ///< nullptr: no counters
  CallSites* sites;    ///< nullptr: they are not recorded
  RegionNames* names;  ///< nullptr: none so far
};
extern thread_local ThreadState thread_state __attribute__((tls_model("initial-exec")));

/// Held by a thread that records what is no call of MPI, and has a log then. MPI may end meanwhile: then it
/// is not held.
class BesidesMpi {
 public:
  BesidesMpi();
  BesidesMpi(const BesidesMpi&) = delete;
  BesidesMpi& operator=(const BesidesMpi&) = delete;
  BesidesMpi(BesidesMpi&&) = delete;
  BesidesMpi& operator=(BesidesMpi&&) = delete;
  ~BesidesMpi();

  /// False as well in a handler of signals that interrupted such a thread.
  explicit operator bool() const { return is_held_; }

 private:
  bool is_held_ = false;
};

/// Owns a part of the state of its thread, and frees it when the thread ends.
template <class Item>
class ThreadOwned {
 public:
  using Place = Item* ThreadState::*;

  explicit constexpr ThreadOwned(Place place) : place_(place) {}
  ThreadOwned(const ThreadOwned&) = delete;
  ThreadOwned& operator=(const ThreadOwned&) = delete;
  ThreadOwned(ThreadOwned&&) = delete;
  ThreadOwned& operator=(ThreadOwned&&) = delete;
  ~ThreadOwned() {
    thread_state.has_ended = true;
    free();
  }

  /// Takes the place of an earlier item. nullptr if there is no memory, or the thread ends.
  template <class... Arguments>
  Item* make(Arguments&&... arguments) {
    free();
    if (!thread_state.has_ended) {
      thread_state.*place_ = new (std::nothrow) Item(std::forward<Arguments>(arguments)...);
    }
    return thread_state.*place_;
  }
  void free() { delete std::exchange(thread_state.*place_, nullptr); }

 private:
  Place place_;
};

}  // namespace groma::trace
