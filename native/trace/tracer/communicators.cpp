#include "trace/tracer/communicators.hpp"

#include <atomic>
#include <cstdlib>

#include "trace/tracer/process.hpp"
#include "trace/tracer/wrapping.hpp"

namespace groma::trace {
namespace {

/// An open-addressing table that is read without locks. Entries are never moved; a freed one is marked and
/// used again by another communicator.
struct Entry {
  std::atomic<std::uint64_t> handle;
  Communicator what;
  std::atomic<bool> has_neighbours;
  Neighbours neighbours;  ///< once they were asked for
};
constexpr std::uint64_t kEmpty = 0;
constexpr std::uint64_t kFreed = 1;
constexpr unsigned kSlotBits = 16;
constexpr std::size_t kSlots = std::size_t{1} << kSlotBits;
constexpr std::uint64_t kWorldId = 1;
constexpr std::uint64_t kSelfId = 2;

struct Table {
  std::array<Entry, kSlots> entries;
  std::atomic_flag busy;  ///< held by who adds or removes
  std::uint64_t last_id;
  Communicator world;
  std::uint64_t world_handle;
  MPI_Group world_group;
};
constinit Table table{};

class TableLock {
 public:
  TableLock() {
    while (table.busy.test_and_set(std::memory_order_acquire)) {
    }
  }
  TableLock(const TableLock&) = delete;
  TableLock& operator=(const TableLock&) = delete;
  TableLock(TableLock&&) = delete;
  TableLock& operator=(TableLock&&) = delete;
  ~TableLock() { table.busy.clear(std::memory_order_release); }
};

std::size_t first_slot(std::uint64_t key) {
  return (key * 0x9e3779b97f4a7c15ULL) >> (64U - kSlotBits);
}

/// No handle is 0 or 1 with the top bit set.
std::uint64_t key_of(MPI_Comm comm) {
  return bits(comm) | (std::uint64_t{1} << 63U);
}

Entry* find(std::uint64_t key) {
  for (std::size_t i = 0, slot = first_slot(key); i < kSlots; ++i, slot = (slot + 1) % kSlots) {
    const std::uint64_t there = table.entries[slot].handle.load(std::memory_order_acquire);
    if (there == key) {
      return &table.entries[slot];
    }
    if (there == kEmpty) {
      return nullptr;
    }
  }
  return nullptr;
}

/// False if there are too many.
bool insert(std::uint64_t key, const Communicator& what) {
  for (std::size_t i = 0, slot = first_slot(key); i < kSlots; ++i, slot = (slot + 1) % kSlots) {
    Entry& entry = table.entries[slot];
    const std::uint64_t there = entry.handle.load(std::memory_order_relaxed);
    if (there == kEmpty || there == kFreed) {
      entry.what = what;
      entry.has_neighbours.store(false, std::memory_order_relaxed);
      entry.handle.store(key, std::memory_order_release);
      return true;
    }
  }
  return false;
}

/// Frees a slot. One before an empty slot is empty again: no search goes on beyond it.
void remove(Entry* entry) {
  entry->handle.store(kFreed, std::memory_order_release);
  auto slot = static_cast<std::size_t>(entry - table.entries.data());
  if (table.entries[(slot + 1) % kSlots].handle.load(std::memory_order_relaxed) != kEmpty) {
    return;
  }
  while (table.entries[slot].handle.load(std::memory_order_relaxed) == kFreed) {
    table.entries[slot].handle.store(kEmpty, std::memory_order_release);
    slot = (slot + kSlots - 1) % kSlots;
  }
}

/// A grid that is not periodic ends somewhere.
std::uint64_t absent_neighbours(MPI_Comm comm, int dimensions) {
  constexpr int most = 32;
  std::uint64_t absent = 0;
  for (int i = 0; i < dimensions && i < most; ++i) {
    int before = 0;
    int after = 0;
    REAL(PMPI_Cart_shift)(comm, i, 1, &before, &after);
    absent |= static_cast<std::uint64_t>(before == MPI_PROC_NULL ? 1 : 0) << (2U * static_cast<unsigned>(i));
    absent |= static_cast<std::uint64_t>(after == MPI_PROC_NULL ? 2 : 0) << (2U * static_cast<unsigned>(i));
  }
  return absent;
}

Neighbours measure_neighbours(MPI_Comm comm) {
  Neighbours what;
  int kind = MPI_UNDEFINED;
  REAL(PMPI_Topo_test)(comm, &kind);
  if (kind == MPI_CART) {
    int dimensions = 0;
    REAL(PMPI_Cartdim_get)(comm, &dimensions);
    what.destinations = what.sources = 2 * dimensions;
    what.absent = absent_neighbours(comm, dimensions);
  } else if (kind == MPI_GRAPH) {
    int rank = 0;
    REAL(PMPI_Comm_rank)(comm, &rank);
    REAL(PMPI_Graph_neighbors_count)(comm, rank, &what.destinations);
    what.sources = what.destinations;
  } else if (kind == MPI_DIST_GRAPH) {
    int weighted = 0;
    REAL(PMPI_Dist_graph_neighbors_count)(comm, &what.sources, &what.destinations, &weighted);
  }
  return what;
}

Communicator measure(MPI_Comm comm) {
  Communicator what;
  int flag = 0;
  REAL(PMPI_Comm_test_inter)(comm, &flag);
  what.is_inter = flag != 0;
  REAL(PMPI_Comm_rank)(comm, &what.rank);
  REAL(PMPI_Comm_size)(comm, &what.members);
  what.processes = what.members;
  if (what.is_inter) {
    REAL(PMPI_Comm_remote_size)(comm, &what.processes);
  }
  return what;
}

/// Writes ranks as runs: difference to the end of the last run, length, and a step that is not always 1.
class RunWriter {
 public:
  explicit RunWriter(bool remote) : remote_(remote) {}
  void add(int rank) {
    if (length_ > 0 && rank == first_ + length_ * step_) {
      ++length_;
    } else if (length_ == 1) {
      step_ = rank - first_;
      length_ = 2;
    } else {
      put();
      first_ = rank;
      length_ = 1;
      step_ = 1;
    }
  }
  void finish() {
    put();
    commit();
  }

 private:
  void put() {
    if (length_ == 0) {
      return;
    }
    constexpr std::size_t longest_run = 20;
    if (record_ && record_.room() < longest_run) {
      commit();
    }
    if (!record_) {
      record_ = thread_state.writer->begin();
      if (!record_) {
        return;
      }
      record_.put(static_cast<std::uint64_t>(log::Head::members));
      record_.put(remote_ ? 1 : 0);
    }
    record_.put_signed(first_);
    record_.put_signed(step_);
    record_.put(static_cast<std::uint64_t>(length_));
    length_ = 0;
  }
  void commit() {
    if (record_) {
      thread_state.writer->commit(record_);
      record_ = {};
    }
  }

  bool remote_;
  int first_ = 0;
  int step_ = 1;
  int length_ = 0;
  Record record_;
};

/// Ranks in MPI_COMM_WORLD; -1 for processes of another world.
void write_members(MPI_Group group, bool remote) {
  RunWriter runs(remote);
  int size = 0;
  REAL(PMPI_Group_size)(group, &size);
  constexpr int some = 512;
  int ranks[some];       // NOLINT(modernize-avoid-c-arrays)
  int translated[some];  // NOLINT(modernize-avoid-c-arrays)
  for (int from = 0; from < size; from += some) {
    const int number = size - from < some ? size - from : some;
    for (int i = 0; i < number; ++i) {
      ranks[i] = from + i;
    }
    REAL(PMPI_Group_translate_ranks)(group, number, ranks, table.world_group, translated);
    for (int i = 0; i < number; ++i) {
      runs.add(translated[i] == MPI_UNDEFINED ? -1 : translated[i]);
    }
  }
  runs.finish();
}

/// The members follow.
void write_head(std::uint64_t id, bool inter) {
  Writer& writer = *thread_state.writer;
  if (Record record = writer.begin()) {
    record.put(static_cast<std::uint64_t>(log::Head::communicator));
    record.put(id);
    record.put(inter ? 1 : 0);
    writer.commit(record);
  }
}

void write_definition(MPI_Comm comm, const Communicator& what) {
  write_head(what.id, what.is_inter);
  MPI_Group group = MPI_GROUP_NULL;
  REAL(PMPI_Comm_group)(comm, &group);
  write_members(group, false);
  REAL(PMPI_Group_free)(&group);
  if (what.is_inter) {
    REAL(PMPI_Comm_remote_group)(comm, &group);
    write_members(group, true);
    REAL(PMPI_Group_free)(&group);
  }
}

/// `like` has the same ranks, and can be used.
Communicator add(MPI_Comm comm, MPI_Comm like) {
  Communicator what = measure(like);
  {
    const TableLock lock;
    what.id = ++table.last_id;
    if (Entry* const old = find(key_of(comm))) {
      remove(old);
    }
    if (!insert(key_of(comm), what)) {
      count_unknown_communicator();
    }
  }
  write_definition(like, what);
  return what;
}

Communicator add(MPI_Comm comm) {
  return add(comm, comm);
}

}  // namespace

void remember_world(MPI_Group group) {
  const bool is_first = table.last_id == 0;
  table.world_group = group;
  REAL(PMPI_Group_rank)(group, &table.world.rank);
  REAL(PMPI_Group_size)(group, &table.world.members);
  table.world.processes = table.world.members;
  table.world.id = kWorldId;
  if (is_first) {
    table.last_id = kSelfId;
    Communicator self;
    self.id = kSelfId;
    self.members = 1;
    self.processes = 1;
    insert(key_of(MPI_COMM_WORLD), table.world);
    insert(key_of(MPI_COMM_SELF), self);
  }
}

void forget_world_group() {
  if (table.world_group != MPI_GROUP_NULL) {
    REAL(PMPI_Group_free)(&table.world_group);
  }
  table.world_group = MPI_GROUP_NULL;
}

void define_world() {
  write_head(kWorldId, false);
  write_members(table.world_group, false);
  write_head(kSelfId, false);
  MPI_Group self = MPI_GROUP_NULL;
  REAL(PMPI_Group_incl)(table.world_group, 1, &table.world.rank, &self);
  write_members(self, false);
  REAL(PMPI_Group_free)(&self);
}

Communicator communicator(MPI_Comm comm) {
  if (comm == MPI_COMM_WORLD) [[likely]] {
    return table.world;
  }
  if (comm == MPI_COMM_NULL) {
    return {};
  }
  // What an MPI makes by calls that are not wrapped show up at their first use.
  const Entry* const entry = find(key_of(comm));
  return entry != nullptr ? entry->what : add(comm);
}

Neighbours neighbours(MPI_Comm comm) {
  Entry* const entry = find(key_of(comm));
  if (entry == nullptr) {
    return measure_neighbours(comm);
  }
  if (!entry->has_neighbours.load(std::memory_order_acquire)) {
    const Neighbours measured = measure_neighbours(comm);
    const TableLock lock;
    if (!entry->has_neighbours.load(std::memory_order_relaxed)) {
      entry->neighbours = measured;
      entry->has_neighbours.store(true, std::memory_order_release);
    }
  }
  return entry->neighbours;
}

std::uint64_t define_communicator(MPI_Comm comm) {
  return comm == MPI_COMM_NULL ? 0 : add(comm).id;
}

std::uint64_t define_duplicate(MPI_Comm original, MPI_Comm duplicate) {
  return duplicate == MPI_COMM_NULL ? 0 : add(duplicate, original).id;
}

std::uint64_t known_communicator(MPI_Comm comm) {
  return comm == MPI_COMM_NULL ? 0 : communicator(comm).id;
}

std::uint64_t release_communicator(MPI_Comm comm) {
  if (!thread_state.recording || comm == MPI_COMM_NULL) {
    return 0;
  }
  const TableLock lock;
  Entry* const entry = find(key_of(comm));
  if (entry == nullptr) {
    return 0;
  }
  const std::uint64_t id = entry->what.id;
  remove(entry);
  return id;
}

}  // namespace groma::trace
