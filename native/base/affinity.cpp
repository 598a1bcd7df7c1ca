#include "base/affinity.hpp"

#include <sched.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <string>
#include <system_error>

namespace groma {
namespace {

struct FreeCpuSet {
  void operator()(cpu_set_t* set) const { CPU_FREE(set); }
};
using CpuSet = std::unique_ptr<cpu_set_t, FreeCpuSet>;

/// EINVAL is the kernel's answer where none of the CPUs may be used; others come from what forbids the call.
const char* what_to_do(int error) {
  if (error == EINVAL) return "run with an affinity mask and a cpuset that contain it, and keep it online";
  return "let the container or sandbox allow sched_setaffinity (seccomp)";
}

}  // namespace

std::vector<PhysicalCore> allowed_cpus() {
  // The kernel answers EINVAL while the set is smaller than its own; grow until it fits.
  for (std::size_t capacity = 1024; capacity <= (1U << 20U); capacity *= 2) {
    const CpuSet set(CPU_ALLOC(capacity));
    const std::size_t size = CPU_ALLOC_SIZE(capacity);
    if (sched_getaffinity(0, size, set.get()) != 0) {
      if (errno == EINVAL) continue;
      return {};
    }
    std::vector<PhysicalCore> cpus;
    for (std::uint32_t cpu = 0; cpu < capacity; ++cpu) {
      if (CPU_ISSET_S(cpu, size, set.get())) cpus.emplace_back(cpu);
    }
    return cpus;
  }
  return {};
}

Status pin_this_thread(PhysicalCore cpu) {
  return keep_this_thread_on({cpu});
}

Status keep_this_thread_on(const std::vector<PhysicalCore>& cpus) {
  std::size_t capacity = 1;
  std::string names;
  for (const PhysicalCore cpu : cpus) {
    capacity = std::max(capacity, std::size_t{cpu.number()} + 1);
    names += (names.empty() ? "" : ", ") + std::to_string(cpu.number());
  }
  const CpuSet set(CPU_ALLOC(capacity));
  const std::size_t size = CPU_ALLOC_SIZE(capacity);
  CPU_ZERO_S(size, set.get());
  for (const PhysicalCore cpu : cpus) CPU_SET_S(cpu.number(), size, set.get());
  if (sched_setaffinity(0, size, set.get()) == 0) return Done{};
  const int error = errno;
  return Error{"affinity.refused",
               "cannot pin a thread to CPU " + names + ": " + std::generic_category().message(error),
               what_to_do(error)};
}

}  // namespace groma
