// The strategies of the error study, compiled with faulty updates.
#include "randomaccess/errors/strategy.hpp"
#include "testing/mutants/every_fault.hpp"

namespace groma::randomaccess {
namespace {

class Strategies : public EveryFault {};
INSTANTIATE_TEST_SUITE_P(Faults, Strategies, ::testing::ValuesIn(kFaults));

TEST_P(Strategies, AreFoundToBeFaulty) {
  for (const std::string name : {"serial", "owner", "unsynchronised", "atomic", "locks:16"}) {
    const std::uint64_t threads = name == "owner" ? 2 : 1;  // the faulty updates are no atomic ones
    const MutatedTable table;
    const SharedTable shared{table.words, Generator::kPolynomial, threads};
    const ApplySection apply = strategy_named(name).value().on(shared);
    apply(kMutatedSection);
    expect_found(count_wrong_words(table.words, shared.generator, kMutatedSection), name);
  }
}

}  // namespace
}  // namespace groma::randomaccess
