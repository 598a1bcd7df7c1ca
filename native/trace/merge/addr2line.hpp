// Symbols by addr2line, a program of the GNU and of the LLVM tools.
#pragma once

#include <filesystem>
#include <istream>

#include "trace/merge/site_names.hpp"

namespace groma::trace {

/// `scratch` is a folder for what goes to the program and comes from it.
SymbolSource addr2line(const std::filesystem::path& scratch);

/// What `addr2line -f -C` says: for each address a line with the function and one with file and line.
std::vector<Symbol> read_symbols(std::istream& said);

}  // namespace groma::trace
