#include "hpcc/hpl/variant.hpp"

namespace groma::hpcc::hpl {

char letter_of(PanelFactorization looking) {
  switch (looking) {
    case PanelFactorization::kLeft:
      return 'L';
    case PanelFactorization::kCrout:
      return 'C';
    default:
      return 'R';
  }
}

std::string variant_code(const HplCase& one) {
  const HplMethod& method = one.method;
  std::string code = "W";
  code += one.order == RankOrder::kRowMajor ? 'R' : 'C';
  code += std::to_string(method.look_ahead);
  code += std::to_string(static_cast<int>(method.broadcast));
  code += letter_of(method.recursion);
  code += std::to_string(method.recursion_parts);
  code += letter_of(method.panel);
  return code + std::to_string(method.recursion_stop);
}

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
