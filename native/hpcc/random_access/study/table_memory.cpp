#include "hpcc/random_access/study/table_memory.hpp"

#include <utility>

namespace groma::hpcc::random_access {

Result<TableMemory> TableMemory::allocate(const mpi::Communicator& world, const mpi::Communicator& node,
                                          std::uint64_t words, bool of_node) {
  const Bytes size(words * sizeof(std::uint64_t));
  TableMemory memory;
  const bool shares = of_node && node.size() > 1;
  const Status status = shares ? memory.share(node, size) : memory.map(size);
  memory.words_ = memory.words_.first(status ? words : 0);
  if (const Status agreed = world.agree(status); !agreed) return agreed.error();
  return memory;
}

Status TableMemory::share(const mpi::Communicator& node, Bytes size) {
  auto shared = mpi::SharedParts::allocate(node, size);
  if (!shared) return shared.error();
  words_ = shared.value().of<std::uint64_t>(node.rank());
  shared_ = std::move(shared).value();
  return Done{};
}

Status TableMemory::map(Bytes size) {
  auto block = Block::map(size, PageMode::kHuge);
  if (!block) return block.error();
  words_ = block.value().as<std::uint64_t>();
  own_ = std::move(block).value();
  return Done{};
}

}  // namespace groma::hpcc::random_access
