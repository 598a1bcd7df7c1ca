// Strong types for what is measured and for ids; a number without its unit does not leave a function.
#pragma once

#include <compare>
#include <cstdint>

namespace groma {

/// A value of representation `Rep` in the unit named by `Tag`. Sums and scalings stay in the unit.
template <class Tag, class Rep>
class Unit {
 public:
  constexpr Unit() = default;
  constexpr explicit Unit(Rep value) : value_(value) {}
  [[nodiscard]] constexpr Rep value() const { return value_; }

  constexpr auto operator<=>(const Unit&) const = default;
  constexpr Unit operator+(Unit other) const { return Unit(value_ + other.value_); }
  constexpr Unit operator-(Unit other) const { return Unit(value_ - other.value_); }
  constexpr Unit operator*(Rep factor) const { return Unit(value_ * factor); }
  constexpr Unit operator/(Rep divisor) const { return Unit(value_ / divisor); }
  constexpr double operator/(Unit other) const {
    return static_cast<double>(value_) / static_cast<double>(other.value_);
  }

 private:
  Rep value_{};
};

using Seconds = Unit<struct SecondsTag, double>;
using Bytes = Unit<struct BytesTag, std::uint64_t>;
using BytesPerSecond = Unit<struct BytesPerSecondTag, double>;

constexpr BytesPerSecond operator/(Bytes amount, Seconds time) {
  return BytesPerSecond(static_cast<double>(amount.value()) / time.value());
}

/// Ids are ordered and comparable, never added.
template <class Tag>
class Id {
 public:
  constexpr Id() = default;
  constexpr explicit Id(std::uint32_t number) : number_(number) {}
  [[nodiscard]] constexpr std::uint32_t number() const { return number_; }
  constexpr auto operator<=>(const Id&) const = default;

 private:
  std::uint32_t number_{};
};

using LogicalCore = Id<struct LogicalCoreTag>;    ///< the id used everywhere in groma
using PhysicalCore = Id<struct PhysicalCoreTag>;  ///< the kernel's CPU number, used only to pin
using NumaNode = Id<struct NumaNodeTag>;          ///< logical number of a NUMA node

constexpr Bytes operator""_KiB(unsigned long long n) {
  return Bytes(n << 10U);
}
constexpr Bytes operator""_MiB(unsigned long long n) {
  return Bytes(n << 20U);
}

}  // namespace groma
