/* counters.h: regions of a program and hardware counters.
 *
 *     groma_region_begin("rank loop 1");
 *     ...
 *     groma_region_end("rank loop 1");
 *
 * Regions. Each thread has its own. They nest; a region has its time with (inclusive) and without
 * (exclusive) the regions inside of it. Nothing is printed unless the environment asks for it:
 *
 *     GROMA_REGIONS=FILE       at the end of the program writes FILE: a record if its name ends in .json
 * (groma show reads it), else a table; "stderr" is the terminal. %r, %p and %h stand for rank, process number
 * and host; without them each rank gets its own file. GROMA_COUNTERS=LIST      counts these events in each
 * region: names of events or of groups of metrics, separated by commas (groma counters lists both).
 *
 * A program under `groma trace` has its regions and values in the trace as well, up to the begin of
 * MPI_Finalize. Other threads may go on with them while MPI ends. No function here may be called in a handler
 * of signals.
 *
 * Cost. After the first use of a name in a thread, regions neither lock nor allocate. They cost two readings
 * of the clock; counters cost one call of the kernel for each begin and end, or none where user mode may read
 * them.
 *
 * Counters. As in BGLperfctr, a program registers the events that it wants, checks whether they fit together,
 * and commits once: all events are started, or none. They count the thread that commits.
 * Each event that perf counts has a descriptor, from number 512 where the limit of files allows it, until the
 * plan is closed or the thread ends; exec() closes it. A program that closes it, as daemons do, loses the
 * counts and nothing else.
 *
 * Events. Portable names such as cycles, instructions, page-faults, task-clock (ns); native names such as
 * cpu/event=0x3c/ with the fields that /sys/bus/event_source/devices names; raw codes such as r3c; tsc, the
 * time stamp; papi:NAME where PAPI is installed. Modifiers follow a colon: u, k, edge, duration, idle.
 *
 * Errors, threads and binary compatibility are those of groma.h. A program that ends by _exit(), exec() or
 * a signal writes no table.
 */
#ifndef GROMA_COUNTERS_H
#define GROMA_COUNTERS_H

#include <groma/groma.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Regions ----------------------------------------------------------------------------------------------
 */

/** Begins a region of the calling thread. The name is copied. */
GROMA_API void groma_region_begin(const char* name);

/** Ends the innermost region of this name, and what is still open inside of it. NULL ends the innermost
 * region. Without such a region nothing happens, and the table says so. */
GROMA_API void groma_region_end(const char* name);

/** Notes a value, such as the number of an iteration or a residual. */
GROMA_API void groma_value(const char* name, unsigned long long value);

/** Writes the regions and values so far, as GROMA_REGIONS does at the end; also where there are none. Fails
 * with GROMA_BAD_ARGUMENT, GROMA_CANNOT_WRITE, GROMA_NO_MEMORY. */
GROMA_API groma_status groma_regions_write(const char* file);

/* ---- Counters ---------------------------------------------------------------------------------------------
 */

/** Events to be counted together. */
typedef struct groma_counters groma_counters;

/** Called in a handler of signals each time that an event has occurred `threshold` more times: it may only do
 * what such handlers may. */
typedef void (*groma_threshold_callback)(void* context);

/** An empty plan, which the caller closes. Fails with GROMA_BAD_ARGUMENT for NULL, as all that follow, and
 * with GROMA_NO_MEMORY. */
GROMA_API groma_status groma_counters_create(groma_counters** counters);

/** Registers an event. Nothing is started yet. Fails with GROMA_BAD_ARGUMENT for a name that is not known,
 * and after groma_counters_commit(). */
GROMA_API groma_status groma_counters_add(groma_counters* counters, const char* event);

/** Registers a threshold of an event, which need not be counted otherwise. Fails with GROMA_BAD_ARGUMENT for
 * a name that is not known, a threshold of 0, and after groma_counters_commit(). That an event cannot
 * interrupt is found by the check. */
GROMA_API groma_status groma_counters_on_threshold(groma_counters* counters, const char* event,
                                                   unsigned long long threshold,
                                                   groma_threshold_callback callback, void* context);

/** Tells whether the events can be counted together, by starting them and their thresholds; nobody is called
 * back. GROMA_COLLISION: groma_last_error() names the events that collide. GROMA_NOT_COUNTED: it names an
 * event that cannot be counted at all or cannot interrupt, and why. GROMA_BAD_ARGUMENT: nothing is
 * registered. */
GROMA_API groma_status groma_counters_check(groma_counters* counters);

/** After a check: in how many runs of the program all events are counted that can be. Fails with
 * GROMA_BAD_ARGUMENT before a check. */
GROMA_API groma_status groma_counters_run_count(const groma_counters* counters, size_t* runs);

/** After a check: in which of these runs an event is counted, from 0. Fails with GROMA_NOT_FOUND for an event
 * that cannot be counted, with GROMA_BAD_ARGUMENT before a check. */
GROMA_API groma_status groma_counters_run_of(const groma_counters* counters, const char* event, size_t* run);

/** Starts all events in the calling thread, or none. Fails like groma_counters_check(). */
GROMA_API groma_status groma_counters_commit(groma_counters* counters);

/** Reads all events in the order in which they were registered. `count` is the room in `values`. Counts have
 * 64 bits, also where counters of the hardware have fewer. Fails with GROMA_BAD_ARGUMENT where the room is
 * too small, before groma_counters_commit(), and in another thread than the one that committed; with
 * GROMA_NOT_COUNTED where the counters cannot be read any more. `values` then mean nothing. */
GROMA_API groma_status groma_counters_read(groma_counters* counters, unsigned long long* values,
                                           size_t count);

/** Stops counting and frees the plan; NULL is allowed. In the thread that committed. */
GROMA_API void groma_counters_close(groma_counters* counters);

#ifdef __cplusplus
}
#endif

#endif /* GROMA_COUNTERS_H */
