// What the generated wrappers are made of. A wrapper calls the real function between the creation of a Scope
// and Scope::leave(), and then puts the fields of the call into the record.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <type_traits>

#include "trace/tracer/call_sites.hpp"
#include "trace/tracer/clock.hpp"
#include "trace/tracer/counting.hpp"
#include "trace/tracer/flag.hpp"
#include "trace/tracer/mpi.hpp"
#include "trace/tracer/real.hpp"
#include "trace/tracer/synchronize.hpp"
#include "trace/tracer/thread_state.hpp"
#include "trace/tracer/writer.hpp"

#define GROMA_TRACE_EXPORT extern "C" __attribute__((visibility("default")))

namespace groma::trace {

/// Set between the end of MPI_Init and the begin of MPI_Finalize.
extern Flag running;
/// Set while MPI_Pcontrol(0) holds: what messages do not need is not recorded.
extern Flag switched_off;
/// True if calls that got nothing are counted and not recorded.
extern bool only_counts_misses;
/// Writes misses before the record that follows them, or at the end of the log.
void record_misses(MissCounts& misses, Writer& writer);
/// Set once a receive names no source or no tag: statuses are then needed to know whose message it was.
extern Flag wildcards_expected;
/// Set once a request was cancelled.
extern Flag cancels_expected;
inline void expect_wildcards() {
  wildcards_expected.set(true);
}
inline void expect_cancels() {
  cancels_expected.set(true);
}
inline bool are_statuses_needed() {
  return wildcards_expected.is_set() || cancels_expected.is_set();
}

/// Opens the log of this thread. False if it cannot be.
bool attach_thread();

/// The end of the stack in the function that this is inlined into.
[[gnu::always_inline]] inline const void* end_of_stack() {
  const void* end = nullptr;
#if defined(__x86_64__)
  __asm__("mov %%rsp, %0" : "=r"(end));
#elif defined(__aarch64__)
  __asm__("mov %0, sp" : "=r"(end));
#else
  end = __builtin_frame_address(0);
#endif
  return end;
}

/// Whether a thread is in a call of MPI. `place` is the frame of the function that asks.
[[gnu::always_inline]] inline bool is_within_call(const ThreadState& state, const void* place) {
  // The stack grows down: who is not below the outermost call came there by longjmp, as error handlers do.
  return state.depth != 0 && std::less<>()(place, state.outermost);
}

/// A thread enters a call, whose part of the stack is from `place` to `end`. True if it is in no other.
[[gnu::always_inline]] inline bool enter_call(ThreadState& state, const void* place, const void* end) {
  if (is_within_call(state, place)) {
    ++state.depth;
    return false;
  }
  state.depth = 1;
  state.outermost = end;
  return true;
}

/// One call of MPI by the program.
class Scope {
 public:
  [[gnu::always_inline]] explicit Scope(log::CallIndex call) : state_(thread_state), call_(call) {
    const bool is_first = enter_call(state_, __builtin_frame_address(0), end_of_stack());
    depth_ = state_.depth;
    if (is_first && running.is_set() && (log::is_kept_while_off(call) || !switched_off.is_set()) &&
        (state_.recording || attach_thread())) {
      recorded_ = true;
      log::Header& header = state_.writer->header();
      header.in_call = static_cast<std::uint64_t>(call) + 1;
      if (state_.counting != nullptr) [[unlikely]] {
        state_.counting->enter();
      }
      entered_ = ticks();
      header.entered = entered_;
    }
  }
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;
  Scope(Scope&&) = delete;
  Scope& operator=(Scope&&) = delete;
  [[gnu::always_inline]] ~Scope() { state_.depth = depth_ - 1; }

  /// To be called as soon as the real function returned.
  [[gnu::always_inline]] void stop() {
    if (recorded_) {
      left_ = ticks();
      if (state_.counting != nullptr) [[unlikely]] {
        state_.counting->leave();
      }
      state_.writer->header().in_call = 0;
    }
  }
  [[nodiscard]] bool recorded() const { return recorded_; }
  /// The program's own call, not one of an MPI by its public names.
  [[nodiscard]] bool is_outermost() const { return state_.depth == 1; }
  [[nodiscard]] Writer& writer() { return *state_.writer; }

  [[nodiscard]] std::uint64_t duration() const { return left_ - entered_; }

  /// The record of the call, or none. Nothing else may be written before commit(). `site` is where the
  /// program called: by default the return address of the wrapper, because this is inlined into it.
  [[gnu::always_inline]] Record leave(const void* site = __builtin_return_address(0)) {
    return leave_as(0, site);
  }
  /// Writes that the call failed; its arguments may be void.
  void leave_failed(const void* site = __builtin_return_address(0)) {
    if (Record record = leave_as(1, site)) {
      commit(record);
    }
  }
  [[gnu::always_inline]] void commit(Record& record) {
    if (site_ != 0) [[unlikely]] {
      record.put(site_);
    }
    state_.writer->commit(record);
  }

  /// The call got nothing; true if it has no record of its own.
  [[nodiscard]] bool is_only_counted(log::Miss kind) {
    const bool is_off = switched_off.is_set();
    if (!is_off && only_counts_misses) {
      MissCounts::Sum& sum = state_.misses->of[static_cast<std::size_t>(kind)];
      ++sum.count;
      sum.ticks += duration();
      state_.misses->any = true;
    }
    return is_off || only_counts_misses;
  }

  /// As if the call had begun before the tracer knew its thread.
  void begin_at(std::uint64_t entered) {
    recorded_ = true;
    entered_ = entered;
  }

 private:
  [[gnu::always_inline]] Record leave_as(std::uint64_t outcome, const void* site) {
    if (state_.misses->any) [[unlikely]] {
      record_misses(*state_.misses, *state_.writer);
    }
    if (state_.counting != nullptr) [[unlikely]] {
      state_.counting->record_call(*state_.writer);
    }
    Record record = state_.sites != nullptr ? begin_at_site(site) : state_.writer->begin();
    if (record) {
      record.put(log::kFirstCall + 2 * static_cast<std::uint64_t>(call_) + outcome);
      record.put(state_.writer->since_last(entered_));
      record.put(state_.writer->since_last(left_));
    }
    return record;
  }
  /// A record in the chunk that describes the site.
  Record begin_at_site(const void* site) {
    Writer& writer = *state_.writer;
    while (true) {
      const std::uint64_t section = writer.section();
      site_ = state_.sites->number(site, writer);
      const Record record = writer.begin();
      if (!record || section == writer.section()) {
        return record;
      }
    }
  }

  ThreadState& state_;
  unsigned depth_;
  log::CallIndex call_;
  bool recorded_ = false;
  std::uint64_t entered_ = 0;
  std::uint64_t left_ = 0;
  std::uint64_t site_ = 0;
};

/// What a wrapper needs to know of a communicator.
struct Communicator {
  std::uint64_t id = 0;  ///< of this process; 0: unknown
  int rank = 0;
  int members = 0;    ///< of the own group
  int processes = 0;  ///< of the remote group of an intercommunicator, else of the own one
  bool is_inter = false;

  [[nodiscard]] bool is_root(int root) const { return root == MPI_ROOT || (!is_inter && root == rank); }
  // At and beside the root of an intercommunicator, arguments have no meaning.
  [[nodiscard]] bool has_share(int root) const { return !is_inter || root >= 0; }
  [[nodiscard]] bool takes_part(int root) const { return !is_inter || root >= 0 || root == MPI_ROOT; }
};
/// What neighbourhood collectives need to know of the topology of a communicator.
struct Neighbours {
  int destinations = 0;
  int sources = 0;
  std::uint64_t absent = 0;  ///< bits of neighbours in a grid that are MPI_PROC_NULL

  [[nodiscard]] std::uint64_t present(int neighbours) const {
    return static_cast<std::uint64_t>(neighbours - __builtin_popcountll(absent));
  }
};
/// Looks a communicator up; one that is not known is defined. Lock-free where it is known.
Communicator communicator(MPI_Comm comm);
/// To be called only after a neighbourhood collective of the program. What an MPI says of other topologies
/// may be wrong: Open MPI 4.1 divides by zero in MPI_Cart_shift on what MPI_Comm_create_group makes of a
/// grid.
Neighbours neighbours(MPI_Comm comm);
/// Writes the definition of a new communicator into the log. Returns its id; 0 for MPI_COMM_NULL.
std::uint64_t define_communicator(MPI_Comm comm);
/// The same for one that may not be used yet, because it is a duplicate that is still being made.
std::uint64_t define_duplicate(MPI_Comm original, MPI_Comm duplicate);
/// Returns the id of a communicator that may have been defined before.
std::uint64_t known_communicator(MPI_Comm comm);
/// Returns the id of a communicator that the program frees, and forgets it.
std::uint64_t release_communicator(MPI_Comm comm);

/// To be called after a collective that no process leaves before all came.
inline void after_synchronizing(const Scope& call, MPI_Comm comm) {
  if (clocks_differ && comm == MPI_COMM_WORLD && call.is_outermost()) [[unlikely]] {
    count_world_collective();
  }
}

inline std::uint64_t size_of(MPI_Datatype type) {
  if (type == MPI_BYTE || type == MPI_CHAR) {
    return 1;
  }
  MPI_Count size = 0;
  REAL(PMPI_Type_size_x)(type, &size);
  return size > 0 ? static_cast<std::uint64_t>(size) : 0;
}
template <class Count>
std::uint64_t bytes_of(Count count, MPI_Datatype type) requires std::is_integral_v<Count> {
  return count > 0 ? static_cast<std::uint64_t>(count) * size_of(type) : 0;
}
/// Counts of processes or neighbours, of which those in the bits of `absent` are not there.
struct Several {
  int number;
  std::uint64_t absent = 0;

  [[nodiscard]] bool has(int i) const { return i >= 64 || (absent >> static_cast<unsigned>(i) & 1U) == 0; }
};
template <class Count>
std::uint64_t bytes_of(const Count* counts, Several several, MPI_Datatype type) {
  std::uint64_t sum = 0;
  for (int i = 0; i < several.number; ++i) {
    sum += static_cast<std::uint64_t>(counts[i] > 0 && several.has(i) ? counts[i] : 0);
  }
  return sum == 0 ? 0 : sum * size_of(type);
}
template <class Count, class Types>
std::uint64_t bytes_of(const Count* counts, Several several,
                       const Types& types) requires(!std::is_same_v<Types, MPI_Datatype>) {
  std::uint64_t sum = 0;
  for (int i = 0; i < several.number; ++i) {
    sum += several.has(i) ? bytes_of(counts[i], types[i]) : 0;
  }
  return sum;
}

// Not one test for both: MPICH's MPI_ANY_TAG is its MPI_PROC_NULL.
inline bool is_any_source(int source) {
  return source == MPI_ANY_SOURCE;
}
inline bool is_any_tag(int tag) {
  return tag == MPI_ANY_TAG;
}

[[gnu::always_inline]] inline void Record::source(int rank) {
  std::int64_t meant = rank;
  if (rank < 0) {
    meant = rank == MPI_PROC_NULL    ? log::kProcessNull
            : rank == MPI_ANY_SOURCE ? log::kAny
            : rank == MPI_ROOT       ? log::kIntercommRoot
                                     : log::kUndefined;
  }
  put_signed(meant);
}
inline void Record::root(int rank) {
  source(rank);
}
[[gnu::always_inline]] inline void Record::tag(int value) {
  put_signed(value == MPI_ANY_TAG ? log::kAny : value);
}
inline void Record::handle(std::uint64_t bits) {
  put_signed(thread_state.writer->handle_difference(bits));
}

/// A handle of the tracer's MPI from the bits of an argument.
template <class Handle>
[[gnu::always_inline]] inline Handle narrow(std::uintptr_t bits) {
  if constexpr (std::is_pointer_v<Handle>) {
    return reinterpret_cast<Handle>(bits);
  } else {
    return static_cast<Handle>(bits);
  }
}

/// A handle as a number.
template <class Handle>
std::uint64_t bits(Handle handle) {
  if constexpr (std::is_pointer_v<Handle>) {
    return reinterpret_cast<std::uintptr_t>(handle);
  } else {
    return static_cast<std::uint32_t>(handle);
  }
}

/// Whether a call that failed received its message all the same, which was too long, or completed requests.
[[gnu::cold]] bool has_received(int code);
/// True for the constants by which a program says that it wants no status.
bool is_ignored(const MPI_Status* status);
inline MPI_Status* status_or(MPI_Status& own, MPI_Status* offered) {
  return is_ignored(offered) ? &own : offered;
}

/// Memory of a thread for the handles and statuses of one call.
template <class Item>
class ScratchArray {
 public:
  ScratchArray() = default;
  ScratchArray(const ScratchArray&) = delete;
  ScratchArray& operator=(const ScratchArray&) = delete;
  ScratchArray(ScratchArray&&) = delete;
  ScratchArray& operator=(ScratchArray&&) = delete;
  ~ScratchArray() { std::free(static_cast<void*>(many_)); }

  /// No items if there is no memory.
  Item* make(std::size_t number) {
    if (number > kFew) {
      many_ = static_cast<Item*>(std::calloc(number, sizeof(Item)));
      return many_;
    }
    return few_;
  }

 private:
  static constexpr std::size_t kFew = 64;
  Item few_[kFew];  // NOLINT(modernize-avoid-c-arrays)
  Item* many_ = nullptr;
};

/// What the Fortran of this MPI counts the requests of MPI_Waitany and MPI_Waitsome from: one, but for
/// mpi_f08 of MPICH 4.0, which forgets it.
int fortran_first_index();

/// The requests of a call, which may set them to null: they are read before it. Those that it starts or
/// completes are written before its record.
class RequestsOfCall {
 public:
  RequestsOfCall(const RequestsOfCall&) = delete;
  RequestsOfCall& operator=(const RequestsOfCall&) = delete;
  RequestsOfCall(RequestsOfCall&&) = delete;
  RequestsOfCall& operator=(RequestsOfCall&&) = delete;

 protected:
  template <class Requests>
  RequestsOfCall(Scope& call, int number, const Requests& requests) : call_(call) {
    if (!call.recorded() || number <= 0) {
      return;
    }
    handles_ = kept_.make(static_cast<std::size_t>(number));
    if (handles_ == nullptr) {
      return;
    }
    number_ = number;
    for (int i = 0; i < number; ++i) {
      handles_[i] = requests[i];
    }
  }
  ~RequestsOfCall() = default;

  [[nodiscard]] int number() const { return number_; }
  [[nodiscard]] bool has(int index) const {
    return index >= 0 && index < number_ && handles_[index] != MPI_REQUEST_NULL;
  }
  /// The record with the handle of a request; what became of it is to be put behind. No record if the log is
  /// full.
  [[gnu::always_inline]] Record& record_of(int index) {
    constexpr std::size_t longest_item = 30;
    if (record_ && record_.room() < longest_item) {
      flush();
    }
    if (!record_) {
      record_ = call_.writer().begin();
      if (record_) {
        record_.put(static_cast<std::uint64_t>(log::Head::requests));
      }
    }
    if (record_) {
      record_.handle(bits(handles_[index]));
    }
    return record_;
  }
  void flush() {
    if (record_) {
      call_.writer().commit(record_);
      record_ = {};
    }
  }

 private:
  Scope& call_;
  int number_ = 0;
  MPI_Request* handles_ = nullptr;
  Record record_;
  ScratchArray<MPI_Request> kept_;
};

/// Those of a call that starts all of them, and knows of no statuses.
class StartedRequests : public RequestsOfCall {
 public:
  template <class Requests>
  StartedRequests(Scope& call, int number, const Requests& requests)
      : RequestsOfCall(call, number, requests) {}

  void all();
};

/// Whose statuses a call returns: of each request that it completes, or only of one.
enum class StatusOf : std::uint8_t { one, each };

/// Those of a call that completes some of them.
class CompletedRequests : public RequestsOfCall {
 public:
  template <class Requests>
  CompletedRequests(Scope& call, int number, const Requests& requests, MPI_Status* statuses, StatusOf of)
      : RequestsOfCall(call, number, requests), statuses_(statuses), of_(of) {
    if (RequestsOfCall::number() > 0 && are_statuses_needed()) {
      use_own_statuses();
    }
  }
  CompletedRequests(Scope& call, MPI_Request request, MPI_Status* status)
      : CompletedRequests(call, 1, &request, status, StatusOf::one) {}

  /// What the real function gets: the caller's, or own ones where the caller wants none and they are needed.
  [[nodiscard]] MPI_Status* statuses() { return statuses_; }

  /// The call failed: some of the requests may be pending still.
  void fail();
  void all();
  void one(int index);
  template <class Indices>
  void some(int completed, const Indices& indices) {
    for (int i = 0; i < completed && number() > 0; ++i) {
      add(indices[i], i);
    }
    flush();
  }

 private:
  void use_own_statuses();
  void add(int index, int status);

  MPI_Status* statuses_;
  StatusOf of_;
  bool has_statuses_ = false;
  bool failed_ = false;
  ScratchArray<MPI_Status> own_;
};

// Arguments of Fortran. They are addresses; handles are integers.
inline int integer(const void* at) {
  return *static_cast<const int*>(at);
}
inline const int* integers(const void* at) {
  return static_cast<const int*>(at);
}
inline MPI_Count count(const void* at) {
  return *static_cast<const MPI_Count*>(at);
}
inline const MPI_Count* counts(const void* at) {
  return static_cast<const MPI_Count*>(at);
}
#if defined(OPEN_MPI)
inline MPI_Comm communicator_of(int handle) {
  return REAL(PMPI_Comm_f2c)(handle);
}
inline MPI_Datatype type_of(int handle) {
  return REAL(PMPI_Type_f2c)(handle);
}
inline MPI_Request request_of(int handle) {
  return REAL(PMPI_Request_f2c)(handle);
}
inline MPI_Message message_of(int handle) {
  return REAL(PMPI_Message_f2c)(handle);
}
#else
inline MPI_Comm communicator_of(int handle) {
  return handle;
}
inline MPI_Datatype type_of(int handle) {
  return handle;
}
inline MPI_Request request_of(int handle) {
  return handle;
}
inline MPI_Message message_of(int handle) {
  return handle;
}
#endif
struct FortranTypes {
  const int* handles;
  MPI_Datatype operator[](int i) const { return type_of(handles[i]); }
};
struct FortranRequests {
  const int* handles;
  MPI_Request operator[](int i) const { return request_of(handles[i]); }
};
struct FortranIndices {
  const int* indices;
  int operator[](int i) const { return indices[i] - fortran_first_index(); }
};
bool fortran_in_place(const void* buffer);
/// The address that a descriptor (CFI_cdesc_t) holds: its first member.
inline const void* described(const void* descriptor) {
  return descriptor == nullptr ? nullptr : *static_cast<const void* const*>(descriptor);
}
// Fortran's statuses lie as those of C do, in Open MPI and in mpi_f08 of MPICH.
inline MPI_Status* fortran_status(void* at) {
  return static_cast<MPI_Status*>(at);
}
inline void* fortran_address(MPI_Status* status) {
  return status;
}

}  // namespace groma::trace
