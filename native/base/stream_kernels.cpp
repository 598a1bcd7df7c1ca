#include "base/stream_kernels.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <string>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace groma {
namespace {

struct IsaPasses {
  Isa isa;
  std::vector<CompiledPass> (*passes)();
};

constexpr std::array kIsas = {IsaPasses{Isa::kPortable, portable_passes}, IsaPasses{Isa::kSse2, sse2_passes},
                              IsaPasses{Isa::kAvx2, avx2_passes}, IsaPasses{Isa::kAvx512, avx512_passes}};

const std::vector<StreamKernel>& declared_kernels() {
  using enum StreamOperation;
  static const std::vector<StreamKernel> declared = {
      {"read", "sum += a", kRead, false, 1, 0, 1},        {"write", "a = s", kWrite, false, 0, 1, 0},
      {"write_nt", "a = s", kWrite, true, 0, 1, 0},       {"copy", "a = b", kCopy, false, 1, 1, 0},
      {"copy_nt", "a = b", kCopy, true, 1, 1, 0},         {"scale", "a = s b", kScale, false, 1, 1, 1},
      {"scale_nt", "a = s b", kScale, true, 1, 1, 1},     {"add", "a = b + c", kAdd, false, 2, 1, 1},
      {"add_nt", "a = b + c", kAdd, true, 2, 1, 1},       {"triad", "a = b + s c", kTriad, false, 2, 1, 2},
      {"triad_nt", "a = b + s c", kTriad, true, 2, 1, 2},
  };
  return declared;
}

std::vector<StreamVariant> variants_of(const StreamKernel& kernel) {
  std::vector<StreamVariant> variants;
  for (const IsaPasses& one : kIsas) {
    if (!runs_here(one.isa)) continue;
    for (const CompiledPass& pass : one.passes()) {
      if (pass.operation != kernel.operation || pass.non_temporal != kernel.non_temporal) continue;
      variants.push_back({one.isa, pass.strands, pass.pass});
    }
  }
  return variants;
}

std::vector<StreamKernel> kernels_with_variants() {
  std::vector<StreamKernel> kernels = declared_kernels();
  for (StreamKernel& kernel : kernels) kernel.variants = variants_of(kernel);
  std::erase_if(kernels, [](const StreamKernel& kernel) { return kernel.variants.empty(); });
  return kernels;
}

const StreamKernel* find_in(const std::vector<StreamKernel>& kernels, std::string_view name) {
  const auto found = std::ranges::find(kernels, name, &StreamKernel::name);
  return found == kernels.end() ? nullptr : &*found;
}

}  // namespace

std::string_view name_of(Isa isa) {
  switch (isa) {
    case Isa::kSse2:
      return "sse2";
    case Isa::kAvx2:
      return "avx2";
    case Isa::kAvx512:
      return "avx512";
    case Isa::kPortable:
      break;
  }
  return "portable";
}

bool runs_here(Isa isa) {
#if defined(__x86_64__)
  if (isa == Isa::kAvx2) return __builtin_cpu_supports("avx2") > 0;
  if (isa == Isa::kAvx512) return __builtin_cpu_supports("avx512f") > 0;
  return true;
#else
  return isa == Isa::kPortable;
#endif
}

const std::vector<StreamKernel>& stream_kernels() {
  static const std::vector<StreamKernel> kernels = kernels_with_variants();
  return kernels;
}

const StreamKernel* find_stream_kernel(std::string_view name) {
  return find_in(stream_kernels(), name);
}

const StreamKernel* with_non_temporal_stores(std::string_view name, const std::vector<StreamKernel>& among) {
  const StreamKernel* const kernel = find_in(among, std::string(name) + "_nt");
  return kernel != nullptr ? kernel : find_in(among, name);
}

void drain_stores() {
#if defined(__x86_64__)
  _mm_sfence();
#else
  std::atomic_thread_fence(std::memory_order_seq_cst);
#endif
}

}  // namespace groma
