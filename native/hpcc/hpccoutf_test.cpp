#include "hpcc/hpccoutf.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <sstream>

#include "hpcc/hpccoutf_keys.hpp"
#include "testing/one_thread.hpp"

ALL_ON_ONE_THREAD;

namespace groma::hpcc {
namespace {

RunFacts facts() {
  RunFacts of;
  of.ranks = 2;
  of.clock_tick = Seconds(1e-9);
  of.started = 1795290679;
  of.ended = 1795290682;
  return of;
}

Plan plan() {
  Plan of;
  of.ranks = 2;
  of.hpl = {{.n = 600, .nb = 64, .grid = {1, 2}, .method = {}},
            {.n = 600, .nb = 64, .grid = {1, 1}, .method = {}}};
  return of;
}

SuiteResult with_dgemm(double residual) {
  BenchmarkResult ran;
  ran.name = "dgemm";
  ran.outcome.checks = {{"DGEMM residual", residual, 16.0}};
  ran.outcome.summary = {entry("DGEMM_N", std::uint64_t{244}), entry("StarDGEMM_Gflops", 41.5)};
  ran.figures = {{"dgemm", "star", "flop/s", {{40e9, 43e9}}}, {"dgemm", "single", "flop/s", {{47.5e9}}}};
  SuiteResult result;
  result.ran.push_back(ran);
  return result;
}

/// As any script reads the file: every line with an equals sign.
std::map<std::string, std::string> keys_of(const std::string& text) {
  std::map<std::string, std::string> keys;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const auto equals = line.find('=');
    if (equals != std::string::npos) keys[line.substr(0, equals)] = line.substr(equals + 1);
  }
  return keys;
}

TEST(Hpccoutf, HasEveryKeyOnceInItsPlace) {
  const auto summary = summary_of(facts(), plan(), {});
  ASSERT_EQ(summary.size(), 148U);
  EXPECT_EQ(summary.front().key, "VersionMajor");
  EXPECT_EQ(summary[5].key, "Success");
  EXPECT_EQ(summary[17].key, "CommWorldProcs");
  EXPECT_EQ(summary[19].key, "HPL_Tflops");
  EXPECT_EQ(summary.back().key, "CPS_USING_FFTW");
  std::set<std::string> names;
  for (const SummaryEntry& one : summary) names.insert(one.key);
  EXPECT_EQ(names.size(), 148U);
}

TEST(Hpccoutf, SaysMinusOneForWhatDidNotRun) {
  auto keys = keys_of(hpccoutf_text(facts(), plan(), {}));
  EXPECT_EQ(keys["HPL_Tflops"], "-1");
  EXPECT_EQ(keys["SingleRandomAccess_LCG_GUPs"], "-1");
  EXPECT_EQ(keys["HPL_cpfact"], "-");
  EXPECT_EQ(keys["HPLMaxProcs"], "2");
  EXPECT_EQ(keys["HPLMinProcs"], "1");
}

TEST(Hpccoutf, TakesTheValuesOfBenchmarksAndOfTheRun) {
  auto keys = keys_of(hpccoutf_text(facts(), plan(), with_dgemm(0.01)));
  EXPECT_EQ(keys["Success"], "1");
  EXPECT_EQ(keys["DGEMM_N"], "244");
  EXPECT_EQ(keys["StarDGEMM_Gflops"], "41.5");
  EXPECT_EQ(keys["CommWorldProcs"], "2");
  EXPECT_EQ(keys["MPI_Wtick"], "1.000000e-09");
}

TEST(Hpccoutf, KeepsKeysBeyondThe148BehindThem) {
  SuiteResult result = with_dgemm(0.01);
  result.ran[0].outcome.summary.push_back({"FFT_API", "FFTW3"});
  const auto summary = summary_of(facts(), plan(), result);
  ASSERT_EQ(summary.size(), 149U);
  EXPECT_EQ(summary.back().key, "FFT_API");
}

TEST(Hpccoutf, FailsWithAFailedCheckAnInterruptionOrAnError) {
  EXPECT_EQ(keys_of(hpccoutf_text(facts(), plan(), with_dgemm(17.0)))["Success"], "0");
  EXPECT_EQ(keys_of(hpccoutf_text(facts(), plan(), with_dgemm(std::nan(""))))["Success"], "0");
  SuiteResult interrupted = with_dgemm(0.01);
  interrupted.interrupted = true;
  EXPECT_EQ(keys_of(hpccoutf_text(facts(), plan(), interrupted))["Success"], "0");
  SuiteResult failed = with_dgemm(0.01);
  failed.failure = Error{"memory", "none left", "take less"};
  EXPECT_EQ(keys_of(hpccoutf_text(facts(), plan(), failed))["Success"], "0");
}

/// What HPCC 1.5.0 prints on the same kind of machine.
TEST(Hpccoutf, KnowsTheArithmeticOfThisMachine) {
  std::map<std::string, std::string> keys;
  for (const SummaryEntry& one : arithmetic_entries()) keys[one.key] = one.value;
  EXPECT_EQ(keys.size(), 22U);
  EXPECT_EQ(keys["HPL_dMACH_EPS"], "1.110223e-16");
  EXPECT_EQ(keys["HPL_dMACH_SFMIN"], "2.225074e-308");
  EXPECT_EQ(keys["HPL_dMACH_EMIN"], "-1.021000e+03");
  EXPECT_EQ(keys["HPL_dMACH_RMAX"], "1.797693e+308");
  EXPECT_EQ(keys["HPL_sMACH_PREC"], "1.192093e-07");
  EXPECT_EQ(keys["HPL_sMACH_MLEN"], "2.400000e+01");
  EXPECT_EQ(keys["sweps"], "5.960464e-08");
}

TEST(Hpccoutf, HasTheMarksThatReadersLookFor) {
  const std::string text = hpccoutf_text(facts(), plan(), with_dgemm(0.01));
  for (const std::string mark :
       {"This is the DARPA/DOE HPC Challenge Benchmark version 1.5.0 October 2012\n",
        "\nCurrent time (1795290679) is ", "\nHostname: ''\n", "\nBegin of StarDGEMM section.\n",
        "\nMinimum Gflop/s 40.000000\n", "\nAverage Gflop/s 41.500000\n", "\nEnd of StarDGEMM section.\n",
        "\nSingle DGEMM Gflop/s 47.500000\n", "\nBegin of Summary section.\n", "\nEnd of Summary section.\n",
        "\nEnd of HPC Challenge tests.\n", "\nN      :     600 \n", "\nP      :       1        1 \n",
        "\nQ      :       2        1 \n"}) {
    EXPECT_NE(text.find(mark), std::string::npos) << mark;
  }
}

TEST(Hpccoutf, SaysHowARunWasSizedByMemory) {
  Plan sized = plan();
  sized.sized_by = Bytes(std::uint64_t{1} << 30U);
  auto keys = keys_of(hpccoutf_text(facts(), sized, {}));
  EXPECT_EQ(keys["MemVal"], "1024");
  EXPECT_EQ(keys["MemProc"], "512");
  EXPECT_EQ(keys["MemSpec"], "1");
}

}  // namespace
}  // namespace groma::hpcc
