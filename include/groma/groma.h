/* groma.h: reads the profile of a machine that `groma survey` wrote. It measures nothing.
 *
 * Units. Times are in seconds, sizes in bytes, rates in bytes per second, frequencies in hertz. Every
 * quantity carries its unit.
 *
 * Cores. A core is a hardware thread with its logical number, from 0, as everywhere in groma. Masks and
 * launchers want the number of the kernel: groma_core() translates.
 *
 * What the profile does not know. A getter returns GROMA_NOT_FOUND and leaves its output arguments as they
 * were. That is the answer for whatever was not measured on this machine, was measured without success, or is
 * spelt otherwise than a survey spells it. A quantity whose `confidence` is 0 has a value that is not
 * determined: treat it as a hint.
 *
 * Paths. What has no getter of its own can be read by its path. A path names a value by keys and item numbers
 * (from 0) joined by dots. It starts in the facts of the profile, "node.caches.0.size", or with a leading dot
 * in the record around them, ".created".
 *
 * Errors. No function exits, prints or throws. A function that fails returns a status and leaves one
 * line for groma_last_error().
 *
 * Memory. Getters allocate nothing: their cost is that of a look-up. The functions that open a profile
 * allocate, groma_mapping() does while it runs, and so does the first path into ".samples".
 *
 * Samples. They are most of a profile, and are read when a path first leads into them. If they are no JSON,
 * such paths end with GROMA_NOT_A_PROFILE; all other getters work.
 *
 * Ownership. Texts and lists of cores belong to their profile and are valid until groma_profile_close().
 * Output arguments are written only on success.
 *
 * Threads. An open profile never changes, so any number of threads may read it at the same time. No thread
 * may use it while another one closes it. groma_last_error() is per thread. All functions may be called in
 * any thread.
 *
 * Binary compatibility. Symbols are versioned. Functions are added and never changed; structs keep their
 * members.
 */
#ifndef GROMA_GROMA_H
#define GROMA_GROMA_H

#include <stddef.h>

#if defined(__GNUC__)
#define GROMA_API __attribute__((visibility("default")))
#else
#define GROMA_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/** An open profile. */
typedef struct groma_profile groma_profile;

/** What came of a call. */
typedef enum groma_status {
  GROMA_OK = 0,            /**< it worked */
  GROMA_BAD_ARGUMENT = 1,  /**< an argument is null or out of range */
  GROMA_CANNOT_READ = 2,   /**< the file is missing, unreadable or larger than 256 MiB */
  GROMA_NOT_A_PROFILE = 3, /**< not JSON, not a record, or a record of another kind or schema */
  GROMA_NOT_FOUND = 4,     /**< the profile does not know: not measured on this machine, or a wrong path */
  GROMA_WRONG_KIND = 5,    /**< the value at this path is of another kind */
  GROMA_NO_MEMORY = 6,     /**< too little memory to open the profile or to place the processes */
  GROMA_COLLISION = 7,     /**< the events do not fit together (counters.h) */
  GROMA_NOT_COUNTED = 8,   /**< this machine cannot count the event (counters.h) */
  GROMA_CANNOT_WRITE = 9   /**< the file cannot be written (counters.h) */
} groma_status;

/** A measured value with its interval.
 *
 * `low` and `high` bound the true value with probability `confidence` (0 to 1; 0: not determined). Units are
 * those of the profile: "s", "B", "B/s", "Hz", "cycles", "ways", "ratio", or "" for plain counts.
 */
typedef struct groma_quantity {
  double value;       /**< the estimate */
  double low;         /**< lower bound of the true value */
  double high;        /**< upper bound of the true value */
  double confidence;  /**< probability of these bounds; 0: not determined */
  const char* unit;   /**< belongs to the profile */
  const char* method; /**< how it was obtained; belongs to the profile */
} groma_quantity;

/** A list of logical cores, which belongs to the profile. */
typedef struct groma_core_list {
  const int* cores; /**< `count` logical numbers; belong to the profile */
  size_t count;     /**< the number of cores */
} groma_core_list;

/** A core (hardware thread) as the operating system declares it. */
typedef struct groma_core_info {
  int logical;  /**< its number everywhere in groma */
  int physical; /**< its number in masks of the kernel, as in sched_setaffinity() */
  int core;     /**< the physical core: hardware threads with equal numbers share it */
  int package;  /**< its socket */
  int numa;     /**< its NUMA node */
} groma_core_info;

/** Where a process runs: a core of a node. Nodes are numbered from 0. */
typedef struct groma_place {
  int node; /**< from 0 */
  int core; /**< its logical number */
} groma_place;

/** What limits a code: the class that section 3 of the Servet 3.0 paper asks the user for. */
typedef enum groma_code_class {
  GROMA_MEMORY_BOUND = 0,           /**< the bandwidth of memory */
  GROMA_COMMUNICATION_INTENSIVE = 1 /**< messages */
} groma_code_class;

/* ---- Opening ----------------------------------------------------------------------------------------------
 */

/** Version of this library, "major.minor.patch". */
GROMA_API const char* groma_version(void);

/** The error of this thread's last failed call: one line, never NULL, "" if no call has failed.
 *  Valid until this thread's next failed call. */
GROMA_API const char* groma_last_error(void);

/** Opens the profile in a file into `*profile`, which the caller closes.
 *  Fails with GROMA_BAD_ARGUMENT, GROMA_CANNOT_READ, GROMA_NOT_A_PROFILE, GROMA_NO_MEMORY. */
GROMA_API groma_status groma_profile_open(const char* file, groma_profile** profile);

/** Opens the profile of this machine: the file that groma_profile_default_path() names.
 *  Fails like groma_profile_open(). */
GROMA_API groma_status groma_profile_open_default(groma_profile** profile);

/** Writes the path of the profile that programs use by default into `path`, which has room for `capacity`
 * bytes.
 *
 * That is $GROMA_PROFILE if it is set and not empty. Otherwise it is the first of these files that exists:
 * groma/profile.json in $XDG_DATA_HOME (by default ~/.local/share), which `groma survey --default` writes,
 * and groma/profile.json in the folders of $XDG_DATA_DIRS (by default /usr/local/share:/usr/share), for the
 * profile of a site. If none exists, it is the first of them; "" where no folder of the user is known, as
 * without $HOME. Fails with GROMA_BAD_ARGUMENT: the path with its final zero is longer than `capacity`. */
GROMA_API groma_status groma_profile_default_path(char* path, size_t capacity);

/** Like groma_profile_open(), but from `length` bytes in memory, which are copied. */
GROMA_API groma_status groma_profile_parse(const char* json, size_t length, groma_profile** profile);

/** Frees a profile and all its texts and lists. NULL is allowed. */
GROMA_API void groma_profile_close(groma_profile* profile);

/* ---- Cores ------------------------------------------------------------------------------------------------
 */

/** The number of cores (hardware threads) of a node. Fails with GROMA_BAD_ARGUMENT, GROMA_NOT_FOUND. */
GROMA_API groma_status groma_core_count(const groma_profile* profile, size_t* count);

/** Core `index`, from 0 to the number of cores less 1, in the order of the logical numbers.
 *  Fails with GROMA_BAD_ARGUMENT (also for an index beyond them), GROMA_NOT_FOUND. */
GROMA_API groma_status groma_core(const groma_profile* profile, size_t index, groma_core_info* core);

/** The frequency of a busy core, in Hz. Fails with GROMA_BAD_ARGUMENT, GROMA_NOT_FOUND. */
GROMA_API groma_status groma_core_frequency(const groma_profile* profile, groma_quantity* frequency);

/* ---- Caches -----------------------------------------------------------------------------------------------
 */

/** The number of levels of data caches; `level` below counts from 1 to this number.
 *  Fails with GROMA_BAD_ARGUMENT, GROMA_NOT_FOUND: no cache was found. */
GROMA_API groma_status groma_cache_count(const groma_profile* profile, size_t* levels);

/** The size in bytes of one cache of a level, as a single core measured it.
 *  Fails with GROMA_BAD_ARGUMENT, GROMA_NOT_FOUND (also for a level that the machine does not have). */
GROMA_API groma_status groma_cache_size(const groma_profile* profile, int level, groma_quantity* size);

/** The latency in seconds of a load that this level serves. Fails like groma_cache_size(). */
GROMA_API groma_status groma_cache_latency(const groma_profile* profile, int level, groma_quantity* latency);

/** The length in bytes of a line. Fails like groma_cache_size(). */
GROMA_API groma_status groma_cache_line(const groma_profile* profile, int level, groma_quantity* line);

/** The number of ways. Fails like groma_cache_size(). */
GROMA_API groma_status groma_cache_associativity(const groma_profile* profile, int level,
                                                 groma_quantity* ways);

/** The number of caches of a level on a node, which is the number of groups of cores that share one.
 *  Fails like groma_cache_size(). */
GROMA_API groma_status groma_cache_group_count(const groma_profile* profile, int level, size_t* groups);

/** The cores that share cache `group` of a level; groups count from 0.
 *  Fails like groma_cache_size(), and with GROMA_BAD_ARGUMENT for a group beyond the last. */
GROMA_API groma_status groma_cache_group(const groma_profile* profile, int level, size_t group,
                                         groma_core_list* cores);

/** The cores that share the cache of a level with `core`, itself included. Fails like groma_cache_size(), and
 * with GROMA_NOT_FOUND for a core in none of the groups. */
GROMA_API groma_status groma_cache_sharers(const groma_profile* profile, int level, int core,
                                           groma_core_list* cores);

/** The memory in bytes that level `level` (from 1) of the TLB reaches with pages of `page` bytes.
 *
 * A system may make such pages by splitting larger ones, which memory was advised to have, and a profile may
 * know both kinds. Then this is that of pages that were not split. That of split pages is given only where
 * the profile has no other. Fails with GROMA_BAD_ARGUMENT, GROMA_NOT_FOUND. */
GROMA_API groma_status groma_tlb_reach(const groma_profile* profile, int level, size_t page,
                                       groma_quantity* reach);

/** What a miss of this level of the TLB adds to a load, in seconds. Fails like groma_tlb_reach(). */
GROMA_API groma_status groma_tlb_miss_cost(const groma_profile* profile, int level, size_t page,
                                           groma_quantity* cost);

/* ---- Memory -----------------------------------------------------------------------------------------------
 */

/** The latency in seconds of a load from memory. Fails with GROMA_BAD_ARGUMENT, GROMA_NOT_FOUND. */
GROMA_API groma_status groma_memory_latency(const groma_profile* profile, groma_quantity* latency);

/** The total bandwidth in B/s of `cores` cores that run a streaming kernel at once: "read", "write", "copy",
 * "scale", "add", "triad", or with "_nt" the same with stores past the caches.
 *
 * Between two measured numbers of cores it is interpolated linearly. Fails with GROMA_BAD_ARGUMENT (also for
 * 0 cores), GROMA_NOT_FOUND: no such kernel, or more cores than were measured. */
GROMA_API groma_status groma_memory_bandwidth(const groma_profile* profile, const char* kernel, size_t cores,
                                              groma_quantity* bandwidth);

/** The number of groups of cores that slow each other down in memory; 0: no two do.
 *  Fails with GROMA_BAD_ARGUMENT, GROMA_NOT_FOUND. */
GROMA_API groma_status groma_memory_contention_group_count(const groma_profile* profile, size_t* groups);

/** The cores of a contention group; groups count from 0.
 *  Fails with GROMA_BAD_ARGUMENT (also for a group beyond the last), GROMA_NOT_FOUND. */
GROMA_API groma_status groma_memory_contention_group(const groma_profile* profile, size_t group,
                                                     groma_core_list* cores);

/** The total bandwidth in B/s of `cores` cores of a contention group that stream at once.
 *
 * Between two measured numbers of cores it is interpolated linearly. Fails with GROMA_BAD_ARGUMENT (also for
 * 0 cores and a group beyond the last), GROMA_NOT_FOUND: not measured, or not with that many cores. */
GROMA_API groma_status groma_memory_group_bandwidth(const groma_profile* profile, size_t group, size_t cores,
                                                    groma_quantity* bandwidth);

/** The number of cores of a contention group that reach nine tenths of its largest bandwidth: more of them
 * hardly stream faster. Fails like groma_memory_contention_group(). */
GROMA_API groma_status groma_memory_group_saturates_at(const groma_profile* profile, size_t group,
                                                       size_t* cores);

/** The number of mixes of reads and writes for which the latency of loaded memory was measured.
 *  Fails with GROMA_BAD_ARGUMENT, GROMA_NOT_FOUND: of none. */
GROMA_API groma_status groma_memory_read_fraction_count(const groma_profile* profile, size_t* mixes);

/** The share of reads in a mix, from 0 to 1; mixes count from 0, by rising share.
 *  Fails with GROMA_BAD_ARGUMENT (also for a mix beyond the last), GROMA_NOT_FOUND. */
GROMA_API groma_status groma_memory_read_fraction(const groma_profile* profile, size_t mix, double* fraction);

/** The latency in seconds of a load from memory while other cores move `bandwidth` B/s in a mix.
 *
 * Between two measured bandwidths it is interpolated linearly; below the smallest one it is that of the
 * smallest. Fails with GROMA_BAD_ARGUMENT (also for a negative bandwidth and a mix beyond the last),
 * GROMA_NOT_FOUND: not measured, or more than memory delivered. */
GROMA_API groma_status groma_memory_loaded_latency(const groma_profile* profile, size_t mix, double bandwidth,
                                                   groma_quantity* latency);

/* ---- NUMA -------------------------------------------------------------------------------------------------
 */

/** The places of the NUMA experiments: `*over` is "numa" if places are NUMA nodes and "cores" if they are
 * cores,
 *  `*places` are their numbers. Either pointer may be NULL.
 *  Fails with GROMA_BAD_ARGUMENT, GROMA_NOT_FOUND. */
GROMA_API groma_status groma_numa_places(const groma_profile* profile, const char** over,
                                         groma_core_list* places);

/** The time in seconds in which place `reader` reads a block that place `owner` owns. `experiment` is
 * "sequential_first", "sequential_again", "lockstep", "random", "reallocated", or a step of the ping back:
 * "ping_back.owner_first", ".other_first", ".other_again", ".owner_back", ".owner_again".
 * Fails with GROMA_BAD_ARGUMENT, GROMA_NOT_FOUND (also for pairs that a sampled survey left out). */
GROMA_API groma_status groma_numa_time(const groma_profile* profile, const char* experiment, int owner,
                                       int reader, groma_quantity* time);

/** The size in bytes of the block that groma_numa_time() of this experiment is about. Every 16th integer of
 * it is read. Fails with GROMA_BAD_ARGUMENT, GROMA_NOT_FOUND. */
GROMA_API groma_status groma_numa_block(const groma_profile* profile, const char* experiment, size_t* bytes);

/** How much longer place `reader` takes for memory of place `owner` than for its own: the ratio of their
 * distance class. Fails like groma_numa_time(). */
GROMA_API groma_status groma_numa_ratio(const groma_profile* profile, int owner, int reader,
                                        groma_quantity* ratio);

/** The distance that the operating system declares between NUMA nodes, 10 to itself by custom. Not measured.
 *  Fails with GROMA_BAD_ARGUMENT, GROMA_NOT_FOUND. */
GROMA_API groma_status groma_numa_declared_distance(const groma_profile* profile, int node, int other,
                                                    double* distance);

/* ---- Communication ----------------------------------------------------------------------------------------
 */

/** The time in seconds in which a cache line passes from one core to another of the same node, one way. It is
 * the same in both directions. Fails with GROMA_BAD_ARGUMENT (also for one core twice), GROMA_NOT_FOUND. */
GROMA_API groma_status groma_core_to_core_latency(const groma_profile* profile, int core, int other,
                                                  groma_quantity* latency);

/** The number of communication layers: classes of pairs of processes whose messages cost about the same.
 * `layer` below counts from 0. Fails with GROMA_BAD_ARGUMENT, GROMA_NOT_FOUND: no message was measured. */
GROMA_API groma_status groma_layer_count(const groma_profile* profile, size_t* layers);

/** The name of a layer, such as "between nodes".
 *  Fails with GROMA_BAD_ARGUMENT (also for a layer beyond the last), GROMA_NOT_FOUND. */
GROMA_API groma_status groma_layer_name(const groma_profile* profile, size_t layer, const char** name);

/** The time in seconds of a short message, one way. Fails like groma_layer_name(). */
GROMA_API groma_status groma_layer_latency(const groma_profile* profile, size_t layer,
                                           groma_quantity* latency);

/** The bandwidth in B/s of long messages. Fails like groma_layer_name(). */
GROMA_API groma_status groma_layer_bandwidth(const groma_profile* profile, size_t layer,
                                             groma_quantity* bandwidth);

/** The time in seconds of a message of `bytes` bytes, one way, on the measured curve of a layer.
 *
 * Between two measured sizes it is interpolated linearly; `method` then says so. Below the smallest size it
 * is the time of that. Beyond the largest, the time of the largest grows by the bandwidth of the layer, or
 * else in proportion; `method` says that it is extrapolated. The confidence is the smallest of the points and
 * the bandwidth that the time comes from. Fails like groma_layer_name(). */
GROMA_API groma_status groma_layer_time(const groma_profile* profile, size_t layer, size_t bytes,
                                        groma_quantity* time);

/** The layer of messages between two places.
 *
 * That is the layer of the pair, if the survey measured a message between these nodes and cores. Nodes are
 * numbered in the order in which the ranks of the survey came to them. Otherwise nodes are taken to be alike:
 * on one node it is the layer of the same two cores on any node, or else the layer of most measured pairs
 * within nodes. Between nodes it is the layer of most measured pairs between nodes. Fails with
 * GROMA_BAD_ARGUMENT (also for one place twice and negative numbers), GROMA_NOT_FOUND. */
GROMA_API groma_status groma_layer_between(const groma_profile* profile, groma_place from, groma_place to,
                                           size_t* layer);

/** The time in seconds of a message of `bytes` bytes between two places: groma_layer_time() of their layer.
 * Fails like groma_layer_between(). */
GROMA_API groma_status groma_message_time(const groma_profile* profile, groma_place from, groma_place to,
                                          size_t bytes, groma_quantity* time);

/** The bandwidth in B/s of such a message: `bytes` over its time. Fails like groma_layer_between(), and with
 *  GROMA_BAD_ARGUMENT for 0 bytes. */
GROMA_API groma_status groma_message_bandwidth(const groma_profile* profile, groma_place from, groma_place to,
                                               size_t bytes, groma_quantity* bandwidth);

/* ---- Degradation of the network ---------------------------------------------------------------------------
 */
/* As the Servet 3.0 paper defines it (section 4): the bandwidth of the reference pattern divided by the
 * bandwidth of this pattern, unit "ratio". 1 means as fast, more means slower. */

/** Bandwidth at distance 1 divided by bandwidth at `distance`, when every node sends to the node that many
 * ranks further on (the paper's ratDist). `distance` is 1 to half of the nodes. Fails with
 * GROMA_BAD_ARGUMENT (also for distance 0), GROMA_NOT_FOUND. */
GROMA_API groma_status groma_network_distance_ratio(const groma_profile* profile, size_t distance,
                                                    groma_quantity* ratio);

/** The largest distance of the survey. Fails with GROMA_BAD_ARGUMENT, GROMA_NOT_FOUND. */
GROMA_API groma_status groma_network_distance_count(const groma_profile* profile, size_t* distances);

/** Bandwidth of one process per node divided by the bandwidth of each of `per_node` processes, when all of
 * them send to the next node (the paper's ratNC). Fails with GROMA_BAD_ARGUMENT (also for 0
 * processes), GROMA_NOT_FOUND: not every number was measured. */
GROMA_API groma_status groma_network_access_ratio(const groma_profile* profile, size_t per_node,
                                                  groma_quantity* ratio);

/** The largest number of processes per node of the survey. Fails with GROMA_BAD_ARGUMENT, GROMA_NOT_FOUND. */
GROMA_API groma_status groma_network_access_count(const groma_profile* profile, size_t* processes);

/* ---- Process mapping --------------------------------------------------------------------------------------
 */

/** Suggests where to run `processes` processes on `nodes` nodes like this one, by the greedy weights of the
 * Servet 3.0 paper (sections 3 and 4.2). `places` has room for `processes` entries: the place of each process
 * in the order of selection. docs/api.md explains the weights.
 *
 * A core takes one process. Only cores are used that the survey was allowed to use. What the profile does not
 * know adds no weight. Fails with GROMA_BAD_ARGUMENT (also for more processes than cores), GROMA_NOT_FOUND:
 * the profile names no cores, and GROMA_NO_MEMORY. */
GROMA_API groma_status groma_mapping(const groma_profile* profile, groma_code_class code, size_t nodes,
                                     size_t processes, groma_place* places);

/* ---- By path ----------------------------------------------------------------------------------------------
 */

/** The quantity at `path`. Fails with GROMA_BAD_ARGUMENT, GROMA_NOT_FOUND, GROMA_WRONG_KIND. */
GROMA_API groma_status groma_profile_quantity(const groma_profile* profile, const char* path,
                                              groma_quantity* quantity);

/** The plain number at `path`, such as a core id. Fails like groma_profile_quantity(). */
GROMA_API groma_status groma_profile_number(const groma_profile* profile, const char* path, double* number);

/** The text at `path`. Fails like groma_profile_quantity(). */
GROMA_API groma_status groma_profile_text(const groma_profile* profile, const char* path, const char** text);

/** The number of items or members at `path`. Fails like groma_profile_quantity(). */
GROMA_API groma_status groma_profile_count(const groma_profile* profile, const char* path, size_t* count);

/** The key of member `index` (from 0, in the order of the file) of the object at `path`, such as a kernel's
 * name in "node.memory.bandwidth". Fails like groma_profile_quantity(), and with GROMA_BAD_ARGUMENT for a key
 * beyond the last. */
GROMA_API groma_status groma_profile_key(const groma_profile* profile, const char* path, size_t index,
                                         const char** key);

#ifdef __cplusplus
}
#endif

#endif
