#include "counters/reason.hpp"

#include <cerrno>
#include <cstring>

namespace groma::counters {
namespace {

bool is_of_processor(const Event& event) {
  return event.type == PERF_TYPE_HARDWARE || event.type == PERF_TYPE_HW_CACHE || event.type == PERF_TYPE_RAW;
}

bool is_virtual(const System& system) {
  const auto processor = system.text("/proc/cpuinfo");
  return processor && processor->find(" hypervisor") != std::string::npos;
}

std::string not_offered(const Event& event, const System& system) {
  if (!is_of_processor(event)) return "the kernel does not offer this event";
  const bool has_counters = system.text("/sys/bus/event_source/devices/cpu/type").has_value();
  if (!has_counters && is_virtual(system)) return "not supported by this virtual machine";
  return "the processor does not offer this event";
}

/// The kernel's own setting answers EACCES, or EPERM at the levels above 2 that distributions add. Other
/// EPERMs are those of containers, which bind root as well.
std::string forbidden(int error, const System& system) {
  const auto paranoid = system.text("/proc/sys/kernel/perf_event_paranoid");
  const std::string level = paranoid ? paranoid->substr(0, paranoid->find('\n')) : "";
  const bool is_setting = !level.empty() && level[0] != '-' && (error == EACCES || level > "2");
  if (!is_setting) return "perf events are forbidden here (a container may do that)";
  return "forbidden by perf_event_paranoid = " + level +
         " (an administrator can lower it, or give CAP_PERFMON)";
}

}  // namespace

std::string reason_for(int error, const Event& event, const System& system) {
  switch (error) {
    case ENOENT:
    case ENODEV:
    case ENXIO:
    case EOPNOTSUPP:
      return not_offered(event, system);
    case EACCES:
    case EPERM:
      return forbidden(error, system);
    case ENOSYS:
      return "the kernel has no perf events";
    case EMFILE:
      return "too many open files (ulimit -n)";
    case EBUSY:
      return "another program holds the counters";
    case EINVAL:
      return "the unit cannot count this";
    default:
      return std::string("the kernel refuses: ") + std::strerror(error);
  }
}

}  // namespace groma::counters
