// What counters need of the operating system. The real one is this_system(); tests have a fake.
#pragma once

#include <linux/perf_event.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace groma::counters {

/// What the kernel keeps of a thread without perf events (getrusage, thread clock).
enum class Usage { kPageFaults, kMinorFaults, kMajorFaults, kContextSwitches, kTaskClock };

class System {
 public:
  virtual ~System() = default;
  /// perf_event_open(): a descriptor, or a negative errno. `process` 0: the calling thread.
  virtual int open(perf_event_attr& attributes, int process, int group) const noexcept = 0;
  virtual void close(int descriptor) const noexcept = 0;
  /// Whether a descriptor is still what open() made. Programs close descriptors that they do not know, and
  /// get their numbers for files of their own.
  [[nodiscard]] virtual bool is_own(int descriptor) const noexcept = 0;
  /// ioctl(), of which a negative result is a negative errno.
  virtual int control(int descriptor, unsigned long request, unsigned long argument) const noexcept = 0;
  /// Bytes that were read, or a negative errno.
  virtual std::int64_t read(int descriptor, void* to, std::size_t bytes) const noexcept = 0;
  /// The page of a counter that user mode may read; nullptr where the kernel gives none.
  virtual const perf_event_mmap_page* map(int descriptor) const noexcept = 0;
  virtual void unmap(const perf_event_mmap_page* page) const noexcept = 0;
  /// Counter `index` of the processor, for which the page allows it.
  virtual std::uint64_t read_processor(std::uint32_t index) const noexcept = 0;
  virtual std::uint64_t usage(Usage what) const noexcept = 0;
  virtual std::uint64_t ticks() const noexcept = 0;
  /// The content of a small file of /sys or /proc.
  [[nodiscard]] virtual std::optional<std::string> text(const std::string& path) const = 0;
};

const System& this_system() noexcept;

}  // namespace groma::counters
