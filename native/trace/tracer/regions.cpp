// Regions and values that the program names. libgroma of the same version finds these functions by their
// names and is their only caller: programs use groma/counters.h, so no header declares them.
#include <array>
#include <cstring>
#include <optional>

#include "trace/tracer/wrapping.hpp"

namespace groma::trace {

/// Names that a thread has used; each is written into its log once a chunk, because newer chunks may replace
/// older ones. Found again by their text, as a name may lie in memory that is used again.
class RegionNames {
 public:
  /// Its number, or none if there are too many.
  std::optional<std::uint32_t> number(const char* name) {
    const std::size_t length = strnlen(name, kLongest);
    for (std::uint32_t i = 0; i < used_; ++i) {
      // The last one first: a region ends before others begin.
      const std::uint32_t at = (last_ + i) % used_;
      if (std::strncmp(names_[at].text.data(), name, length) == 0 && names_[at].text[length] == '\0') {
        last_ = at;
        return at;
      }
    }
    if (used_ == log::kMaxNames) {
      return std::nullopt;
    }
    std::memcpy(names_[used_].text.data(), name, length);
    last_ = used_;
    return used_++;
  }

  /// A record in a chunk that has the name of this number.
  Record begin_named(std::uint32_t number, Writer& writer) {
    const Name& name = names_[number];
    while (true) {
      if (name.section != writer.section() && !describe(number, writer)) {
        return {};
      }
      const Record record = writer.begin();
      if (!record || name.section == writer.section()) {
        return record;
      }
    }
  }

 private:
  static constexpr std::size_t kLongest = 95;
  struct Name {
    std::array<char, kLongest + 1> text;
    std::uint64_t section;  ///< of the log that has it last
  };

  bool describe(std::uint32_t number, Writer& writer) {
    Name& name = names_[number];
    Record record = writer.begin();
    if (!record) {
      return false;
    }
    record.put(static_cast<std::uint64_t>(log::Head::name));
    record.put(number);
    record.text(name.text.data(), std::strlen(name.text.data()));
    writer.commit(record);
    name.section = writer.section();
    return true;
  }

  std::array<Name, log::kMaxNames> names_{};
  std::uint32_t used_ = 0;
  std::uint32_t last_ = 0;
};

namespace {

thread_local constinit ThreadOwned<RegionNames> own_names(&ThreadState::names);

void record_user(log::Head head, const char* name, std::uint64_t value) {
  if (name == nullptr || !running.is_set() || is_within_call(thread_state, __builtin_frame_address(0))) {
    return;
  }
  const BesidesMpi held;
  RegionNames* const names = held && thread_state.names == nullptr ? own_names.make() : thread_state.names;
  if (!held || names == nullptr) {
    return;
  }
  Writer& writer = *thread_state.writer;
  const auto number = names->number(name);
  if (!number) {
    ++writer.header().unnamed;
    return;
  }
  const std::uint64_t now = ticks();
  if (thread_state.counting != nullptr) {
    thread_state.counting->record_point(writer);
  }
  if (Record record = names->begin_named(*number, writer)) {
    record.put(static_cast<std::uint64_t>(head));
    record.put(writer.since_last(now));
    record.put(*number);
    record.put(value);
    writer.commit(record);
  }
}

}  // namespace
}  // namespace groma::trace

/// The begin (not 0) or the end (0) of a region of this thread. A name is kept up to 95 bytes, 256 names a
/// thread.
GROMA_TRACE_EXPORT void groma_trace_region(const char* name, int begin) {
  groma::trace::record_user(groma::trace::log::Head::region, name, begin != 0 ? 1 : 0);
}

/// A value that the program gives at this time.
GROMA_TRACE_EXPORT void groma_trace_value(const char* name, unsigned long long value) {
  groma::trace::record_user(groma::trace::log::Head::value, name, value);
}
