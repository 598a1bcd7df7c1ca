#include "trace/merge/counter_types.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstring>
#include <string>

namespace groma::trace {
namespace {

constexpr std::uint32_t kPresets = 42000000;
constexpr std::uint32_t kNative = 44000000;
constexpr std::uint32_t kNativeNumbers = 1000000;

/// The presets in the order of their numbers (PAPI's header of standard events).
constexpr auto kPresetNames = std::to_array<std::string_view>({
    "L1_DCM",  "L1_ICM",  "L2_DCM",  "L2_ICM",  "L3_DCM",  "L3_ICM",  "L1_TCM",  "L2_TCM",  "L3_TCM",
    "CA_SNP",  "CA_SHR",  "CA_CLN",  "CA_INV",  "CA_ITV",  "L3_LDM",  "L3_STM",  "BRU_IDL", "FXU_IDL",
    "FPU_IDL", "LSU_IDL", "TLB_DM",  "TLB_IM",  "TLB_TL",  "L1_LDM",  "L1_STM",  "L2_LDM",  "L2_STM",
    "BTAC_M",  "PRF_DM",  "L3_DCH",  "TLB_SD",  "CSR_FAL", "CSR_SUC", "CSR_TOT", "MEM_SCY", "MEM_RCY",
    "MEM_WCY", "STL_ICY", "FUL_ICY", "STL_CCY", "FUL_CCY", "HW_INT",  "BR_UCN",  "BR_CN",   "BR_TKN",
    "BR_NTK",  "BR_MSP",  "BR_PRC",  "FMA_INS", "TOT_IIS", "TOT_INS", "INT_INS", "FP_INS",  "LD_INS",
    "SR_INS",  "BR_INS",  "VEC_INS", "RES_STL", "FP_STAL", "TOT_CYC", "LST_INS", "SYC_INS",
});

struct PresetAlias {
  std::string_view event;
  std::string_view preset;
};
constexpr auto kPresetAliases = std::to_array<PresetAlias>({
    {"instructions", "TOT_INS"},
    {"cycles", "TOT_CYC"},
    {"cpu-cycles", "TOT_CYC"},
    {"branches", "BR_INS"},
    {"branch-instructions", "BR_INS"},
    {"branch-misses", "BR_MSP"},
    {"cache-misses", "L3_TCM"},
    {"L1-dcache-load-misses", "L1_LDM"},
    {"LLC-load-misses", "L3_LDM"},
    {"dTLB-load-misses", "TLB_DM"},
    {"iTLB-load-misses", "TLB_IM"},
});

/// What the kernel counts by itself: PAPI calls it perf::NAME.
constexpr auto kSoftware = std::to_array<std::string_view>(
    {"task-clock", "cpu-clock", "page-faults", "minor-faults", "major-faults", "context-switches",
     "cpu-migrations", "alignment-faults", "emulation-faults", "cgroup-switches"});

/// MurmurHash2 with seed 0 (public domain, A. Appleby).
std::uint32_t hash_of(std::string_view text) {
  constexpr std::uint32_t factor = 0x5bd1e995;
  auto hash = static_cast<std::uint32_t>(text.size());
  for (; text.size() >= 4; text.remove_prefix(4)) {
    std::uint32_t word = 0;
    std::memcpy(&word, text.data(), 4);
    word *= factor;
    word ^= word >> 24U;
    hash = hash * factor ^ word * factor;
  }
  if (!text.empty()) {
    std::uint32_t word = 0;
    std::memcpy(&word, text.data(), text.size());
    hash = (hash ^ word) * factor;
  }
  hash = (hash ^ hash >> 13U) * factor;
  return hash ^ hash >> 15U;
}

std::uint32_t native_type(std::string_view name) {
  return kNative + hash_of(name) % kNativeNumbers;
}

std::string upper(std::string_view text) {
  std::string made(text);
  std::ranges::transform(made, made.begin(), [](unsigned char one) { return std::toupper(one); });
  return made;
}

}  // namespace

std::uint32_t counter_type(std::string_view event) {
  std::string_view name = event;
  if (name.starts_with("papi:")) name.remove_prefix(5);
  const auto same = std::ranges::find(kPresetAliases, name, &PresetAlias::event);
  if (same != kPresetAliases.end()) name = same->preset;
  std::string_view preset = name;
  if (preset.starts_with("PAPI_")) preset.remove_prefix(5);
  const auto* const found = std::ranges::find(kPresetNames, preset);
  if (found != kPresetNames.end()) return kPresets + static_cast<std::uint32_t>(found - kPresetNames.begin());
  if (std::ranges::find(kSoftware, name) != kSoftware.end()) return native_type("perf::" + upper(name));
  return native_type(name);
}

}  // namespace groma::trace
