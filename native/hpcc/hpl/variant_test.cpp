#include "hpcc/hpl/variant.hpp"

#include <gtest/gtest.h>

#include "testing/one_thread.hpp"

ALL_ON_ONE_THREAD;

namespace groma::hpcc::hpl {
namespace {

TEST(Variant, NamesEveryKeyOfTheSummary) {
  const HplCase one{.n = 6000, .nb = 192, .grid = {1, 2}, .order = RankOrder::kRowMajor, .method = {}};
  std::string text;
  for (const SummaryEntry& entry : case_entries(one)) text += entry.key + "=" + entry.value + " ";
  EXPECT_EQ(text,
            "HPL_N=6000 HPL_NB=192 HPL_nprow=1 HPL_npcol=2 HPL_depth=1 HPL_nbdiv=2 HPL_nbmin=4 HPL_cpfact=R "
            "HPL_crfact=C HPL_ctop=1 HPL_order=R ");
}

}  // namespace
}  // namespace groma::hpcc::hpl
