// Calendar times as hpccoutf.txt writes them.
#pragma once

#include <ctime>
#include <string>

namespace groma::hpcc {

/// "Current time (1795290679) is Sat Nov 21 19:51:19 2026", a line of its own and an empty one after it:
/// readers of the file count on both. Local time, English names whatever the locale.
std::string current_time(std::time_t when);

}  // namespace groma::hpcc
