#include "base/samples.hpp"

namespace groma {

std::string_view name_of(EndReason ended) {
  switch (ended) {
    case EndReason::kStable:
      return "stable";
    case EndReason::kRounds:
      return "rounds";
    case EndReason::kBudget:
      return "budget";
    case EndReason::kInterrupted:
      return "interrupted";
  }
  return "interrupted";
}

void JsonLineSink::begin(const std::vector<Case>& cases) {
  std::vector<Json> described;
  described.reserve(cases.size());
  for (const Case& one : cases) described.push_back(one.json());
  out_ << header_.add("cases", described).json().text() << '\n' << std::flush;
}

void JsonLineSink::sample(std::size_t which, std::uint32_t round, double value) {
  JsonObject line;
  line.add("event", "sample").add("case", which).add("round", round).add("value", value);
  out_ << line.json().text() << '\n';
}

void JsonLineSink::round(const RoundReport& report) {
  JsonObject line;
  line.add("event", "round")
      .add("round", report.round)
      .add("elapsed", report.elapsed.value())
      .add("fixed_work", report.fixed_work.value())
      .add("wall_over_cpu", report.wall_over_cpu)
      .add("steal", report.steal.value())
      .add("discarded", report.discarded);
  out_ << line.json().text() << '\n' << std::flush;
}

void JsonLineSink::end(EndReason ended) {
  out_ << JsonObject().add("event", "end").add("ended", name_of(ended)).json().text() << '\n' << std::flush;
}

Json failure_line(const Error& error) {
  return JsonObject()
      .add("event", "failed")
      .add("code", error.code)
      .add("what", error.what)
      .add("next", error.next)
      .json();
}

}  // namespace groma
