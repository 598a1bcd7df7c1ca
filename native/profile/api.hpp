// What the files of the C interface share. An exception (only lack of memory can raise one) ends as a status.
#pragma once

#include <exception>
#include <new>
#include <optional>
#include <span>

#include "groma/groma.h"
#include "profile/profile.hpp"

struct groma_profile {
  groma::profile::Profile content;
};

namespace groma::profile {

/// Leaves a line for groma_last_error(). Allocates nothing; a line that is too long is cut.
__attribute__((format(printf, 2, 3))) groma_status fail(groma_status status, const char* format,
                                                        ...) noexcept;
groma_status fail(const Error& error) noexcept;

groma_status null_argument() noexcept;
groma_status not_measured(const char* what) noexcept;

template <class Body>
groma_status guarded(Body body) noexcept {
  try {
    return body();
  } catch (const std::bad_alloc&) {
    return fail(GROMA_NO_MEMORY, "too little memory");
  } catch (const std::exception& problem) {
    return fail(GROMA_NO_MEMORY, "%s", problem.what());
  }
}

/// Hands over what a look-up found, which is `what`.
template <class T>
groma_status hand_over(const std::optional<T>& found, T* out, const char* what) noexcept {
  if (!found) return not_measured(what);
  *out = *found;
  return GROMA_OK;
}

inline groma_core_list as_list(std::span<const int> cores) noexcept {
  return {cores.data(), cores.size()};
}

/// Group `index` of groups which are `what`.
groma_status hand_over_group(const Groups& groups, std::size_t index, groma_core_list* out,
                             const char* what) noexcept;

}  // namespace groma::profile
