#include "hpcc/calendar.hpp"

#include <array>
#include <cstdio>

namespace groma::hpcc {

std::string current_time(std::time_t when) {
  constexpr std::array kDays = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  constexpr std::array kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                  "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  std::tm at{};
  localtime_r(&when, &at);
  std::array<char, 96> line{};
  std::snprintf(line.data(), line.size(), "Current time (%lld) is %s %s %2d %02d:%02d:%02d %d\n\n",
                static_cast<long long>(when), kDays.at(static_cast<std::size_t>(at.tm_wday)),
                kMonths.at(static_cast<std::size_t>(at.tm_mon)), at.tm_mday, at.tm_hour, at.tm_min, at.tm_sec,
                at.tm_year + 1900);
  return line.data();
}

}  // namespace groma::hpcc
