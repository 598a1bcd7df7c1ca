#include "replay/triad.hpp"

#include "base/stream_kernels.hpp"

namespace groma::replay {
namespace {

constexpr double kScalar = 3.0;
constexpr std::size_t kVectors = 3;
constexpr std::size_t kLine = 8;  // doubles: vectors begin on a line of 64 bytes

double second(std::size_t i) {
  return static_cast<double>(i % 1024);
}

double third(std::size_t i) {
  return static_cast<double>(i % 37);
}

}  // namespace

Result<Triad> Triad::make(Bytes size) {
  auto block = Block::map(size, PageMode::kHuge);
  if (!block) return block.error();
  return Triad(std::move(block).value());
}

Triad::Triad(Block memory)
    : memory_(std::move(memory)), elements_(memory_.as<double>().size() / kVectors / kLine * kLine) {
  for (std::size_t i = 0; i < elements_; ++i) {
    vector(0)[i] = 0.0;
    vector(1)[i] = second(i);
    vector(2)[i] = third(i);
  }
}

std::span<double> Triad::vector(std::size_t which) const {
  return memory_.as<double>().subspan(which * elements_, elements_);
}

void Triad::iterate() {
  static const StreamKernel& kernel = *find_stream_kernel("triad");
  const StreamOperands operands{vector(0).data(), vector(1).data(), vector(2).data(), kScalar};
  kernel.variants.back().pass(operands, elements_);
}

std::uint64_t Triad::wrong_elements() const {
  std::uint64_t wrong = 0;
  for (std::size_t i = 0; i < elements_; ++i) {
    wrong += vector(0)[i] == second(i) + kScalar * third(i) ? 0 : 1;
  }
  return wrong;
}

}  // namespace groma::replay
