// What messages between machines leave of the rates of the tests whose ranks exchange data.
#pragma once

#include "hpcc/machine.hpp"
#include "hpcc/plan.hpp"

namespace groma::hpcc {

/// Rates of a rank at the sizes of the plan. Those given are kept, and on one machine all are: there messages
/// are part of them. On several, the time of the bytes that leave each rank is added to that of the work. A
/// pure function.
Rates rates_on(const Machine& machine, const Plan& plan);

}  // namespace groma::hpcc
