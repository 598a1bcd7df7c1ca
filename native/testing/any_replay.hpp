// Reads any bytes as a trace of Paraver, writes it as a time-independent trace, and reads that as the
// simulator does. A sanitizer tells what is wrong with either.
#pragma once

#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "sim/torus/messages/trace_text.hpp"
#include "trace/export/replay_writer.hpp"
#include "trace/paraver/prv_reader.hpp"

namespace groma::trace::test {

inline bool is_one_line(const std::string& text) {
  return !text.empty() && text.find('\n') == std::string::npos;
}

/// Whether the trace is replayed, or refused in one line.
inline bool is_replayed_or_refused(std::string_view bytes) {
  std::ostringstream out;
  ReplayWriter writer(out);
  if (const auto report = read_prv_text(bytes, writer); !report) return is_one_line(report.error().what);
  if (const Status status = writer.status(); !status) return is_one_line(status.error().what);
  const auto programs = sim::torus::read_trace({{"", out.str()}}, {});
  return programs || is_one_line(programs.error().what);
}

/// Three ranks with each kind of call that a replay knows, in two communicators.
inline std::string trace_of_all_replayed() {
  std::string text =
      "#Paraver (01/01/2026 at 10:00):90000_ns:1(3):1:3(1:1,1:1,1:1),2\nc:1:1:3:1:2:3\nc:1:2:2:1:3\n";
  const auto event = [&text](int rank, int time, const std::string& rest) {
    const std::string number = std::to_string(rank);
    text += "2:" + number + ":1:" + number + ":1:" + std::to_string(time) + ':' + rest + '\n';
  };
  int time = 0;
  const auto call_of = [&](const std::vector<int>& ranks, const std::string& type, int value,
                           const std::string& extra) {
    for (const int rank : ranks) event(rank, time, type + ':' + std::to_string(value) + extra);
    for (const int rank : ranks) event(rank, time + 50, type + ":0");
    time += 100;
  };
  const auto call = [&](const std::string& type, int value, const std::string& extra = "") {
    call_of({1, 2, 3}, type, value, extra);
  };
  call("50000003", 31);
  for (const int value : {1, 3, 4, 2, 5, 6, 41, 39, 62, 59}) {
    text += "3:1:1:1:1:" + std::to_string(time) + ':' + std::to_string(time + 10) +
            ":2:1:2:1:" + std::to_string(time) + ':' + std::to_string(time + 40) + ":800:7\n";
    call_of({1, 3}, "50000001", value, "");
    time -= 100;  // while the other rank receives
    call_of({2}, "50000001", 2, "");
  }
  for (const int value : {7,   8,   9,   10,  11,  12,  13,  14,  15,  16,  17,  18,  30,  80,  168,
                          214, 154, 155, 156, 157, 158, 159, 160, 161, 162, 163, 164, 165, 166, 167}) {
    call("50000002", value, ":50100001:64:50100002:96:50100003:1:50100004:1");
  }
  call_of({1, 3}, "50000002", 10, ":50100001:8:50100002:8:50100004:2");
  call("50000005", 143, ":50000110:8");
  call("50000003", 32);
  return text;
}

}  // namespace groma::trace::test
