#include "randomaccess/table_memory.hpp"

#include <numeric>
#include <utility>

namespace groma::randomaccess {

Result<TableMemory> TableMemory::allocate(const mpi::Communicator& world, const mpi::Communicator& node,
                                          std::uint64_t words, bool of_node) {
  TableMemory memory;
  const Status status = of_node && node.size() > 1 ? memory.share(node, words) : memory.map(words);
  if (const Status agreed = world.agree(status); !agreed) return agreed.error();
  return memory;
}

/// All of it belongs to the first rank, so that it has no gaps. The rank that first writes a page places it.
Status TableMemory::share(const mpi::Communicator& node, std::uint64_t words) {
  const auto counts = node.gather_to_all(words);
  const std::uint64_t all = std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
  const std::uint64_t before =
      std::accumulate(counts.begin(), counts.begin() + node.rank(), std::uint64_t{0});
  auto shared = mpi::SharedParts::allocate(node, Bytes(node.is_root() ? all * sizeof(std::uint64_t) : 0));
  if (!shared) return shared.error();
  of_node_ = shared.value().of<std::uint64_t>(0).first(all);
  words_ = of_node_.subspan(before, words);
  shared_ = std::move(shared).value();
  return Done{};
}

Status TableMemory::map(std::uint64_t words) {
  auto block = Block::map(Bytes(words * sizeof(std::uint64_t)), PageMode::kHuge);
  if (!block) return block.error();
  words_ = block.value().as<std::uint64_t>().first(words);
  own_ = std::move(block).value();
  return Done{};
}

}  // namespace groma::randomaccess
