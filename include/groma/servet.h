/* servet.h: the interface of the Servet 3.0 paper (section 4.3), so that codes written for it compile
 * unchanged.
 *
 * Include it as <groma/servet.h>, or as <servet.h> with the folder of this header in the search path.
 *
 * The file. The paper names no path. load_degr_info() reads $SERVET_FILE if that is set and not empty, else
 * what groma_profile_default_path() names ($GROMA_PROFILE, the profile of the user, that of the site). A file
 * whose first character is a brace is a profile of groma. Any other file is taken for the text of the paper,
 * of which the paper only says that it holds the arrays ratDist and ratNC. groma reads this form: a line for
 * each element or array,
 *
 *     ratDist[1] = 1.0        one element; the number in brackets counts from 1
 *     ratDist: 1.0 1.12 1.31  the elements from 1 on; ':' and '=' may be left out
 *     # a comment
 *
 * and the same for ratNC. Letters may be of either case. Lines with another name at their start are skipped,
 * since such a file holds other results of Servet too.
 *
 * Errors. No function exits, prints or throws. groma_last_error() of groma.h has one line for the last
 * failure.
 *
 * Threads. Any number of threads may read a loaded descriptor at the same time.
 */
#ifndef GROMA_SERVET_H
#define GROMA_SERVET_H

#include "groma.h"

#ifdef __cplusplus
extern "C" {
#endif

/** What load_degr_info() loaded. Its members are nobody's business but the library's. */
typedef struct degr_desc {
  double* ratDist; /**< ratDist[i - 1] is the ratio at distance i; NaN if it is not known */
  size_t numDist;  /**< entries of ratDist */
  double* ratNC;   /**< ratNC[i - 1] is the ratio of i processes per node; NaN if it is not known */
  size_t numNC;    /**< entries of ratNC */
} degr_desc;

/** Loads the ratios into `*degr_info`, whose content before does not matter. The caller releases it.
 *
 * Returns 0. If that fails, it returns a groma_status that is not 0, and the descriptor is empty:
 * GROMA_BAD_ARGUMENT (null), GROMA_CANNOT_READ, GROMA_NOT_A_PROFILE (also a text with a line that cannot be
 * understood), GROMA_NOT_FOUND (neither array is there), GROMA_NO_MEMORY. */
GROMA_API int load_degr_info(degr_desc* degr_info);

/** Frees what load_degr_info() allocated and leaves the descriptor empty. NULL and an empty one are allowed.
 */
GROMA_API void release_degr_info(degr_desc* degr_info);

/** ratDist[dist]: the bandwidth at distance 1 over that at distance `dist`, with all nodes sending. It is NaN
 * if that is not known, so that every comparison with it is false: also for 0, negative and too large
 * distances. */
GROMA_API double get_network_dist_ratio(degr_desc* degr_info, int dist);

/** ratNC[nprocs_per_node]: the bandwidth of one process per node over that of each of so many. NaN like
 *  get_network_dist_ratio(). */
GROMA_API double get_network_access_ratio(degr_desc* degr_info, int nprocs_per_node);

#ifdef __cplusplus
}
#endif

#endif
