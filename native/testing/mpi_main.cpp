// Runs the tests of MPI rooms on every rank. Rank 0 prints all results, the other ranks their failures only.
// A failure on any rank fails all.
#include <gtest/gtest.h>

#include "mpi/communicator.hpp"

namespace {

void print_failures_only() {
  auto& listeners = testing::UnitTest::GetInstance()->listeners();
  class Failures : public testing::EmptyTestEventListener {
    void OnTestPartResult(const testing::TestPartResult& result) override {
      if (result.failed()) {
        fprintf(stderr, "rank %d: %s:%d: %s\n", groma::mpi::Communicator::world().rank(), result.file_name(),
                result.line_number(), result.message());
      }
    }
  };
  delete listeners.Release(listeners.default_result_printer());
  listeners.Append(new Failures);
}

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  const groma::mpi::Session session(argc, argv);
  const auto world = groma::mpi::Communicator::world();
  if (!world.is_root()) print_failures_only();
  return world.reduce_to_all(std::int32_t{RUN_ALL_TESTS()}, groma::mpi::Reduction::kMax);
}
