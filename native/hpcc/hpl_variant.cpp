#include "hpcc/hpl_variant.hpp"

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

}  // namespace groma::hpcc::hpl
