// A sink for tests.
#pragma once

#include <string>
#include <vector>

#include "base/samples.hpp"

namespace groma {

/// Keeps everything in memory: values[case] in the order of rounds.
class CollectingSink final : public SampleSink {
 public:
  void begin(const std::vector<Case>& cases) override {
    labels.clear();
    for (const Case& one : cases) labels.push_back(one.json().text());
    values.assign(cases.size(), {});
  }
  void sample(std::size_t which, std::uint32_t /*round*/, double value) override {
    values.at(which).push_back(value);
  }
  void round(const RoundReport& report) override { rounds.push_back(report); }
  void end(EndReason how) override { ended = how; }

  std::vector<std::string> labels;
  std::vector<std::vector<double>> values;
  std::vector<RoundReport> rounds;
  EndReason ended = EndReason::kInterrupted;
};

}  // namespace groma
