#include "hpcc/hpl/variant.hpp"

namespace groma::hpcc::hpl {

std::vector<SummaryEntry> case_entries(const HplCase& one) {
  const HplMethod& method = one.method;
  return {
      entry("HPL_N", one.n),
      entry("HPL_NB", one.nb),
      entry("HPL_nprow", std::int64_t{one.grid.rows}),
      entry("HPL_npcol", std::int64_t{one.grid.columns}),
      entry("HPL_depth", std::int64_t{method.look_ahead}),
      entry("HPL_nbdiv", method.recursion_parts),
      entry("HPL_nbmin", method.recursion_stop),
      {"HPL_cpfact", std::string(1, letter_of(method.panel))},
      {"HPL_crfact", std::string(1, letter_of(method.recursion))},
      entry("HPL_ctop", static_cast<std::int64_t>(method.broadcast)),
      {"HPL_order", one.order == RankOrder::kRowMajor ? "R" : "C"},
  };
}

}  // namespace groma::hpcc::hpl
