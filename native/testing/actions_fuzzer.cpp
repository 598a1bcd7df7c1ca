// Any bytes as a time-independent trace. testing/fuzz_main.cpp or libFuzzer calls it.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "sim/torus/messages/trace_text.hpp"
#include "testing/fuzz_seeds.hpp"

/// Two ranks with each kind of action.
std::vector<std::string> groma::test::fuzz_seeds() {
  std::string text = "# a remark\ncommunicator 1 0-1\n";
  for (const std::string action : {"init 1",
                                   "comm_split",
                                   "compute 1e6",
                                   "sleep 0.001",
                                   "location file.c 3",
                                   "isend 1 5 100 26",
                                   "irecv 0 -444 100 -1",
                                   "wait 0 1 5",
                                   "test 0 1 5",
                                   "waitany 1",
                                   "waitall 2",
                                   "sendRecv 10 1 10 0 3 3",
                                   "barrier @1",
                                   "bcast 5 0 -1",
                                   "ireduce 5 10 1 2 @1",
                                   "wait -333 -333 -779",
                                   "iallreduce 5 10 1",
                                   "waitcollective",
                                   "scan 5 10 1",
                                   "gather 5 5 0 1 1",
                                   "scatter 5 18446744073709551615 0 -1 1",
                                   "allgather 5 5 1 1",
                                   "alltoall 5 5 1 1",
                                   "gatherv 5 5 5 0 1 1",
                                   "scatterv 5 5 5 0 1 1",
                                   "allgatherv 5 5 5 1 1 0 100",
                                   "reducescatter 5 5 10 1",
                                   "alltoallv 10 5 5 10 5 5 1 1",
                                   "finalize"}) {
    text += "0 " + action + "\n1 " + action + "\n";
  }
  return {text};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t length) {
  using namespace groma::sim::torus;
  const std::string text(reinterpret_cast<const char*>(bytes), length);
  const auto programs = read_trace({{"", text}}, {.places = 64});
  const bool one_line = !programs && programs.error().what.find('\n') == std::string::npos;
  if (!programs && !one_line) std::abort();
  return 0;
}
