#include "base/affinity.hpp"

#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <limits>
#include <thread>

namespace groma {
namespace {

TEST(Affinity, ListsCpusInAscendingOrder) {
  const std::vector<PhysicalCore> cpus = allowed_cpus();
  ASSERT_FALSE(cpus.empty());
  EXPECT_TRUE(std::is_sorted(cpus.begin(), cpus.end()));
}

TEST(Affinity, PinsTheCallingThreadOnly) {
  const std::vector<PhysicalCore> before = allowed_cpus();
  std::vector<PhysicalCore> inside;
  std::jthread([&] {
    EXPECT_TRUE(pin_this_thread(before.back()));
    inside = allowed_cpus();
  }).join();
  EXPECT_EQ(inside, std::vector{before.back()});
  EXPECT_EQ(allowed_cpus(), before);
}

TEST(Affinity, RefusesCpusThatDoNotExist) {
  for (const std::uint32_t cpu : {1'000'000U, std::numeric_limits<std::uint32_t>::max()}) {
    const Status pinned = pin_this_thread(PhysicalCore(cpu));
    ASSERT_FALSE(pinned);
    EXPECT_EQ(pinned.error().code, "affinity.refused");
    EXPECT_NE(pinned.error().what.find("CPU " + std::to_string(cpu)), std::string::npos);
  }
}

/// As the seccomp profile of a container does, for the calling thread only. False where that is not possible.
bool forbid_pinning() {
  std::array<sock_filter, 4> program = {{
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_sched_setaffinity, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  }};
  const sock_fprog filter = {static_cast<unsigned short>(program.size()), program.data()};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter, 0, 0) == 0;
}

TEST(Affinity, NamesTheSandboxThatForbidsPinning) {
  const PhysicalCore cpu = allowed_cpus().front();
  bool forbidden = false;
  Status pinned = Done{};
  std::jthread([&] {
    forbidden = forbid_pinning();
    pinned = pin_this_thread(cpu);
  }).join();
  if (!forbidden) GTEST_SKIP() << "no seccomp here";
  ASSERT_FALSE(pinned);
  EXPECT_NE(pinned.error().next.find("sched_setaffinity"), std::string::npos) << pinned.error().next;
}

}  // namespace
}  // namespace groma
