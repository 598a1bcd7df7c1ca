#include "trace/tracer/synchronize.hpp"

#include <unistd.h>

#include "trace/tracer/clock.hpp"
#include "trace/tracer/mpi.hpp"
#include "trace/tracer/text_hash.hpp"

namespace groma::trace {
namespace {

constexpr int kRoundTrips = 24;
/// Comparisons in a long run are this far apart at least, and twice as far whenever the header is full.
constexpr double kSecondsApart = 30;
/// The rate of collectives may change: the number until the next comparison grows by this factor at most.
constexpr std::uint64_t kMaxGrowth = 16;

std::uint64_t host_hash() {
  char name[256] = {};  // NOLINT(modernize-avoid-c-arrays)
  gethostname(name, sizeof name - 1);
  TextHash hash;
  hash.add(name);
  return hash.value();
}

/// True if the ranks of the world have more than one host name.
bool several_hosts() {
  const std::uint64_t hash = host_hash();
  std::uint64_t most[] = {hash, ~hash};  // NOLINT(modernize-avoid-c-arrays)
  REAL(PMPI_Allreduce)(MPI_IN_PLACE, most, 2, MPI_UINT64_T, MPI_MAX, MPI_COMM_WORLD);
  return most[0] != ~most[1];
}

void answer(MPI_Comm leaders, int hosts) {
  for (int host = 1; host < hosts; ++host) {
    for (int i = 0; i < kRoundTrips; ++i) {
      std::uint64_t now = 0;
      REAL(PMPI_Recv)(&now, 1, MPI_UINT64_T, host, 0, leaders, MPI_STATUS_IGNORE);
      now = ticks();
      REAL(PMPI_Send)(&now, 1, MPI_UINT64_T, host, 0, leaders);
    }
  }
}

log::SyncSample ask(MPI_Comm leaders) {
  log::SyncSample best{0, 0, ~std::uint64_t{0}};
  for (int i = 0; i < kRoundTrips; ++i) {
    std::uint64_t reference = 0;
    const std::uint64_t before = ticks();
    REAL(PMPI_Send)(&reference, 1, MPI_UINT64_T, 0, 0, leaders);
    REAL(PMPI_Recv)(&reference, 1, MPI_UINT64_T, 0, 0, leaders, MPI_STATUS_IGNORE);
    const std::uint64_t half = (ticks() - before) / 2;
    if (half < best.half_trip) {
      best = {before + half, reference, half};
    }
  }
  return best;
}

/// The communicators that comparisons use, for the whole run: none are made or freed near its end.
struct Comparers {
  bool needed;
  MPI_Comm host;     ///< all processes of this host, by its name
  MPI_Comm leaders;  ///< the first of each host; MPI_COMM_NULL in others
};

Comparers make_comparers() {
  Comparers made{several_hosts(), MPI_COMM_NULL, MPI_COMM_NULL};
  if (made.needed) {
    int rank = 0;
    int in_host = 0;
    REAL(PMPI_Comm_rank)(MPI_COMM_WORLD, &rank);
    // By name, as the merge tells hosts apart.
    REAL(PMPI_Comm_split)(MPI_COMM_WORLD, static_cast<int>(host_hash() & 0x7fffffffU), rank, &made.host);
    REAL(PMPI_Comm_rank)(made.host, &in_host);
    REAL(PMPI_Comm_split)(MPI_COMM_WORLD, in_host == 0 ? 0 : MPI_UNDEFINED, rank, &made.leaders);
  }
  return made;
}

log::SyncSample compare(MPI_Comm leaders) {
  int leader = 0;
  int hosts = 0;
  REAL(PMPI_Comm_rank)(leaders, &leader);
  REAL(PMPI_Comm_size)(leaders, &hosts);
  if (leader != 0) {
    return ask(leaders);
  }
  answer(leaders, hosts);
  const std::uint64_t now = ticks();
  return {now, now, 0};
}

const Comparers& comparers() {
  static const Comparers made = make_comparers();
  return made;
}

/// When to compare next. The same in all processes.
struct Schedule {
  std::uint64_t begin;  ///< ns
  std::uint64_t collectives;
  std::uint64_t next;
  double seconds_apart;
  log::Header* header;  ///< what comparisons are added to
};
Schedule schedule{};

/// Every second one goes; the first stays.
void thin_out(log::Header& header) {
  std::uint32_t kept = 0;
  for (std::uint32_t i = 0; i < header.syncs; i += 2) {
    header.sync[kept++] = header.sync[i];
  }
  header.syncs = kept;
}

/// How many collectives from the begin until the next comparison. To be called by rank 0.
std::uint64_t next_after(std::uint64_t collectives) {
  const double seconds = static_cast<double>(system_nanoseconds(CLOCK_MONOTONIC) - schedule.begin) * 1e-9;
  const double until = static_cast<double>(collectives) * (schedule.seconds_apart / seconds);
  const std::uint64_t most = collectives * (kMaxGrowth - 1);
  return collectives + (until < static_cast<double>(most) ? static_cast<std::uint64_t>(until) + 1 : most);
}

}  // namespace

bool clocks_differ = false;

void synchronize(log::Header* header) {
  const Comparers& all = comparers();
  if (!all.needed) {
    return;
  }
  // One message carries the sample and, from rank 0 by the leaders, when to compare next.
  struct {
    log::SyncSample sample;
    std::uint64_t next;
  } said{{0, 0, 0}, 0};
  if (all.leaders != MPI_COMM_NULL) {
    said.sample = compare(all.leaders);
    said.next = next_after(schedule.collectives);
    REAL(PMPI_Bcast)(&said.next, 1, MPI_UINT64_T, 0, all.leaders);
  }
  // All processes of the host keep it: the leader may be the one that gets lost.
  REAL(PMPI_Bcast)(&said, 4, MPI_UINT64_T, 0, all.host);
  schedule.next = said.next;
  if (!clocks_differ && schedule.begin == 0) {
    schedule = {system_nanoseconds(CLOCK_MONOTONIC), 0, kMaxGrowth, kSecondsApart, header};
    clocks_differ = true;
  }
  if (schedule.header == nullptr) {
    return;
  }
  log::Header& kept = *schedule.header;
  if (kept.syncs == log::kMaxSyncs) {
    thin_out(kept);
    schedule.seconds_apart *= 2;
  }
  kept.sync[kept.syncs++] = said.sample;
}

void count_world_collective() {
  if (++schedule.collectives == schedule.next) {
    synchronize(schedule.header);
  }
}

void stop_comparing() {
  clocks_differ = false;
}

}  // namespace groma::trace
