// Ways in which the threads of a process may update one table (Aggarwal et al. 2008, section 3.3): what they
// cost, and how many words they get wrong, is for the user to see.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "randomaccess/stream.hpp"

namespace groma::randomaccess {

/// What the threads share.
struct SharedTable {
  std::span<std::uint64_t> words;  ///< a power of two of them, at least as many as threads
  Generator generator;
  std::uint64_t threads;
};

/// Applies a section, divided among the threads. By one thread at a time.
using ApplySection = std::function<void(Section)>;

struct Strategy {
  std::string name;
  bool exact;  ///< no word may be wrong
  /// The table outlives what this returns.
  std::function<ApplySection(const SharedTable&)> on;
};

/// What can be asked for, in words.
constexpr std::string_view kStrategyNames = "serial, unsynchronised, atomic, locks:COUNT or owner";

/// - serial: one thread does all, as the others are compared with.
/// - unsynchronised: a load, a xor and a store; what another thread stores in between is lost. The accesses
///   are relaxed atomics, so that they are defined and compile to plain moves.
/// - atomic: one read-modify-write operation.
/// - locks:COUNT: mutexes, 1 to 65,536 of them; each guards as many neighbouring words.
/// - owner: each thread owns a part of the table, the others hand it their updates (LocalTable).
/// Errors (usage): any other name.
Result<Strategy> strategy_named(const std::string& name);

}  // namespace groma::randomaccess
