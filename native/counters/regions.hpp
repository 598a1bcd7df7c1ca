// Regions of a program, as libHPM has them: time and counts between begin and end, nested, for each thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "counters/metric_group.hpp"

namespace groma::counters {

/// These never fail and never throw. After the first use of a name in a thread they neither lock nor
/// allocate.
void begin_region(const char* name) noexcept;
/// Ends the innermost region of this name, and what is still open inside of it; null: the innermost region.
/// False where none is open.
bool end_region(const char* name) noexcept;
void note_value(const char* name, std::uint64_t value) noexcept;

/// What was spent in one region, called from the same regions, by one thread.
struct RegionTotals {
  std::vector<std::string> path;  // outermost first
  int thread = 0;
  std::uint64_t calls = 0;
  double inclusive = 0;  // seconds
  double exclusive = 0;  // without the regions inside of it
  double shortest = 0;
  double longest = 0;
  std::vector<std::uint64_t> counts;            // inclusive, in the order of RegionReport::events
  std::vector<std::uint64_t> exclusive_counts;  // empty where this thread did not count
};

struct ValueTotals {
  std::string name;
  int thread = 0;
  std::uint64_t calls = 0;
  double sum = 0;
  std::uint64_t min = 0;
  std::uint64_t max = 0;
};

struct RegionReport {
  std::vector<std::string> events;
  std::vector<MetricGroup> groups;
  std::vector<RegionTotals> regions;  // a region follows the one around it
  std::vector<ValueTotals> values;
  std::vector<std::string> remarks;
};

/// All threads so far. Regions that are still open have only their earlier calls in it.
RegionReport regions_so_far();

/// Whether this process is a copy of one that had regions already.
bool is_forked_child() noexcept;

/// One row for each region, over all threads.
std::string as_table(const RegionReport& report);
/// A record of kind `regions`.
std::string as_record(const RegionReport& report);

/// Writes a record if the name ends in .json, else a table; "stderr" is the terminal. Empty, or why it
/// failed.
std::string write_regions(const RegionReport& report, const std::string& file);
/// The file of this process: %r, %p and %h become its rank, process number and host. Without them a rank of
/// several gets its own file. `rank` is "" outside of launchers.
std::string file_of_process(std::string file, const std::string& rank);

}  // namespace groma::counters
