// A flag of the process that each call of MPI looks at.
#pragma once

namespace groma::trace {

/// Any thread may read and change it at any time.
class Flag {
 public:
  constexpr Flag() = default;

  /// Soon after a change. By a volatile read: after a relaxed load of std::atomic, GCC takes all memory for
  /// changed, and a recorded call takes 16 instructions more.
  [[nodiscard, gnu::always_inline]] bool is_set() const { return static_cast<const volatile bool&>(value_); }
  /// In one order with all other changes and readings of atomics.
  [[nodiscard]] bool is_set_now() const { return __atomic_load_n(&value_, __ATOMIC_SEQ_CST); }
  void set(bool value) { __atomic_store_n(&value_, value, __ATOMIC_SEQ_CST); }

 private:
  bool value_ = false;
};

}  // namespace groma::trace
