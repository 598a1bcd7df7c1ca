#include "hpcc/hpccoutf.hpp"

#include <algorithm>
#include <map>
#include <sstream>

#include "hpcc/calendar.hpp"
#include "hpcc/hpccoutf_keys.hpp"
#include "hpcc/hpccoutf_sections.hpp"

namespace groma::hpcc {
namespace {

constexpr std::string_view kRule =
    "########################################################################\n";

std::vector<SummaryEntry> run_entries(const RunFacts& facts, const Plan& plan, const SuiteResult& result) {
  int most = plan.hpl.empty() ? -1 : plan.hpl.front().grid.ranks();
  int least = most;
  for (const HplCase& one : plan.hpl) {
    most = std::max(most, one.grid.ranks());
    least = std::min(least, one.grid.ranks());
  }
  return {entry("Success", std::uint64_t{result.success() ? 1U : 0U}),
          entry("CommWorldProcs", std::int64_t{facts.ranks}),
          exponent_entry("MPI_Wtick", facts.clock_tick.value()), entry("HPLMaxProcs", std::int64_t{most}),
          entry("HPLMinProcs", std::int64_t{least})};
}

/// MemProc, MemSpec and MemVal say how a run without a given matrix size was sized: MiB of each rank, 1 for a
/// total, MiB of that total.
std::vector<SummaryEntry> memory_entries(const RunFacts& facts, const Plan& plan) {
  if (!plan.sized_by) return {};
  const double all = static_cast<double>(plan.sized_by->value()) / double{1U << 20U};
  return {entry("MemProc", all / facts.ranks), entry("MemSpec", std::int64_t{1}), entry("MemVal", all)};
}

void write_header(std::ostream& out, const RunFacts& facts) {
  out << kRule << "This is the DARPA/DOE HPC Challenge Benchmark version 1.5.0 October 2012\n"
      << "Produced by groma " << facts.version << ", in the format of that version\n"
      << "Built with " << facts.compiler << "\n"
      << "MPI: " << facts.mpi << "\nBLAS: " << facts.blas << "\n"
      << current_time(facts.started) << "Hostname: '" << facts.host << "'\n"
      << kRule;
}

void write_summary(std::ostream& out, const std::vector<SummaryEntry>& summary) {
  out << "Begin of Summary section.\n";
  for (const SummaryEntry& one : summary) out << one.key << "=" << one.value << "\n";
  out << "End of Summary section.\n";
}

}  // namespace

std::vector<SummaryEntry> summary_of(const RunFacts& facts, const Plan& plan, const SuiteResult& result) {
  std::map<std::string, std::string, std::less<>> known;
  std::vector<SummaryEntry> unknown;
  for (const SummaryKey& key : summary_keys()) known.emplace(key.name, key.absent);
  const auto take = [&](const std::vector<SummaryEntry>& entries) {
    for (const SummaryEntry& one : entries) {
      const auto found = known.find(one.key);
      if (found == known.end()) {
        unknown.push_back(one);
      } else {
        found->second = one.value;
      }
    }
  };
  take(type_entries());
  take(arithmetic_entries());
  take(memory_entries(facts, plan));
  for (const BenchmarkResult& ran : result.ran) take(ran.outcome.summary);
  take(run_entries(facts, plan, result));
  std::vector<SummaryEntry> summary;
  for (const SummaryKey& key : summary_keys()) {
    summary.push_back({std::string(key.name), known.find(key.name)->second});
  }
  summary.insert(summary.end(), unknown.begin(), unknown.end());
  return summary;
}

std::string hpccoutf_text(const RunFacts& facts, const Plan& plan, const SuiteResult& result) {
  std::ostringstream text;
  text.imbue(std::locale::classic());
  write_header(text, facts);
  write_parameters(text, plan);
  write_sections(text, result);
  write_summary(text, summary_of(facts, plan, result));
  text << kRule << "End of HPC Challenge tests.\n" << current_time(facts.ended) << kRule;
  return text.str();
}

}  // namespace groma::hpcc
