#include "survey/network/buffers.hpp"

#include <array>
#include <cstdio>
#include <string_view>
#include <utility>

namespace groma::survey::network {
namespace {

constexpr std::uint64_t kPage = 4096;

Status fits(const Context& context, std::uint64_t bytes, std::size_t count, std::uint64_t stride) {
  // By division: the product of what a user may ask for need not fit.
  if (bytes < context.memory.value() && stride <= context.memory.value() / count) return Done{};
  return Error{"memory",
               std::to_string(count) + " messages of " + bytes_text(bytes) + " do not fit in the " +
                   bytes_text(context.memory.value()) + " that each rank may use",
               "give a smaller --message"};
}

}  // namespace

std::string bytes_text(std::uint64_t bytes) {
  constexpr std::array<std::string_view, 5> kUnits = {"KiB", "MiB", "GiB", "TiB", "PiB"};
  if (bytes < 10'000) return std::to_string(bytes) + " bytes";
  double amount = static_cast<double>(bytes) / 1024.0;
  std::size_t unit = 0;
  while (amount >= 1000.0 && unit + 1 < kUnits.size()) {
    amount /= 1024.0;
    ++unit;
  }
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.3g ", amount);
  return std::string(text.data()) + std::string(kUnits[unit]);
}

Result<Buffers> Buffers::make(const Context& context, std::uint64_t bytes, std::size_t count) {
  const std::uint64_t stride = (bytes / kPage + 1) * kPage;
  Status status = context.world.agree(fits(context, bytes, count, stride));
  if (!status) return status.error();
  Result<Block> block = Block::map(Bytes(stride * count), PageMode::kHuge);
  status = context.world.agree(block ? Status(Done{}) : Status(block.error()));
  if (!status) return status.error();
  return Buffers(std::move(block).value(), stride);
}

void Buffers::prepare(std::uint64_t bytes) {
  if (bytes <= touched_) return;
  for (std::size_t begin = 0; begin < block_.size(); begin += stride_) {
    block_.touch(begin + touched_, begin + bytes);
  }
  touched_ = bytes;
}

}  // namespace groma::survey::network
