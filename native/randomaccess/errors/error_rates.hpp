// Runs of the strategies on one table, one after the other in random order: time and wrong words of each.
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "base/sampling.hpp"
#include "randomaccess/errors/strategy.hpp"
#include "randomaccess/look_ahead.hpp"

namespace groma::randomaccess {

/// One for each CPU that this process may use, as far as so many may share a table.
std::uint64_t default_threads(std::uint64_t cpus);

struct ErrorStudy {
  std::uint64_t words = std::uint64_t{1} << 24U;  ///< that of table 2 of the paper: 128 MiB
  std::uint64_t updates = std::uint64_t{1} << 26U;
  Generator generator = Generator::kPolynomial;
  std::uint64_t threads = 1;
  std::uint32_t runs = 10;  ///< of each strategy
  std::vector<std::string> strategies = {};
  std::uint64_t seed = 1;  ///< of the order within a round
};

struct Trial {
  Seconds time;
  std::uint64_t wrong_words;
};

/// Applies so many updates, then counts the words that are wrong (verification.hpp). The table is as filled
/// before and after.
Trial try_updates(const SharedTable& table, const ApplySection& apply, std::uint64_t updates);

/// Samples "time" (s) and "wrong_words" of each strategy, `study.runs` times unless cancelled.
/// Errors: usage (a table that is no power of two or has fewer words than threads, a strategy that there is
/// not, no thread or too many), memory (a table that does not fit).
Result<EndReason> measure_errors(const ErrorStudy& study, const Clock& clock,
                                 const std::atomic<bool>& cancelled, SampleSink& sink);

}  // namespace groma::randomaccess
