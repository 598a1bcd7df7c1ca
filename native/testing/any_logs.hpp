// Reads any bytes as the logs of a traced run and merges them. A sanitizer tells what is wrong with the
// merge.
#pragma once

#include <algorithm>
#include <bit>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "testing/log_builder.hpp"
#include "trace/merge/merge.hpp"

namespace groma::trace::test {

inline std::string_view log_magic() {
  return {log::kMagic.data(), log::kMagic.size()};
}

/// Each log begins with the magic number of its header. What lies before the first is a log, too.
inline std::vector<std::string> split_logs(std::string_view bytes) {
  std::vector<std::string> logs;
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t next = std::min(bytes.find(log_magic(), at + 1), bytes.size());
    logs.emplace_back(bytes.substr(at, next - at));
    at = next;
  }
  return logs;
}

/// Checks that times go on and that objects are known.
class CheckingSink final : public Sink {
 public:
  void begin(const Layout& layout) override { objects_ = layout.objects.size(); }
  void state(const State& one) override { good = good && one.object < objects_ && one.begin <= one.end; }
  void event(const Event& one) override {
    good = good && one.object < objects_ && one.time >= last_;
    last_ = one.time;
  }
  void communication(const Communication& one) override {
    good = good && one.sender < objects_ && one.receiver < objects_;
  }
  void end(const Names& names) override { good = good && names.threads.size() == objects_; }

  bool good = true;

 private:
  std::size_t objects_ = 0;
  Nanoseconds last_ = 0;
};

/// Whether they can be merged, or are refused in one line. `folder` keeps nothing else.
inline bool are_merged_or_refused(std::string_view bytes, const std::filesystem::path& folder) {
  std::size_t number = 0;
  for (const std::string& one : split_logs(bytes)) {
    std::ofstream(folder / (std::to_string(number++) + ".log"), std::ios::binary) << one;
  }
  for (; std::filesystem::remove(folder / (std::to_string(number) + ".log")); ++number) {
  }
  const auto is_line = [](const Error& error) {
    return !error.what.empty() && error.what.find('\n') == std::string::npos;
  };
  auto merge = Merge::open(folder);
  if (!merge) return is_line(merge.error());
  CheckingSink sink;
  const auto merged = merge.value().run(sink, folder);
  return merged ? sink.good : is_line(merged.error());
}

/// Two logs that hold every call and every kind of record.
inline std::string logs_of_all_calls() {
  using groma::test::LogBuilder;
  using log::Head;
  using log::zigzag;
  const auto head = [](Head kind) { return static_cast<std::uint64_t>(kind); };
  std::string all;
  for (std::uint32_t rank = 0; rank < 2; ++rank) {
    LogBuilder log(rank, 2);
    log.world().record({head(Head::communicator), 2, 1});
    log.record({head(Head::members), 0, zigzag(0), zigzag(1), 1});
    log.record({head(Head::members), 1, zigzag(1), zigzag(1), 1});
    log.record({head(Head::name), 0, 'l', 'o', 'o', 'p'}).record({head(Head::region), 5, 0, 1});
    log.record({head(Head::module), 1, 9, 9, '/', 'x'}).record({head(Head::module_path), 'y'});
    log.record({head(Head::site), 1, 1, 0x1234}).record({head(Head::misses), 1, 5, 0, 0, 2, 9, 0, 0});
    log.record({head(Head::counters), 1, 2});
    std::uint64_t time = 2000;
    for (std::size_t i = 0; i < log::kCalls.size(); ++i, time += 100) {
      std::vector<std::uint64_t> fields;
      for (log::FieldSet rest = log::kCalls[i].fields; rest != 0; rest &= rest - 1) {
        const auto field = static_cast<log::Field>(std::countr_zero(rest));
        fields.push_back(log::is_signed(field) ? zigzag(1 - rank) : 1);
      }
      fields.push_back(1);  // the site
      log.record({head(Head::requests), zigzag(1), 1, zigzag(1 - rank), zigzag(1)});
      log.call(static_cast<log::CallIndex>(i), time, time + 50, fields);
    }
    log.record({head(Head::value), 5, 0, 42}).record({head(Head::region), 5, 0, 0});
    if (rank == 1) {
      log.header.progress = log::Progress::running;
      log.header.in_call = 1;
      log.header.entered = time + 100;
    }
    const auto bytes = log.bytes();
    all.append(bytes.begin(), bytes.end());
  }
  return all;
}

}  // namespace groma::trace::test
