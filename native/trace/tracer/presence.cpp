#include "trace/tracer/presence.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>

#include "trace/tracer/clock.hpp"
#include "trace/tracer/job.hpp"
#include "trace/tracer/mpi.hpp"

namespace groma::trace {
namespace {

/// For ranks whose files are not seen yet.
constexpr std::uint64_t kTimeout = 200'000'000;  // ns
/// The same where launchers do not say ranks: they announce themselves only when MPI_Init has ended.
constexpr std::uint64_t kLongTimeout = 2'000'000'000;  // ns
/// Rank 0 says what it found within its own timeout and the time of its looks at all files, or has died.
constexpr std::uint64_t kMaxWait = 30'000'000'000;    // ns
constexpr std::uint64_t kMaxWaitOfRank = 10'000'000;  // ns
/// Between looks. They become rarer, for the files may be on a server that all ranks ask.
constexpr useconds_t kMinPause = 50;       // us
constexpr useconds_t kMaxPause = 200'000;  // us
constexpr int kTag = 27183;                // hardly one of a program
constexpr int kNoRank = -1;

/// This rank, as it is announced. `folder` stays while the program may change its environment.
struct Presence {
  std::array<char, 4096> folder;
  std::uint64_t job;
  std::uint64_t timeout;
  int rank;
};
constinit Presence self{{}, 0, kTimeout, kNoRank};

/// The file by which a rank says that it is traced. It is empty until the rank has seen that others are not,
/// and then has what it found: what is there already is seen at once on other hosts, too.
class Note {
 public:
  explicit Note(int rank) {
    const int length = std::snprintf(path_.data(), path_.size(), "%s/%016lx.%d.present", self.folder.data(),
                                     static_cast<unsigned long>(self.job), rank);
    if (length < 0 || static_cast<std::size_t>(length) >= path_.size()) {
      path_[0] = '\0';
    }
  }

  enum class State : std::uint8_t { kAbsent, kEmpty, kWritten };
  [[nodiscard]] State state() const {
    struct stat found {};
    if (stat(path_.data(), &found) != 0) {
      return State::kAbsent;
    }
    return found.st_size == 0 ? State::kEmpty : State::kWritten;
  }
  void remove() const { unlink(path_.data()); }
  [[nodiscard]] bool make() const { return put(nullptr, 0); }
  void say(const World& world) const { put(&world, sizeof world); }
  [[nodiscard]] bool has_said(World& world) const {
    const int file = open(path_.data(), O_RDONLY | O_CLOEXEC);
    if (file < 0) {
      return false;
    }
    World read{};
    const bool is_whole = ::read(file, &read, sizeof read) == sizeof read;
    close(file);
    if (is_whole) {
      world = read;
    }
    return is_whole;
  }

 private:
  bool put(const void* content, std::size_t bytes) const {
    const int file = open(path_.data(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (file < 0) {
      return false;
    }
    const bool is_written = write(file, content, bytes) == static_cast<ssize_t>(bytes);
    return close(file) == 0 && is_written;
  }

  std::array<char, 4200> path_{};
};

bool is_present(int rank) {
  return Note(rank).state() != Note::State::kAbsent;
}

bool be_present(int rank) {
  if (self.rank == rank) {
    return true;
  }
  withdraw_presence();
  if (!Note(rank).make()) {
    return false;
  }
  self.rank = rank;
  return true;
}

/// False if the time has passed without it.
template <class Condition>
bool wait_for(Condition condition, std::uint64_t nanoseconds) {
  const std::uint64_t begin = system_nanoseconds(CLOCK_MONOTONIC);
  useconds_t pause = kMinPause;
  while (!condition()) {
    if (system_nanoseconds(CLOCK_MONOTONIC) - begin > nanoseconds) {
      return false;
    }
    usleep(pause);
    pause = std::min(2 * pause, kMaxPause);
  }
  return true;
}

/// What the launcher told this rank; null if nothing. A launcher within a job of another MPI leaves what that
/// one said.
const char* rank_of_launcher() {
#if defined(OPEN_MPI)
  constexpr std::array names{"PMIX_RANK", "PMI_RANK"};
#else
  constexpr std::array names{"PMI_RANK", "PMIX_RANK"};
#endif
  for (const char* name : names) {
    const char* const said = std::getenv(name);  // NOLINT(concurrency-mt-unsafe)
    if (said != nullptr && *said != '\0') {
      return said;
    }
  }
  return nullptr;
}

/// False as soon as one has gone on without the others.
bool all_are_present(int ranks) {
  int next = 0;
  Note::State state = Note::State::kEmpty;
  const auto is_decided = [&] {
    while (next < ranks && (state = Note(next).state()) == Note::State::kEmpty) {
      ++next;
    }
    return next == ranks || state == Note::State::kWritten;
  };
  return wait_for(is_decided, self.timeout) && next == ranks;
}

std::uint64_t count_absent(int ranks) {
  std::uint64_t absent = 0;
  for (int rank = 0; rank < ranks; ++rank) {
    absent += is_present(rank) ? 0 : 1;
  }
  return absent;
}

/// The job names the world: all that go on without the others agree on it, also on hosts that do not share
/// the folder.
World without_others(int rank, int ranks) {
  const World world{self.job, std::max<std::uint64_t>(1, count_absent(ranks))};
  Note(rank).say(world);
  return world;
}

World lead(int ranks) {
  if (!all_are_present(ranks)) {
    return without_others(0, ranks);
  }
  const World world = new_world();
  for (int other = 1; other < ranks; ++other) {
    REAL(PMPI_Send)(&world, 2, MPI_UINT64_T, other, kTag, MPI_COMM_WORLD);
  }
  return world;
}

bool has_message() {
  int has_come = 0;
  REAL(PMPI_Iprobe)(0, kTag, MPI_COMM_WORLD, &has_come, MPI_STATUS_IGNORE);
  return has_come != 0;
}

/// Only rank 0 sends. What it says by its note is there before its program sends anything: a message that
/// comes without it is the tracer's.
bool hear(World& world) {
  const bool has_come = has_message();
  if (Note(0).has_said(world)) {
    return true;
  }
  if (has_come) {
    REAL(PMPI_Recv)(&world, 2, MPI_UINT64_T, 0, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  return has_come;
}

World follow(int rank, int ranks) {
  World world{};
  if (!wait_for([] { return is_present(0); }, self.timeout)) {
    world = without_others(rank, ranks);
    // One of the two sees the other: rank 0 looks at the notes after it has made its own.
    if (!is_present(0)) {
      return world;
    }
  }
  const std::uint64_t wait = kMaxWait + (kMaxWaitOfRank * static_cast<std::uint64_t>(ranks));
  return wait_for([&world] { return hear(world); }, wait) ? world : without_others(rank, ranks);
}

}  // namespace

World new_world() {
  return {system_nanoseconds(CLOCK_REALTIME) ^ (static_cast<std::uint64_t>(getpid()) << 44U), 0};
}

void announce_presence() {
  const char* const folder = std::getenv("GROMA_TRACE_DIR");  // NOLINT(concurrency-mt-unsafe)
  const char* const rank = rank_of_launcher();
  if (folder == nullptr || *folder == '\0') {
    return;
  }
  std::snprintf(self.folder.data(), self.folder.size(), "%s", folder);
  self.job = id_of_job();
  self.timeout = rank != nullptr ? kTimeout : kLongTimeout;
  if (rank != nullptr) {
    be_present(static_cast<int>(std::strtol(rank, nullptr, 10)));
  }
}

World meet(int rank, int ranks) {
  if (ranks == 1) {
    withdraw_presence();
    return new_world();
  }
  if (!be_present(rank)) {
    return {self.job, 1};
  }
  const World world = rank == 0 ? lead(ranks) : follow(rank, ranks);
  if (rank != 0 && world.untraced == 0) {
    withdraw_presence();  // rank 0 has seen it; that of rank 0 others may still look for
  }
  return world;
}

void withdraw_presence() {
  if (self.rank != kNoRank) {
    Note(self.rank).remove();
  }
  self.rank = kNoRank;
}

}  // namespace groma::trace
