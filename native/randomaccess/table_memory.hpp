// Memory for the words of a rank: its own, or a part of what the ranks of its node share.
#pragma once

#include <optional>
#include <span>

#include "base/pages.hpp"
#include "mpi/shared_parts.hpp"

namespace groma::randomaccess {

class TableMemory {
 public:
  /// Collective over `world`; an error is the same on all ranks. A table of the node is shared, unless the
  /// node has one rank: huge pages are had for private memory only on most systems.
  static Result<TableMemory> allocate(const mpi::Communicator& world, const mpi::Communicator& node,
                                      std::uint64_t words, bool of_node);

  [[nodiscard]] std::span<std::uint64_t> words() const { return words_; }
  /// Those of all ranks of the node, in their order; empty where each has memory of its own.
  [[nodiscard]] std::span<std::uint64_t> of_node() const { return of_node_; }

 private:
  Status share(const mpi::Communicator& node, std::uint64_t words);
  Status map(std::uint64_t words);

  std::optional<Block> own_;
  std::optional<mpi::SharedParts> shared_;
  std::span<std::uint64_t> words_;
  std::span<std::uint64_t> of_node_;
};

}  // namespace groma::randomaccess
