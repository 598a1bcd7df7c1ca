// The middle of hpccoutf.txt: the parameters of HPL, then one section for each test, with the names and the
// order of HPCC 1.5.0.
#pragma once

#include <ostream>

#include "hpcc/suite.hpp"

namespace groma::hpcc {

/// The lists of N, NB, P, Q and of the methods, each value once.
void write_parameters(std::ostream& out, const Plan& plan);

/// "Begin of NAME section." to "End of NAME section." of every test that ran, the time before the latter.
void write_sections(std::ostream& out, const SuiteResult& result);

}  // namespace groma::hpcc
