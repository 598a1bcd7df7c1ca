#include "counters/system.hpp"

#include <fcntl.h>
#include <signal.h>  // NOLINT(modernize-deprecated-headers): SIGRTMAX
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <ctime>

#include "counters/ticks.hpp"

namespace groma::counters {
namespace {

std::uint64_t thread_nanoseconds() noexcept {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(time.tv_nsec);
}

std::uint64_t of_usage(const rusage& used, Usage what) noexcept {
  switch (what) {
    case Usage::kPageFaults:
      return static_cast<std::uint64_t>(used.ru_minflt + used.ru_majflt);
    case Usage::kMinorFaults:
      return static_cast<std::uint64_t>(used.ru_minflt);
    case Usage::kMajorFaults:
      return static_cast<std::uint64_t>(used.ru_majflt);
    default:
      return static_cast<std::uint64_t>(used.ru_nvcsw + used.ru_nivcsw);
  }
}

/// A number that few programs get for files of their own. As it was, where the limit of files is lower.
int moved_up(int descriptor) noexcept {
  constexpr int least = 512;
  const int moved = fcntl(descriptor, F_DUPFD_CLOEXEC, least);
  if (moved < 0) return descriptor;
  ::close(descriptor);
  return moved;
}

/// What marks own files: the signal that they would send if anyone had asked for one. No call of the kernel
/// that tells files apart is cheaper than to ask for it.
int mark() noexcept {
  return SIGRTMAX - 4;
}

class Linux final : public System {
 public:
  int open(perf_event_attr& attributes, int process, int group) const noexcept override {
    const auto opened = syscall(SYS_perf_event_open, &attributes, process, -1, group, PERF_FLAG_FD_CLOEXEC);
    if (opened < 0) return -errno;
    const int descriptor = moved_up(static_cast<int>(opened));
    fcntl(descriptor, F_SETSIG, mark());
    return descriptor;
  }
  bool is_own(int descriptor) const noexcept override { return fcntl(descriptor, F_GETSIG) == mark(); }
  void close(int descriptor) const noexcept override { ::close(descriptor); }
  int control(int descriptor, unsigned long request, unsigned long argument) const noexcept override {
    return ioctl(descriptor, request, argument) < 0 ? -errno : 0;
  }
  std::int64_t read(int descriptor, void* to, std::size_t bytes) const noexcept override {
    const auto count = ::read(descriptor, to, bytes);
    return count < 0 ? -errno : count;
  }
  const perf_event_mmap_page* map(int descriptor) const noexcept override {
    void* page = mmap(nullptr, page_bytes(), PROT_READ, MAP_SHARED, descriptor, 0);
    return page == MAP_FAILED ? nullptr : static_cast<const perf_event_mmap_page*>(page);
  }
  void unmap(const perf_event_mmap_page* page) const noexcept override {
    munmap(const_cast<perf_event_mmap_page*>(page), page_bytes());
  }
  std::uint64_t read_processor([[maybe_unused]] std::uint32_t index) const noexcept override {
#if defined(__x86_64__) || defined(__i386__)
    return __rdpmc(static_cast<int>(index));
#else
    return 0;
#endif
  }
  std::uint64_t usage(Usage what) const noexcept override {
    if (what == Usage::kTaskClock) return thread_nanoseconds();
    rusage used{};
    getrusage(RUSAGE_THREAD, &used);
    return of_usage(used, what);
  }
  std::uint64_t ticks() const noexcept override {
    return read_ticks();
  }
  [[nodiscard]] std::optional<std::string> text(const std::string& path) const override {
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) return std::nullopt;
    std::string content;
    std::array<char, 4096> part{};
    for (ssize_t count = 0; (count = ::read(file, part.data(), part.size())) > 0;)
      content.append(part.data(), static_cast<std::size_t>(count));
    ::close(file);
    return content;
  }

 private:
  static std::size_t page_bytes() noexcept {
    return static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  }
};

}  // namespace

const System& this_system() noexcept {
  static const Linux system;
  return system;
}

}  // namespace groma::counters
