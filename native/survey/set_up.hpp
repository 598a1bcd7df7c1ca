// Setting up before the first sample: it ends on an interruption, and where it takes many times its budget.
#pragma once

#include <string>

#include "base/pages.hpp"
#include "base/result.hpp"
#include "base/units.hpp"
#include "survey/probe.hpp"

namespace groma::survey {

/// What setting up takes: a page that is written first, an entry of an order of visit.
inline constexpr Seconds kPerNewPage{1e-6};
inline constexpr Seconds kPerOrderEntry{20e-9};

/// Up to here nothing is refused, whatever the budget is: so long takes the largest set that a curve chooses.
inline constexpr Seconds kNeverRefused{10.0};

/// Refuses what is asked for by name and takes longer than its budget before each size has one sample.
Status refuse_too_long(const std::string& measured, Bytes largest, Seconds needed, Seconds budget);

/// Writes to every page from the calling thread, until the run is interrupted. An error where that takes so
/// long that nobody waits for it.
Status touch(const Block& block, const Context& context);

/// The end of a run that was interrupted before its first sample.
Status interrupted(const Context& context);

}  // namespace groma::survey
