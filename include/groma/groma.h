/* groma.h: reads the profile of a machine that `groma survey` wrote. It measures nothing.
 *
 * Paths. A path names a value by keys and item numbers (from 0) joined by dots. It starts in the facts of the
 * profile, "node.caches.0.size", or with a leading dot in the record around them, ".created".
 *
 * Errors. No function exits, prints, throws or sets errno. A function that fails returns a status and leaves
 * one line for groma_last_error(). A value that was not measured is GROMA_NOT_FOUND.
 *
 * Ownership. A text belongs to its profile and is valid until groma_profile_close(). Output arguments are
 * written only on success.
 *
 * Threads. An open profile never changes, so any number of threads may read it at the same time. No thread
 * may use it while another one closes it. groma_last_error() is per thread.
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

typedef enum groma_status {
  GROMA_OK = 0,
  GROMA_BAD_ARGUMENT = 1,  /**< an argument is null or out of range */
  GROMA_CANNOT_READ = 2,   /**< the file is missing, unreadable or too long for memory */
  GROMA_NOT_A_PROFILE = 3, /**< not JSON, not a record, or a record of another kind or schema */
  GROMA_NOT_FOUND = 4,     /**< no value at this path: not measured on this machine, or a wrong path */
  GROMA_WRONG_KIND = 5     /**< the value at this path is of another kind */
} groma_status;

/** A measured value with its interval.
 *
 * `low` and `high` bound the true value with probability `confidence` (0 to 1; 0: not determined). Units are
 * those of the profile: "s", "B", "B/s", "Hz", "cycles", or "" for plain counts and ratios.
 */
typedef struct groma_quantity {
  double value;
  double low;
  double high;
  double confidence;
  const char* unit;   /**< belongs to the profile */
  const char* method; /**< how it was obtained; belongs to the profile */
} groma_quantity;

/** Version of this library, "major.minor.patch". Any thread, any time. */
GROMA_API const char* groma_version(void);

/** The error of this thread's last failed call: one line, never NULL, "" if no call has failed.
 *  Valid until this thread's next failed call. */
GROMA_API const char* groma_last_error(void);

/** Opens the profile in a file into `*profile`, which the caller closes.
 *  Fails with GROMA_BAD_ARGUMENT, GROMA_CANNOT_READ, GROMA_NOT_A_PROFILE. Any thread. */
GROMA_API groma_status groma_profile_open(const char* file, groma_profile** profile);

/** Like groma_profile_open, but from `length` bytes in memory, which are copied. */
GROMA_API groma_status groma_profile_parse(const char* json, size_t length, groma_profile** profile);

/** Frees a profile and all its texts. NULL is allowed. */
GROMA_API void groma_profile_close(groma_profile* profile);

/** The quantity at `path`. Any thread.
 *  Fails with GROMA_BAD_ARGUMENT, GROMA_NOT_FOUND, GROMA_WRONG_KIND. */
GROMA_API groma_status groma_profile_quantity(const groma_profile* profile, const char* path,
                                              groma_quantity* quantity);

/** The plain number at `path`, such as a core id. Any thread. Fails like groma_profile_quantity. */
GROMA_API groma_status groma_profile_number(const groma_profile* profile, const char* path, double* number);

/** The text at `path`. Any thread. Fails like groma_profile_quantity. */
GROMA_API groma_status groma_profile_text(const groma_profile* profile, const char* path, const char** text);

/** The number of items or members at `path`. Any thread. Fails like groma_profile_quantity. */
GROMA_API groma_status groma_profile_count(const groma_profile* profile, const char* path, size_t* count);

/** The key of member `index` (from 0, in the order of the file) of the object at `path`, such as a kernel's
 * name in "node.memory.bandwidth". Any thread. Fails like groma_profile_quantity. */
GROMA_API groma_status groma_profile_key(const groma_profile* profile, const char* path, size_t index,
                                         const char** key);

/* The degradation of the network, as the Servet 3.0 paper defines it (section 4): the bandwidth of the
 * reference pattern divided by the bandwidth of this pattern, unit "ratio". 1 means as fast, more means
 * slower. */

/** Bandwidth at distance 1 divided by bandwidth at `distance`, when every node sends to the node that many
 * ranks further on (the paper's ratDist). `distance` is 1 to half of the nodes. Any thread. Fails with
 * GROMA_BAD_ARGUMENT (also for distance 0), GROMA_NOT_FOUND. */
GROMA_API groma_status groma_network_distance_ratio(const groma_profile* profile, size_t distance,
                                                    groma_quantity* ratio);

/** Bandwidth of one process per node divided by the bandwidth of each of `per_node` processes, when all of
 * them send to the next node (the paper's ratNC). Any thread. Fails with GROMA_BAD_ARGUMENT (also for 0
 * processes), GROMA_NOT_FOUND: not every number was measured. */
GROMA_API groma_status groma_network_access_ratio(const groma_profile* profile, size_t per_node,
                                                  groma_quantity* ratio);

#ifdef __cplusplus
}
#endif

#endif
