// Where calls come from: the return addresses of a thread, each written into its log once a chunk.
#pragma once

#include <array>
#include <cstdint>

#include "trace/tracer/writer.hpp"

namespace groma::trace {

/// Not thread-safe. A chunk of the log is complete in itself, because newer chunks may replace older ones.
class CallSites {
 public:
  CallSites() = default;
  CallSites(const CallSites&) = delete;
  CallSites& operator=(const CallSites&) = delete;
  CallSites(CallSites&&) = delete;
  CallSites& operator=(CallSites&&) = delete;
  ~CallSites() = default;

  /// Those of the calling thread, which frees them when it ends; nullptr if there is no memory.
  static CallSites* open();

  /// The number of a site in the current chunk of the log, which describes it; 0: none. The description may
  /// have begun another chunk.
  [[gnu::always_inline]] std::uint64_t number(const void* address, Writer& writer) {
    const Entry& likely = entries_[place(address)];
    const bool is_known = likely.address == address && likely.section == writer.section();
    const std::uint64_t number = is_known ? likely.number : find(address, writer);
    return number == kInBinding ? beyond_binding(address, writer) : number;
  }

 private:
  struct Entry {
    const void* address;
    std::uint64_t section;  ///< of the log in which it was described
    std::uint64_t number;
  };
  struct Module {
    std::uint64_t bias;
    std::uint64_t name;  ///< its address: it tells modules at one place apart
    std::uint64_t number;
  };
  /// The address lies in the Fortran binding of an MPI that calls its C: the program called the binding.
  static constexpr std::uint64_t kInBinding = ~std::uint64_t{0};
  static constexpr std::size_t kPlaces = 4096;  ///< a power of two
  static_assert(log::kMaxSites <= kPlaces / 2);

  static std::size_t place(const void* address) {
    constexpr std::uint64_t fibonacci = 0x9e3779b97f4a7c15ULL;
    return static_cast<std::size_t>((reinterpret_cast<std::uintptr_t>(address) * fibonacci) >> 52U);
  }
  std::uint64_t find(const void* address, Writer& writer);
  std::uint64_t beyond_binding(const void* address, Writer& writer);
  std::uint64_t describe(const void* address, Writer& writer);
  std::uint64_t module(std::uint64_t bias, const char* name, Writer& writer);

  std::array<Entry, kPlaces> entries_{};
  std::array<Module, log::kMaxModules> modules_{};
  std::uint64_t section_ = 0;
  std::uint64_t sites_ = 0;
  std::size_t used_modules_ = 0;
};

}  // namespace groma::trace
