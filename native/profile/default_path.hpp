// The profile that programs use if they name none, as groma_profile_default_path() defines it.
#pragma once

#include <string>

#include "profile/profile.hpp"

namespace groma::profile {

/// Empty if neither $GROMA_PROFILE nor a folder for it is known.
std::string default_path();

/// Errors: those of Profile::open, whose next step names how to get a profile.
Result<Profile> open_default();

}  // namespace groma::profile
