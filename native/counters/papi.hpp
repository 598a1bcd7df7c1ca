// PAPI, where its library is installed: it is loaded when the first event asks for it and never needed to
// build.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace groma::counters {

/// Events of PAPI of the calling thread. The library is libpapi of the loader, or what GROMA_PAPI_LIBRARY
/// names.
class PapiSet {
 public:
  /// `names` without "papi:". Adds and starts them: PAPI lists many that it cannot add. Null and a reason
  /// otherwise.
  static std::unique_ptr<PapiSet> open(std::span<const std::string> names, std::string& reason);
  ~PapiSet();
  PapiSet(const PapiSet&) = delete;
  PapiSet& operator=(const PapiSet&) = delete;
  bool read(std::span<std::uint64_t> values) const noexcept;

 private:
  explicit PapiSet(int set) noexcept : set_(set) {}
  int set_;
};

}  // namespace groma::counters
