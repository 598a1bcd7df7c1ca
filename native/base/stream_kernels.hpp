// The streaming kernels as data: what each reads, writes and computes per element, and the functions that do
// it with each instruction set (docs/probes/memory_bandwidth.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/units.hpp"

namespace groma {

/// Instruction set of a pass, ascending by vector width. The portable one exists everywhere.
enum class Isa { kPortable, kSse2, kAvx2, kAvx512 };

std::string_view name_of(Isa isa);

/// Whether this processor can run it; one that was not compiled in has no passes.
bool runs_here(Isa isa);

enum class StreamOperation { kRead, kWrite, kCopy, kScale, kAdd, kTriad };

/// Start of each stream, on a 64-byte boundary; those that an operation does not use may be null.
struct StreamOperands {
  double* out;
  const double* first;
  const double* second;
  double scalar;
};

/// One pass over `elements` of every stream. A read returns the sum of what it read, others 0. Non-temporal
/// stores are left to drain_stores().
using StreamPass = double (*)(const StreamOperands& streams, std::size_t elements);

/// A pass walks each stream at `strands` places at once: more pages are then open for the prefetchers.
struct StreamVariant {
  Isa isa;
  std::uint32_t strands;
  StreamPass pass;
};

struct StreamKernel {
  std::string_view name;
  std::string_view formula;
  StreamOperation operation;
  bool non_temporal;
  std::uint32_t reads;                    ///< streams
  std::uint32_t writes;                   ///< streams
  std::uint32_t flops;                    ///< per element
  std::vector<StreamVariant> variants{};  ///< that this processor can run, best guess last

  [[nodiscard]] std::uint32_t streams() const { return reads + writes; }

  /// What the bandwidth counts: every element of every stream once, as STREAM does.
  [[nodiscard]] Bytes bytes_per_element() const { return Bytes(sizeof(double) * streams()); }

  /// Moved besides, uncounted: a regular store first reads the line that it overwrites.
  [[nodiscard]] Bytes write_allocate_per_element() const {
    return Bytes(non_temporal ? 0 : sizeof(double) * writes);
  }

  /// Share of reads in the traffic between caches and memory.
  [[nodiscard]] double read_fraction() const {
    const std::uint32_t fetched = reads + (non_temporal ? 0 : writes);
    return static_cast<double>(fetched) / static_cast<double>(fetched + writes);
  }
};

/// All kernels that have a variant here; non-temporal ones are named *_nt.
const std::vector<StreamKernel>& stream_kernels();

/// Null where there is none of this name.
const StreamKernel* find_stream_kernel(std::string_view name);

/// The kernel with non-temporal stores, or the regular one where `among` has none, as on other than x86. Null
/// where there is neither.
const StreamKernel* with_non_temporal_stores(std::string_view name,
                                             const std::vector<StreamKernel>& among = stream_kernels());

/// Waits until non-temporal stores have left the processor's buffers.
void drain_stores();

/// One compiled pass; each instruction set's file offers its own, none where it was not compiled in.
struct CompiledPass {
  StreamOperation operation;
  bool non_temporal;
  std::uint32_t strands;
  StreamPass pass;
};
std::vector<CompiledPass> portable_passes();
std::vector<CompiledPass> sse2_passes();
std::vector<CompiledPass> avx2_passes();
std::vector<CompiledPass> avx512_passes();

}  // namespace groma
