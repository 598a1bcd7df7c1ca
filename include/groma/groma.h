/* groma.h: reads the profile of a machine that `groma survey` wrote. Nothing here measures.
 *
 * Paths. A path names a value by keys and item numbers (from 0) joined by dots. It starts in the facts of the
 * profile, "node.caches.0.size", or with a leading dot in the record around them, ".created".
 *
 * Errors. Nothing here exits, prints, throws or sets errno. A function that fails says so in its result and
 * leaves one line for groma_last_error(). What was not measured is GROMA_NOT_FOUND, never a made-up value.
 *
 * Ownership. A text belongs to the profile it came from and lives until groma_profile_close(). Output
 * arguments are written only on success.
 *
 * Threads. A profile never changes once it is open: any number of threads may read it at once. Closing it
 * while another thread uses it is the caller's error. groma_last_error() belongs to the calling thread.
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
  GROMA_BAD_ARGUMENT = 1,  /**< a null pointer where a value must stand */
  GROMA_CANNOT_READ = 2,   /**< the file is missing, unreadable or too long for memory */
  GROMA_NOT_A_PROFILE = 3, /**< not JSON, not a record, or a record of another kind or schema */
  GROMA_NOT_FOUND = 4,     /**< nothing at this path: not measured on this machine, or misspelt */
  GROMA_WRONG_KIND = 5     /**< something else than asked for lies at this path */
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

/** What went wrong in this thread's last call that failed: one line, never NULL, "" where none failed yet.
 *  Valid until this thread's next call that fails. */
GROMA_API const char* groma_last_error(void);

/** Opens the profile in a file into `*profile`, which the caller closes.
 *  Fails with GROMA_BAD_ARGUMENT, GROMA_CANNOT_READ, GROMA_NOT_A_PROFILE. Any thread. */
GROMA_API groma_status groma_profile_open(const char* file, groma_profile** profile);

/** As groma_profile_open, from `length` bytes in memory, which are copied. */
GROMA_API groma_status groma_profile_parse(const char* json, size_t length, groma_profile** profile);

/** Frees a profile and every text that came from it. NULL is allowed. */
GROMA_API void groma_profile_close(groma_profile* profile);

/** The quantity at `path`. Any thread.
 *  Fails with GROMA_BAD_ARGUMENT, GROMA_NOT_FOUND, GROMA_WRONG_KIND. */
GROMA_API groma_status groma_profile_quantity(const groma_profile* profile, const char* path,
                                              groma_quantity* quantity);

/** The plain number at `path`, such as a level or a core id. Any thread. Fails as groma_profile_quantity. */
GROMA_API groma_status groma_profile_number(const groma_profile* profile, const char* path, double* number);

/** The text at `path`. Any thread. Fails as groma_profile_quantity. */
GROMA_API groma_status groma_profile_text(const groma_profile* profile, const char* path, const char** text);

/** The number of items or members at `path`. Any thread. Fails as groma_profile_quantity. */
GROMA_API groma_status groma_profile_count(const groma_profile* profile, const char* path, size_t* count);

/** The key of member `index` (from 0, in the file's order) of what lies at `path`, such as a kernel's name in
 *  "node.memory.bandwidth". Any thread. Fails as groma_profile_quantity. */
GROMA_API groma_status groma_profile_key(const groma_profile* profile, const char* path, size_t index,
                                         const char** key);

/* The degradation of the network, as the Servet 3.0 paper defines it (section 4): bandwidth in the reference
 * pattern over bandwidth in this one, unit "ratio". 1 is as fast, more is slower. */

/** How many times less bandwidth nodes have that all send to the one `distance` ranks on, than at distance 1
 *  (the paper's ratDist). `distance` counts from 1 to half of the nodes. Any thread.
 *  Fails with GROMA_BAD_ARGUMENT (also for distance 0), GROMA_NOT_FOUND. */
GROMA_API groma_status groma_network_distance_ratio(const groma_profile* profile, size_t distance,
                                                    groma_quantity* ratio);

/** How many times less bandwidth each of `per_node` processes of a node has that all send to the next node,
 *  than one process alone (the paper's ratNC). Any thread.
 *  Fails with GROMA_BAD_ARGUMENT (also for 0 processes), GROMA_NOT_FOUND: not every number was measured. */
GROMA_API groma_status groma_network_access_ratio(const groma_profile* profile, size_t per_node,
                                                  groma_quantity* ratio);

#ifdef __cplusplus
}
#endif

#endif
