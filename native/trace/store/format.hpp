// groma's store of a trace: one file with the records of each thread in blocks of columns.
// docs/trace-store.md describes it; it changes with kVersion.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <span>

#include "base/varint.hpp"
#include "trace/model/trace.hpp"

namespace groma::trace::store {

constexpr std::array<char, 8> kMagic{'g', 'r', 'o', 'm', 'a', 't', 'r', 'c'};
constexpr std::array<char, 8> kEndMagic{'e', 'n', 'd', 't', 'r', 'a', 'c', 'e'};
/// Version 1 has no marks, colours, levels of rows, and ways to write a header.
constexpr std::uint32_t kVersion = 2;
constexpr std::uint32_t kOldestVersion = 1;

/// All numbers of fixed size are little-endian.
struct Head {
  std::array<char, 8> magic;
  std::uint32_t version;
  std::uint32_t reserved;
};
/// The last bytes of the file.
struct Tail {
  std::uint64_t footer;  ///< its offset
  std::uint64_t bytes;   ///< of the footer
  std::uint64_t checksum;
  std::array<char, 8> magic;
};
static_assert(std::endian::native == std::endian::little, "other machines need conversions here");

enum class Kind : std::uint8_t { states = 0, events = 1, communications = 2 };
constexpr std::size_t kKinds = 3;
/// Columns of each kind: fields of its records, then changes of its marks.
constexpr std::array<std::size_t, kKinds> kFields{4, 4, 8};
constexpr std::array<std::size_t, kKinds> kMarks{1, 1, 2};
constexpr std::size_t kMaxMarks = 2;
constexpr std::size_t kMaxColumns = 10;
constexpr std::size_t columns_of(Kind kind, std::uint32_t version) {
  const auto number = static_cast<std::size_t>(kind);
  return kFields[number] + (version > 1 ? kMarks[number] : 0);
}

/// Classes that times are summed up in, block by block, so that a picture of a long trace reads no records.
enum class Class : std::uint8_t { useful, send, receive, wait, collective, one_sided, io, other };
constexpr std::size_t kClasses = 8;
constexpr Class class_of(std::uint32_t state) {
  switch (state) {
    case 1:
      return Class::useful;
    case 4:
    case 10:
    case 16:
      return Class::send;
    case 3:
    case 11:
      return Class::receive;
    case 6:
    case 8:
    case 9:
      return Class::wait;
    case 5:
    case 13:
      return Class::collective;
    case 12:
      return Class::io;
    case 20:
    case 21:
    case 22:
    case 23:
    case 25:
      return Class::one_sided;
    default:
      return Class::other;
  }
}

/// Records of one kind of one thread. Times are those of begins, events and physical sends.
struct Block {
  ObjectIndex object = 0;
  Kind kind = Kind::states;
  std::uint64_t offset = 0;  ///< in the file
  std::uint64_t bytes = 0;
  std::uint64_t records = 0;
  std::uint64_t first_number = 0;  ///< of its first record in the order of the trace
  Nanoseconds base = 0;            ///< the time of its first record
  Nanoseconds first = 0;           ///< the least time
  Nanoseconds last = 0;            ///< the greatest; of states the greatest end
  std::uint64_t checksum = 0;
  std::array<std::uint64_t, kClasses> times{};  ///< of states
};

/// `to` - `from`, whichever is greater.
constexpr std::uint64_t difference(std::uint64_t from, std::uint64_t to) {
  return zigzag(static_cast<std::int64_t>(to - from));
}

/// What seldom changes from record to record: the CPU, and whether a minus stands before the value or the
/// tag. 0 is what is usual.
constexpr std::uint64_t mark_of(std::uint32_t cpu, bool is_negative) {
  return (cpu == kUsualCpu ? 0 : (std::uint64_t{cpu} + 1) << 1U) | (is_negative ? 1U : 0U);
}
constexpr std::uint32_t cpu_of(std::uint64_t mark) {
  return mark <= 1 ? kUsualCpu : static_cast<std::uint32_t>((mark >> 1U) - 1);
}
constexpr bool is_negative(std::uint64_t mark) {
  return (mark & 1U) != 0;
}

/// Tells damage, not intent: 64 bits at a time.
inline std::uint64_t checksum_of(std::span<const std::uint8_t> bytes) {
  constexpr std::uint64_t factor = 0x9e3779b97f4a7c15ULL;
  std::uint64_t sum = bytes.size() * factor;
  for (; bytes.size() >= 8; bytes = bytes.subspan(8)) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data(), 8);
    sum = std::rotl((sum ^ word) * factor, 29);
  }
  for (const std::uint8_t byte : bytes) sum = std::rotl((sum ^ byte) * factor, 29);
  return sum;
}

}  // namespace groma::trace::store
