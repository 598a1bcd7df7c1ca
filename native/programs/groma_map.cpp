// groma-map: finds places for ranks so that much traffic goes short ways.
//   groma-map [solve] <problem     groma-map build | help
#include <iostream>

#include "base/build_info.hpp"
#include "base/exit_code.hpp"
#include "base/standard_input.hpp"
#include "base/standard_output.hpp"
#include "map/problem.hpp"

namespace {

using namespace groma;

int refuse(const Error& error) {
  std::cerr << "groma-map: " << error.what << "\n  " << error.next << '\n';
  return code_of(error);
}

int solve() {
  const auto text = all_input();
  if (!text) return refuse(text.error());
  const auto problem = map::parse_problem(text.value());
  if (!problem) return refuse(problem.error());
  std::cout << to_json(map::solve(problem.value())).text() << '\n';
  return kOk;
}

int help() {
  std::cout << "usage: groma-map [solve] <problem\n"
               "       groma-map build | help\n\n"
               "A problem is lines of text:\n"
               "  places torus 4 4 4          or: mesh 4 4, tree 2 4 8 [costs 6 4 2], matrix N and N rows\n"
               "  allowed PLACE…              places that may be used (default: all)\n"
               "  ranks COUNT                 (default: as many as traffic names)\n"
               "  traffic SOURCE TARGET BYTES one line for each pair\n"
               "  start PLACE…                a mapping to begin with, the place of rank 0 first\n"
               "  objective hop-bytes         or: congestion\n"
               "  seed NUMBER\n";
  return kOk;
}

int dispatch(const std::string& verb) {
  if (verb == "solve") return solve();
  if (verb == "help" || verb == "--help") return help();
  if (verb != "build") return refuse({"usage", "unknown word " + verb, "groma-map help lists them"});
  std::cout << build_info().text() << '\n';
  return kOk;
}

}  // namespace

int main(int argc, char** argv) {  // NOLINT(bugprone-exception-escape): only the report of one could throw
  try {
    return delivered(dispatch(argc > 1 ? argv[1] : "solve"), "groma-map");
  } catch (const std::exception& problem) {
    return refuse({"memory", problem.what(), "map fewer ranks"});
  }
}
