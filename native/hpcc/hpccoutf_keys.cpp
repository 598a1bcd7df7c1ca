#include "hpcc/hpccoutf_keys.hpp"

#include <array>
#include <charconv>
#include <cstddef>
#include <limits>

namespace groma::hpcc {
namespace {

// -1 where a test did not run, as the suite initialises its results; it leaves those of the local LCG tests
// uninitialised, which is not imitated.
constexpr std::array kKeys = std::to_array<SummaryKey>({
    {"VersionMajor", "1"},
    {"VersionMinor", "5"},
    {"VersionMicro", "0"},
    {"VersionRelease", "f"},
    {"LANG", "C"},
    {"Success", "0"},
    {"sizeof_char", "-1"},
    {"sizeof_short", "-1"},
    {"sizeof_int", "-1"},
    {"sizeof_long", "-1"},
    {"sizeof_void_ptr", "-1"},
    {"sizeof_size_t", "-1"},
    {"sizeof_float", "-1"},
    {"sizeof_double", "-1"},
    {"sizeof_s64Int", "-1"},
    {"sizeof_u64Int", "-1"},
    {"sizeof_struct_double_double", "-1"},
    {"CommWorldProcs", "-1"},
    {"MPI_Wtick", "-1"},
    {"HPL_Tflops", "-1"},
    {"HPL_time", "-1"},
    {"HPL_eps", "-1"},
    {"HPL_RnormI", "-1"},
    {"HPL_Anorm1", "-1"},
    {"HPL_AnormI", "-1"},
    {"HPL_Xnorm1", "-1"},
    {"HPL_XnormI", "-1"},
    {"HPL_BnormI", "-1"},
    {"HPL_N", "-1"},
    {"HPL_NB", "-1"},
    {"HPL_nprow", "-1"},
    {"HPL_npcol", "-1"},
    {"HPL_depth", "-1"},
    {"HPL_nbdiv", "-1"},
    {"HPL_nbmin", "-1"},
    {"HPL_cpfact", "-"},
    {"HPL_crfact", "-"},
    {"HPL_ctop", "-"},
    {"HPL_order", "-"},
    {"HPL_dMACH_EPS", "-1"},
    {"HPL_dMACH_SFMIN", "-1"},
    {"HPL_dMACH_BASE", "-1"},
    {"HPL_dMACH_PREC", "-1"},
    {"HPL_dMACH_MLEN", "-1"},
    {"HPL_dMACH_RND", "-1"},
    {"HPL_dMACH_EMIN", "-1"},
    {"HPL_dMACH_RMIN", "-1"},
    {"HPL_dMACH_EMAX", "-1"},
    {"HPL_dMACH_RMAX", "-1"},
    {"HPL_sMACH_EPS", "-1"},
    {"HPL_sMACH_SFMIN", "-1"},
    {"HPL_sMACH_BASE", "-1"},
    {"HPL_sMACH_PREC", "-1"},
    {"HPL_sMACH_MLEN", "-1"},
    {"HPL_sMACH_RND", "-1"},
    {"HPL_sMACH_EMIN", "-1"},
    {"HPL_sMACH_RMIN", "-1"},
    {"HPL_sMACH_EMAX", "-1"},
    {"HPL_sMACH_RMAX", "-1"},
    {"dweps", "-1"},
    {"sweps", "-1"},
    {"HPLMaxProcs", "-1"},
    {"HPLMinProcs", "-1"},
    {"DGEMM_N", "-1"},
    {"StarDGEMM_Gflops", "-1"},
    {"SingleDGEMM_Gflops", "-1"},
    {"PTRANS_GBs", "-1"},
    {"PTRANS_time", "-1"},
    {"PTRANS_residual", "-1"},
    {"PTRANS_n", "-1"},
    {"PTRANS_nb", "-1"},
    {"PTRANS_nprow", "-1"},
    {"PTRANS_npcol", "-1"},
    {"MPIRandomAccess_LCG_N", "-1"},
    {"MPIRandomAccess_LCG_time", "-1"},
    {"MPIRandomAccess_LCG_CheckTime", "-1"},
    {"MPIRandomAccess_LCG_Errors", "-1"},
    {"MPIRandomAccess_LCG_ErrorsFraction", "-1"},
    {"MPIRandomAccess_LCG_ExeUpdates", "-1"},
    {"MPIRandomAccess_LCG_GUPs", "-1"},
    {"MPIRandomAccess_LCG_TimeBound", "-1"},
    {"MPIRandomAccess_LCG_Algorithm", "-1"},
    {"MPIRandomAccess_N", "-1"},
    {"MPIRandomAccess_time", "-1"},
    {"MPIRandomAccess_CheckTime", "-1"},
    {"MPIRandomAccess_Errors", "-1"},
    {"MPIRandomAccess_ErrorsFraction", "-1"},
    {"MPIRandomAccess_ExeUpdates", "-1"},
    {"MPIRandomAccess_GUPs", "-1"},
    {"MPIRandomAccess_TimeBound", "-1"},
    {"MPIRandomAccess_Algorithm", "-1"},
    {"RandomAccess_LCG_N", "-1"},
    {"StarRandomAccess_LCG_GUPs", "-1"},
    {"SingleRandomAccess_LCG_GUPs", "-1"},
    {"RandomAccess_N", "-1"},
    {"StarRandomAccess_GUPs", "-1"},
    {"SingleRandomAccess_GUPs", "-1"},
    {"STREAM_VectorSize", "-1"},
    {"STREAM_Threads", "1"},
    {"StarSTREAM_Copy", "-1"},
    {"StarSTREAM_Scale", "-1"},
    {"StarSTREAM_Add", "-1"},
    {"StarSTREAM_Triad", "-1"},
    {"SingleSTREAM_Copy", "-1"},
    {"SingleSTREAM_Scale", "-1"},
    {"SingleSTREAM_Add", "-1"},
    {"SingleSTREAM_Triad", "-1"},
    {"FFT_N", "-1"},
    {"StarFFT_Gflops", "-1"},
    {"SingleFFT_Gflops", "-1"},
    {"MPIFFT_N", "-1"},
    {"MPIFFT_Gflops", "-1"},
    {"MPIFFT_maxErr", "-1"},
    {"MPIFFT_Procs", "-1"},
    {"MaxPingPongLatency_usec", "-1"},
    {"RandomlyOrderedRingLatency_usec", "-1"},
    {"MinPingPongBandwidth_GBytes", "-1"},
    {"NaturallyOrderedRingBandwidth_GBytes", "-1"},
    {"RandomlyOrderedRingBandwidth_GBytes", "-1"},
    {"MinPingPongLatency_usec", "-1"},
    {"AvgPingPongLatency_usec", "-1"},
    {"MaxPingPongBandwidth_GBytes", "-1"},
    {"AvgPingPongBandwidth_GBytes", "-1"},
    {"NaturallyOrderedRingLatency_usec", "-1"},
    {"FFTEnblk", "-1"},
    {"FFTEnp", "-1"},
    {"FFTEl2size", "-1"},
    {"M_OPENMP", "-1"},
    {"omp_get_num_threads", "0"},
    {"omp_get_max_threads", "0"},
    {"omp_get_num_procs", "0"},
    {"MemProc", "-1"},
    {"MemSpec", "-1"},
    {"MemVal", "-1"},
    {"MPIFFT_time0", "0"},
    {"MPIFFT_time1", "0"},
    {"MPIFFT_time2", "0"},
    {"MPIFFT_time3", "0"},
    {"MPIFFT_time4", "0"},
    {"MPIFFT_time5", "0"},
    {"MPIFFT_time6", "0"},
    {"CPS_HPCC_FFT_235", "0"},
    {"CPS_HPCC_FFTW_ESTIMATE", "0"},
    {"CPS_HPCC_MEMALLCTR", "0"},
    {"CPS_HPL_USE_GETPROCESSTIMES", "0"},
    {"CPS_RA_SANDIA_NOPT", "0"},
    {"CPS_RA_SANDIA_OPT2", "0"},
    {"CPS_USING_FFTW", "0"},
});
static_assert(kKeys.size() == 148);

SummaryEntry size_entry(std::string_view key, std::size_t size) {
  return entry(key, std::uint64_t{size});
}

/// EPS is half the distance from 1 to the next number (rounding), EMIN and EMAX count with a fraction
/// below 1.
template <class Real>
void add_constants(const std::string& prefix, std::vector<SummaryEntry>& to) {
  using Limits = std::numeric_limits<Real>;
  const auto add = [&](std::string_view name, double value) {
    to.push_back(exponent_entry(prefix + std::string(name), value));
  };
  add("EPS", Limits::epsilon() / 2);
  add("SFMIN", Limits::min());
  add("BASE", Limits::radix);
  add("PREC", Limits::epsilon());
  add("MLEN", Limits::digits);
  add("RND", Limits::round_style == std::round_to_nearest ? 1.0 : 0.0);
  add("EMIN", Limits::min_exponent);
  add("RMIN", Limits::min());
  add("EMAX", Limits::max_exponent);
  add("RMAX", Limits::max());
}

}  // namespace

const std::vector<SummaryKey>& summary_keys() {
  static const std::vector<SummaryKey> keys(kKeys.begin(), kKeys.end());
  return keys;
}

SummaryEntry exponent_entry(std::string_view key, double value) {
  std::array<char, 32> text{};
  const auto end =
      std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::scientific, 6).ptr;
  return {std::string(key), std::string(text.data(), end)};
}

std::vector<SummaryEntry> arithmetic_entries() {
  std::vector<SummaryEntry> entries;
  add_constants<double>("HPL_dMACH_", entries);
  add_constants<float>("HPL_sMACH_", entries);
  entries.push_back(exponent_entry("dweps", std::numeric_limits<double>::epsilon() / 2));
  entries.push_back(exponent_entry("sweps", std::numeric_limits<float>::epsilon() / 2));
  return entries;
}

std::vector<SummaryEntry> type_entries() {
  struct Pair {
    double real;
    double imaginary;
  };
  return {
      size_entry("sizeof_char", sizeof(char)),
      size_entry("sizeof_short", sizeof(short)),
      size_entry("sizeof_int", sizeof(int)),
      size_entry("sizeof_long", sizeof(long)),
      size_entry("sizeof_void_ptr", sizeof(void*)),
      size_entry("sizeof_size_t", sizeof(std::size_t)),
      size_entry("sizeof_float", sizeof(float)),
      size_entry("sizeof_double", sizeof(double)),
      size_entry("sizeof_s64Int", sizeof(std::int64_t)),
      size_entry("sizeof_u64Int", sizeof(std::uint64_t)),
      size_entry("sizeof_struct_double_double", sizeof(Pair)),
  };
}

}  // namespace groma::hpcc
