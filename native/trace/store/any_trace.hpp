// Opens a trace of any format that groma reads.
#pragma once

#include <string>

#include "base/result.hpp"
#include "trace/model/trace.hpp"
#include "trace/paraver/prv_reader.hpp"

namespace groma::trace {

/// A .prv, a .prv.gz or a store. Records come in the order of the file.
Result<ReadReport> read_trace(const std::string& path, Sink& sink);

/// Its names alone, which come after the records otherwise. None where the trace cannot be read.
Names read_names(const std::string& path);

}  // namespace groma::trace
