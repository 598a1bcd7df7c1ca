#include "sim/traced/run_trace.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/json_reader.hpp"
#include "sim/torus/request.hpp"
#include "testing/one_thread.hpp"
#include "trace/paraver/prv_reader.hpp"

namespace groma::sim::traced {
namespace {

using trace::Communication;
using trace::State;

/// Takes a trace apart, and sees that each row is in one state at a time.
class Sums final : public trace::Sink {
 public:
  void begin(const trace::Layout& layout) override {
    duration = layout.duration;
    ends.resize(layout.objects.size());
  }
  void state(const State& state) override {
    EXPECT_EQ(state.begin, ends[state.object]);
    ends[state.object] = state.end;
    times[state.state] += state.end - state.begin;
  }
  void event(const trace::Event& /*event*/) override { ADD_FAILURE(); }
  void communication(const Communication& message) override {
    EXPECT_LE(message.logical_send, message.physical_send);
    EXPECT_LE(message.physical_send, message.physical_receive);
    EXPECT_LE(message.logical_receive, message.physical_receive);
    EXPECT_LE(message.physical_receive, duration);
    ++messages;
    bytes += message.bytes;
  }
  void end(const trace::Names& /*names*/) override {}

  trace::Nanoseconds duration = 0;
  std::vector<trace::Nanoseconds> ends;
  std::map<std::uint32_t, trace::Nanoseconds> times;
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
};

class RunTraceOf : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("groma-run-trace-" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  [[nodiscard]] std::string path(const std::string& name) const { return (folder_ / name).string(); }

  /// Runs what the request asks for, a trace of it included.
  JsonValue run(const std::string& workload, std::size_t threads, const std::string& name) {
    const std::string text =
        R"({"shape":[16,12],"network":{"bytes_per_cycle":0.1,"injection_packets":1,"reception_packets":2},)"
        R"("processor":{"send":150,"receive":{"single":600,"batch":4,"each":330}},"workload":)" +
        workload + R"(,"run":{"threads":)" + std::to_string(threads) + "}}";
    auto request = torus::read_request(text);
    EXPECT_TRUE(request) << (request ? "" : request.error().what);
    torus::Request& asked = request.value();
    auto trace = RunTrace::create({path(name), 1.25, asked.workload->places(), {16, 12}});
    EXPECT_TRUE(trace);
    asked.workload->observe(*trace.value());
    torus::RunOptions options;
    options.threads = asked.threads;
    options.enough_work = asked.workload->enough_work();
    const torus::Outcome outcome = simulate(asked.shape, asked.network, *asked.workload, options).value();
    const auto counts = trace.value()->write(outcome.end.time);
    EXPECT_TRUE(counts);
    counts_ = counts.value();
    end_ = outcome.end;
    results_.push_back(
        std::make_unique<JsonDocument>(read_json(result_of(asked, outcome, 0.0).text()).value()));
    return results_.back()->root();
  }

  [[nodiscard]] std::unique_ptr<Sums> read(const std::string& name) const {
    auto sums = std::make_unique<Sums>();
    const auto report = trace::read_prv(path(name) + ".prv", *sums);
    EXPECT_TRUE(report);
    EXPECT_TRUE(report.value().warnings().empty());
    EXPECT_EQ(report.value().states, counts_.states);
    return sums;
  }

  [[nodiscard]] std::string text_of(const std::string& name) const {
    std::ifstream file(path(name));
    return {std::istreambuf_iterator<char>(file), {}};
  }

  std::filesystem::path folder_;
  RunTrace::Counts counts_;
  torus::Progress end_;
  std::vector<std::unique_ptr<JsonDocument>> results_;
};

constexpr const char* kSingleCore =
    R"({"name":"randomaccess","algorithm":"single-core","own":[90,160,2],"bucket":4,"updates":200})";
constexpr const char* kMultiCore =
    R"({"name":"randomaccess","algorithm":"multi-core","own":[90,95,132],"bucket":4,"updates":200})";
constexpr const char* kHalo = R"({"name":"halo","bytes":3000,"messages":3,"compute":5000})";

TEST_F_ON_ONE_THREAD(RunTraceOf, TellsWhatTheResultTellsOfRandomAccess) {
  for (const char* workload : {kSingleCore, kMultiCore}) {
    const JsonValue result = run(workload, 1, "one");
    const auto sums = read("one");
    EXPECT_EQ(sums->messages, end_.tally.received);
    EXPECT_EQ(sums->bytes, sums->messages * 64);  // four updates and a header
    EXPECT_EQ(sums->messages, counts_.messages);
    EXPECT_EQ(sums->bytes, counts_.bytes);
    double loads = 0.0;
    result.find("loads").for_each_item([&](const JsonValue& load) { loads += load.number().value(); });
    // A step of each core may be cut at the end.
    const double worked = static_cast<double>(sums->times.at(1) + sums->times.at(10) + sums->times.at(11));
    EXPECT_NEAR(worked / (192.0 * static_cast<double>(sums->duration)), loads, 0.01 * loads);
    EXPECT_GT(sums->times.at(9), 0U);
    for (const trace::Nanoseconds end : sums->ends) EXPECT_EQ(end, sums->duration);
  }
}

TEST_F_ON_ONE_THREAD(RunTraceOf, TellsEachMessageOnce) {
  const JsonValue result = run(kHalo, 1, "one");
  const auto sums = read("one");
  EXPECT_EQ(sums->messages, 192U * 4 * 3);
  EXPECT_EQ(static_cast<double>(sums->bytes), result.find("message_bytes").number().value());
  EXPECT_NEAR(static_cast<double>(sums->times.at(1)), 192 * 3 * 5000 * 1.25, 192 * 3.0);
  EXPECT_GT(sums->times.at(3), 0U);
}

TEST_F_ON_ONE_THREAD(RunTraceOf, TellsEachPacketOfTrafficOnce) {
  for (const char* workload : {R"({"name":"uniform","packets":5})", R"({"name":"all-to-all","bytes":40})",
                               R"({"name":"two-phase","bytes":40})"}) {
    run(workload, 1, "one");
    const auto sums = read("one");
    EXPECT_EQ(sums->messages, end_.tally.received);
    EXPECT_EQ(static_cast<double>(sums->bytes), static_cast<double>(end_.tally.bytes));
    const double send = 150 * 1.25 * static_cast<double>(end_.tally.injected);
    EXPECT_NEAR(static_cast<double>(sums->times.at(10)), send, 0.01 * send);
    EXPECT_GT(sums->times.at(9), 0U);
  }
}

TEST_F(RunTraceOf, HasTheSameBytesWithTwoThreads) {
  // Short ones: two threads wait for each other most of the time.
  for (const char* workload :
       {R"({"name":"randomaccess","algorithm":"single-core","own":[90,160,2],"bucket":4,"updates":30})",
        R"({"name":"halo","bytes":500,"messages":1})", R"({"name":"uniform","packets":3})"}) {
    for (const std::size_t threads : {1U, 2U}) {
      run(workload, threads, "t" + std::to_string(threads));
      for (const char* ending : {".prv", ".pcf", ".row"}) {
        EXPECT_TRUE(text_of("t" + std::to_string(threads) + ending) == text_of(std::string("t1") + ending));
      }
    }
  }
}

/// Files of this process take no more bytes.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit now{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &now);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;
  ~FileSizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, old_);  // NOLINT(cert-err33-c)
  }

 private:
  rlimit before_{};
  void (*old_)(int) = std::signal(SIGXFSZ, SIG_IGN);
};

TEST_F(RunTraceOf, LeavesNoFileThatItCouldNotFinish) {
  auto trace = RunTrace::create({path("full"), 1.0, {2, 1}, {2}});
  ASSERT_TRUE(trace);
  trace.value()->begins(0, 0, torus::Doing::kComputing);
  const auto counts = [&] {
    const FileSizeLimit full(16);
    return trace.value()->write(100);
  }();
  ASSERT_FALSE(counts);
  EXPECT_NE(counts.error().what.find("cannot be written: File too large"), std::string::npos);
  trace.value().reset();
  EXPECT_TRUE(std::filesystem::is_empty(folder_));
}

TEST_F(RunTraceOf, RefusesTimesThatATraceCannotTell) {
  auto trace = RunTrace::create({path("long"), 1e9, {2, 1}, {2}});
  ASSERT_TRUE(trace);
  trace.value()->begins(0, 0, torus::Doing::kComputing);
  const auto counts = trace.value()->write(torus::Cycles{1} << 60U);
  ASSERT_FALSE(counts);
  EXPECT_NE(counts.error().what.find("more than 2^62 ns"), std::string::npos);
  trace.value().reset();
  EXPECT_TRUE(std::filesystem::is_empty(folder_));
}

TEST_F(RunTraceOf, RefusesAFolderThatIsNotThere) {
  EXPECT_FALSE(RunTrace::create({path("no/such"), 1.0, {2, 1}, {2}}));
}

}  // namespace
}  // namespace groma::sim::traced
