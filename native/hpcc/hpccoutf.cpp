#include "hpcc/hpccoutf.hpp"

#include <fstream>
#include <sstream>

namespace groma::hpcc {

std::string hpccoutf_text(int ranks, const Plan& /*plan*/, const SuiteResult& result) {
  std::ostringstream text;
  text << "########################################################################\n"
          "This is the DARPA/DOE HPC Challenge Benchmark version 1.5.0 as written by groma\n"
          "########################################################################\n";
  for (const Ran& ran : result.ran) text << ran.outcome.report;
  text << "Begin of Summary section.\n"
       << "CommWorldProcs=" << ranks << "\n"
       << "Success=" << (result.valid() ? 1 : 0) << "\n";
  for (const Ran& ran : result.ran) {
    for (const SummaryEntry& one : ran.outcome.summary) text << one.key << "=" << one.value << "\n";
  }
  text << "End of Summary section.\n"
          "########################################################################\n"
          "End of HPC Challenge tests.\n";
  return text.str();
}

Status write_hpccoutf(const Options& options, int ranks, const Plan& plan, const SuiteResult& result) {
  std::ofstream file(options.output, options.append ? std::ios::app : std::ios::trunc);
  file << hpccoutf_text(ranks, plan, result);
  if (file.flush()) return Done{};
  return Error{"environment", options.output + " cannot be written", "choose another --output"};
}

}  // namespace groma::hpcc
