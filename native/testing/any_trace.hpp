// Reads any bytes as a trace of Paraver and as its names. A sanitizer tells what is wrong with the readers.
#pragma once

#include <string_view>

#include "trace/paraver/names_reader.hpp"
#include "trace/paraver/prv_reader.hpp"
#include "trace/sums/sums.hpp"

namespace groma::trace::test {

/// Whether the bytes can be read and summed up, or are refused in one line.
inline bool is_read_or_refused(std::string_view bytes) {
  Sums sums;
  const auto report = read_prv_text(bytes, sums);
  Names names;
  read_pcf(bytes, names);
  read_row(bytes, names);
  if (report) return true;
  return !report.error().what.empty() && report.error().what.find('\n') == std::string_view::npos;
}

}  // namespace groma::trace::test
