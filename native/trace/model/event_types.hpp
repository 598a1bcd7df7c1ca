// Numbers of event types that mean something to groma.
#pragma once

#include <cstddef>
#include <cstdint>

namespace groma::trace {

constexpr std::uint32_t kFirstCallType = 50000001;
constexpr std::uint32_t kLastCallType = 50000005;
constexpr std::uint32_t kCollectiveType = 50000002;
constexpr std::uint32_t kApplicationType = 40000001;

constexpr bool is_call(std::uint32_t type) {
  return type >= kFirstCallType && type <= kLastCallType;
}
/// The form of a call for large counts has a value that much greater.
constexpr std::uint32_t kLargeCount = 1000;
/// Whether a collective ends when its data is there. What others receive arrives in no call that is known.
constexpr bool is_blocking_collective(std::uint32_t type, std::uint64_t value) {
  if (type != kCollectiveType) return false;
  switch (value % kLargeCount) {
    case 30:   // MPI_Scan
    case 80:   // MPI_Reduce_scatter
    case 168:  // MPI_Reduce_scatter_block
    case 170:  // MPI_Alltoallw
    case 174:  // the neighbourhood collectives
    case 176:
    case 178:
    case 180:
    case 182:
    case 214:  // MPI_Exscan
      return true;
    default:  // MPI_Bcast to MPI_Allgatherv
      return value % kLargeCount >= 7 && value % kLargeCount <= 18;
  }
}
/// Beside the begin of a collective: bytes that this rank sends and receives, 1 at its root, and the number
/// of its communicator in the application.
constexpr std::uint32_t kSentBytesType = 50100001;
constexpr std::uint32_t kReceivedBytesType = 50100002;
constexpr std::uint32_t kRootType = 50100003;
constexpr std::uint32_t kCommunicatorType = 50100004;
/// The function and the line that call, beside the begin of a call.
constexpr std::uint32_t kCallerType = 70000001;
constexpr std::uint32_t kCallerLineType = 80000001;
/// Of groma's tracer, at the begin of each thread: what recording a call costs, the part of it that counts as
/// time of the call, and a bound of the error that is left in the times of its host.
constexpr std::uint32_t kCallCostType = 91000001;
constexpr std::uint32_t kCallCostInsideType = 91000002;
constexpr std::uint32_t kClockErrorType = 91000003;
/// Calls that got nothing, and their time, kind by kind: differences to the event before.
constexpr std::uint32_t kFirstMissType = 50000300;
constexpr std::uint32_t kLastMissType = 50000307;
constexpr bool is_counter(std::uint32_t type) {
  return (type >= kFirstMissType && type <= kLastMissType) || (type >= 42000000 && type < 45000000) ||
         (type >= 41100000 && type < 41200000);
}
/// User functions of Extrae, and their lines: 0 ends the innermost, and what is around it goes on.
constexpr bool nests(std::uint32_t type) {
  return type == 60000019 || type == 60000119;
}
/// Functions of one thread that are open in each other; of more the outermost are forgotten.
constexpr std::size_t kDeepestNest = 4096;
/// Regions of groma, user functions and OpenMP of Extrae: but for those that nest, the value holds until the
/// next one.
constexpr bool is_region(std::uint32_t type) {
  return type == 90000000 || (type >= 60000000 && type < 60000100) || type == 60000119;
}
constexpr bool is_user_region(std::uint32_t type) {
  return type == 90000000 || type == 60000019;
}

}  // namespace groma::trace
