#include "sim/torus/messages/trace_text.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "sim/torus/messages/message_layer.hpp"
#include "testing/fakes.hpp"
#include "testing/one_thread.hpp"

namespace groma::sim::torus {
namespace {

Shape ring(std::uint32_t nodes) {
  return Shape::make({nodes}, {true}).value();
}

/// The layer after a replay, with messages that take no time but that of the network.
MessageLayer replay(const std::string& text, std::uint32_t nodes = 8) {
  auto programs = read_trace({{"", text}}, {});
  MessageLayer layer({}, std::move(programs.value().of_ranks), ring(nodes));
  EXPECT_TRUE(simulate(ring(nodes), Network{}, layer, {}));
  return layer;
}

std::string error_of(const std::string& text) {
  const auto programs = read_trace({{"", text}}, {});
  return programs ? "" : programs.error().what;
}

std::string for_each_rank(int ranks, const std::string& action) {
  std::string text;
  for (int rank = 0; rank < ranks; ++rank) text += std::to_string(rank) + " " + action + "\n";
  return text;
}

TEST(TraceText, ReplaysPointToPoint) {
  const MessageLayer layer = replay(
      "0 init\n1 init\n\n# a remark\n0 compute 1e6\n0 Isend 1 5 100\n1 irecv 0 5 100\n1 wait 0 1 5\n"
      "1 send 0 6 50 0\n0 recv 1 6 50 0\n0 waitAll\n0 finalize\n1 finalize\n");
  EXPECT_TRUE(layer.is_complete());
  EXPECT_EQ(layer.bytes_received(1), 100U);
  EXPECT_EQ(layer.bytes_received(0), 50U * 8);
  EXPECT_GT(layer.finished_at(1), 1'000'000);
}

TEST(TraceText, CountsElementsOfEightBytesAfterInitWithAnArgument) {
  EXPECT_EQ(replay("0 init 1\n1 init 1\n0 send 1 0 10\n1 recv 0 0 10\n").bytes_received(1), 80U);
  EXPECT_EQ(replay("0 init\n1 init\n0 send 1 0 10 1\n1 recv 0 0 10 1\n").bytes_received(1), 40U);
}

TEST(TraceText, WaitsForTheRequestOfItsRanksAndTag) {
  // The message with tag 2 comes last, and rank 1 waits for that with tag 1 only before it computes.
  const MessageLayer layer = replay(
      "1 irecv 0 2 10\n1 irecv 0 1 10\n1 wait 0 1 1\n1 send 2 0 1\n1 wait 0 1 2\n2 recv 1 0 1\n"
      "0 send 1 1 10\n0 compute 1e6\n0 send 1 2 10\n");
  EXPECT_TRUE(layer.is_complete());
  EXPECT_LT(layer.finished_at(2), 1'000'000);
  EXPECT_GT(layer.finished_at(1), 1'000'000);
}

TEST(TraceText, TakesAnySourceAndTag) {
  const MessageLayer layer = replay("0 recv -1 -1 8\n0 recv -555 -444 8\n1 send 0 3 8\n2 send 0 4 8\n");
  EXPECT_TRUE(layer.is_complete());
  EXPECT_EQ(layer.bytes_received(0), 16U);
}

TEST(TraceText, SendsAndReceivesAtOnce) {
  const MessageLayer layer =
      replay(for_each_rank(1, "sendRecv 2400 1 2400 1 2 2") + "1 sendRecv 2400 0 2400 0 2 2\n");
  EXPECT_TRUE(layer.is_complete());
  EXPECT_EQ(layer.bytes_received(0), 2400U);
}

/// SMPI writes them: places in the source, communicators, and the loops of adaptive MPI.
TEST(TraceText, LeavesOutWhatSendsNothing) {
  const MessageLayer layer = replay(
      "0 init\n0 location main.c:3\n0 comm_dup 2\n0 comm_split 2\n0 iteration_in\n0 iteration_out\n0 "
      "finalize\n");
  EXPECT_TRUE(layer.is_complete());
  EXPECT_EQ(layer.time(), 0);
}

/// SMPI writes MPI_UNDEFINED for MPI_ANY_SOURCE there.
TEST(TraceText, ReceivesFromAnySourceWhereItSendsAtOnce) {
  const MessageLayer layer = replay("0 sendRecv 300 1 300 -333 2 2\n1 sendRecv 300 0 300 0 2 2\n");
  EXPECT_TRUE(layer.is_complete());
  EXPECT_EQ(layer.bytes_received(0), 300U);
}

TEST_ON_ONE_THREAD(TraceText, ExpandsCollectivesForAnyNumberOfRanks) {
  for (const int ranks : {1, 2, 3, 5, 6, 7, 8}) {
    const auto others = static_cast<std::uint64_t>(ranks - 1);
    const auto received = [&](const std::string& action) {
      const MessageLayer layer = replay(for_each_rank(ranks, action));
      EXPECT_TRUE(layer.is_complete()) << ranks << " " << action;
      std::uint64_t bytes = 0;
      for (Rank rank = 0; rank < layer.ranks(); ++rank) bytes += layer.bytes_received(rank);
      return bytes;
    };
    const std::string root = std::to_string(ranks - 1);
    EXPECT_EQ(received("barrier"), 0U);
    EXPECT_EQ(received("bcast 100 " + root), 100 * others);
    EXPECT_EQ(received("reduce 100 10 " + root), 100 * others);
    EXPECT_EQ(received("allreduce 100 10"), 200 * others);
    EXPECT_EQ(received("gather 100 100 " + root), 100 * others);
    EXPECT_EQ(received("scatter 100 100 " + root), 100 * others);
    EXPECT_EQ(received("allgather 100 100"), 100 * others * (others + 1));
    EXPECT_EQ(received("alltoall 100 100"), 100 * others * (others + 1));
    const auto each = [ranks](const std::string& word) {
      std::string text;
      for (int rank = 0; rank < ranks; ++rank) text += " " + word;
      return text;
    };
    EXPECT_EQ(received("gatherv 100" + each("100") + " " + root), 100 * others);
    EXPECT_EQ(received("scatterv" + each("100") + " 100 " + root), 100 * others);
    EXPECT_EQ(received("allgatherv 100" + each("100")), 100 * others * (others + 1));
    EXPECT_EQ(received("reducescatter" + each("100") + " 10"), 100 * others * (others + 1));
    const std::uint64_t rounds = received("scan 100 10");
    EXPECT_GE(rounds, 100 * others) << "the last rank hears of all";
    EXPECT_EQ(received("exscan 100 10"), rounds);
    EXPECT_EQ(received("iallreduce 100 10\n" + root + " waitcollective"), 200 * others);
  }
}

TEST(TraceText, SendsEachRankItsCountInAlltoallv) {
  const MessageLayer layer = replay(
      "0 allToAllV 100 1 40 30 1000 1 80 100\n1 allToAllV 1000 80 1 40 1000 40 1 30\n"
      "2 allToAllV 1000 100 30 1 1000 30 40 1\n");
  EXPECT_TRUE(layer.is_complete());
  EXPECT_EQ(layer.bytes_received(0), 180U);
  EXPECT_EQ(layer.bytes_received(1), 70U);
  EXPECT_EQ(layer.bytes_received(2), 70U);
}

TEST(TraceText, SendsTheRightParts) {
  const MessageLayer scattered =
      replay("0 scatterv 10 20 30 10\n1 scatterv 10 20 30 20\n2 scatterv 10 20 30 30\n");
  EXPECT_EQ(scattered.bytes_received(1), 20U);
  EXPECT_EQ(scattered.bytes_received(2), 30U);
  const MessageLayer gathered =
      replay("0 allgatherv 10 10 20 30\n1 allgatherv 20 10 20 30\n2 allgatherv 30 10 20 30\n");
  EXPECT_EQ(gathered.bytes_received(0), 20U + 30);
  EXPECT_EQ(gathered.bytes_received(2), 10U + 20);
}

TEST(TraceText, KeepsCollectivesInTheirCommunicator) {
  const std::string groups = "communicator 7 4 0 2\ncommunicator 8 1 3\n";
  const MessageLayer layer = replay(groups +
                                    "0 bcast 100 0 @7\n4 bcast 100 0 @7\n2 compute 1e6\n2 bcast 100 0 @7\n"
                                    "1 barrier @8\n3 barrier @8\n");
  EXPECT_TRUE(layer.is_complete());
  EXPECT_EQ(layer.bytes_received(4), 0U) << "rank 0 of the communicator is rank 4";
  EXPECT_EQ(layer.bytes_received(0) + layer.bytes_received(2), 200U);
  EXPECT_LT(layer.finished_at(1), 1'000'000);
  EXPECT_EQ(error_of("communicator 7 0-1\n0 barrier @7\n1 barrier @9\n"),
            "line 3 of the trace: there is no communicator 9");
  EXPECT_EQ(error_of("communicator 7 0\n0 init\n1 barrier @7\n"),
            "line 3 of the trace: rank 1 is not in communicator 7");
  EXPECT_NE(error_of("communicator 7 0-5\n0 init\n").find("ranks that do nothing"), std::string::npos);
  EXPECT_NE(error_of("communicator 7 2-1\n").find("no range of ranks"), std::string::npos);
  EXPECT_NE(error_of("communicator 7 1 0-1\n").find("there twice"), std::string::npos);
  EXPECT_NE(error_of("communicator 7 0\n0 send 0 0 1 @7\n").find("send has no communicator"),
            std::string::npos);
}

/// Rank 0 begins a barrier before it answers a message for which rank 1 waits before it comes to the barrier.
TEST(TraceText, GoesOnBesideCollectivesThatDoNotBlock) {
  const std::string others = "1 send 0 1 100000\n1 ibarrier\n1 waitcollective\n";
  EXPECT_TRUE(replay("0 ibarrier\n0 recv 1 1 100000\n0 waitcollective\n" + others).is_complete());
  EXPECT_FALSE(replay("0 barrier\n0 recv 1 1 100000\n" + others).is_complete());
  const MessageLayer layer =
      replay("0 ibarrier\n0 compute 1e6\n0 waitcollective\n1 compute 3e6\n1 ibarrier\n1 waitall\n");
  EXPECT_GT(layer.finished_at(0), 3'000'000);
  EXPECT_LT(layer.finished_at(0), 3'100'000) << "it computes meanwhile";
}

/// With one tag for all, the second broadcast of rank 1 would get the bytes of the first.
TEST(TraceText, KeepsCollectivesOfTwoCommunicatorsApart) {
  const MessageLayer layer = replay(
      "communicator 1 0 1\ncommunicator 2 0 1\n0 ibcast 100000 0 @1\n0 ibcast 8 0 @2\n0 waitall\n"
      "1 ibcast 8 0 @2\n1 waitcollective\n1 send 2 0 1\n1 compute 1e7\n1 ibcast 100000 0 @1\n1 waitall\n"
      "2 recv 1 0 1\n");
  EXPECT_TRUE(layer.is_complete());
  EXPECT_LT(layer.finished_at(2), 100000);
}

/// As MPI does: a barrier of one is none of the other, and a message of one no message of the other.
TEST(TraceText, KeepsCollectivesThatBlockInTheirCommunicators) {
  const std::string groups = "communicator 1 0 1\ncommunicator 2 0 1\n";
  EXPECT_FALSE(replay(groups + "0 barrier @2\n0 barrier @1\n1 barrier @1\n1 barrier @2\n").is_complete());
  EXPECT_FALSE(replay(groups + "0 barrier\n0 barrier @1\n1 barrier @1\n1 barrier\n").is_complete());
  const MessageLayer layer = replay(groups +
                                    "0 bcast 100000 0 @1\n0 bcast 10 0 @2\n1 bcast 10 0 @2\n1 compute 1e7\n"
                                    "1 bcast 100000 0 @1\n");
  EXPECT_FALSE(layer.is_complete()) << "the root waits for the receiver of a large message";
  EXPECT_EQ(layer.bytes_received(1), 0U);
}

TEST(TraceText, FindsTheCycleOfACollectiveBesideOthers) {
  const MessageLayer layer = replay("0 ibarrier\n0 waitcollective\n1 recv 0 1 8\n");
  const auto blocked = layer.blocked();
  ASSERT_EQ(blocked.size(), 2U);
  EXPECT_EQ(blocked[0].waits_for, std::vector<Rank>{1});
  EXPECT_EQ(blocked[1].waits_for, std::vector<Rank>{0});
}

/// No rank may leave a barrier before all have come.
TEST(TraceText, HoldsAllRanksAtABarrier) {
  const MessageLayer layer = replay("0 compute 1e6\n" + for_each_rank(5, "barrier"));
  for (Rank rank = 0; rank < 5; ++rank) EXPECT_GT(layer.finished_at(rank), 1'000'000);
}

TEST(TraceText, ScalesWhatIsComputed) {
  auto programs = read_trace({{"", "0 compute 1000\n0 sleep 0.001\n"}}, {2.0, 1e6});
  MessageLayer layer({}, std::move(programs.value().of_ranks), ring(2));
  ASSERT_TRUE(simulate(ring(2), Network{}, layer, {}));
  EXPECT_EQ(layer.finished_at(0), 3000);
}

TEST(TraceText, KnowsTheTypesOfSmpi) {
  for (const auto& [type, bytes] : std::vector<std::pair<int, std::uint64_t>>{{7, 8},
                                                                              {11, 4},
                                                                              {14, 16},
                                                                              {20, 8},
                                                                              {21, 1},
                                                                              {26, 16},
                                                                              {27, 32},
                                                                              {38, 4},
                                                                              {40, 8},
                                                                              {49, 16},
                                                                              {59, 8}}) {
    const std::string size = " 0 10 " + std::to_string(type) + "\n";
    EXPECT_EQ(replay("0 send 1" + size + "1 recv 0" + size).bytes_received(1), 10 * bytes) << type;
  }
  EXPECT_EQ(replay("0 send 1 0 10.9 1\n1 recv 0 0 10.9 1\n").bytes_received(1), 40U);
}

TEST(TraceText, ReplaysWhatElseSmpiWrites) {
  const MessageLayer layer = replay(
      "0 comm_split\n0 Ssend 1 0 10 1\n0 ISsend 1 1 10 1\n0 waitAny 1\n0 testall\n0 ibsend 1 2 10 1\n"
      "0 wait -333 -333 -444\n"
      "1 comm_split\n1 irecv -333 -444 10 1\n1 wait -333 1 -444\n1 recv 0 1 10 1\n1 recv 0 2 10 1\n");
  EXPECT_TRUE(layer.is_complete());
  EXPECT_EQ(layer.bytes_received(1), 120U);
}

TEST(TraceText, CountsLinesWhoseTypeHasNoSize) {
  const std::string text = "0 send 1 0 10 -1\n1 recv 0 0 10 -1\n0 bcast 5 0 -1\n1 bcast 5 0 -1\n";
  EXPECT_EQ(read_trace({{"", text}}, {}).value().unsized, 3U) << "a receive takes what comes";
  EXPECT_EQ(replay(text).bytes_received(1), 15U);
  EXPECT_EQ(read_trace({{"", "0 send 0 0 10 1\n"}}, {}).value().unsized, 0U);
}

/// SMPI writes -1 as a size for these, as one of 64 bits without a sign.
TEST(TraceText, IgnoresWhatMpiIgnoresInPlace) {
  const std::string none = "18446744073709551615 ";
  const MessageLayer gathered =
      replay("0 gather 3 3 1 1 1\n1 gather " + none + "3 1 -1 1\n2 gather 3 3 1 1 1\n");
  EXPECT_EQ(gathered.bytes_received(1), 24U);
  const MessageLayer scattered =
      replay("0 scatter " + none + "3 1 -1 1\n1 scatter 3 " + none + "1 1 -1\n2 scatter 0 3 1 -1 1\n");
  EXPECT_EQ(scattered.bytes_received(0) + scattered.bytes_received(2), 24U);
}

TEST(TraceText, TakesTheLargestTag) {
  EXPECT_TRUE(replay("0 send 1 2147483647 8\n1 recv 0 2147483647 8\n").is_complete());
  EXPECT_NE(error_of("0 send 0 2147483648 8\n").find("argument 2 is out of range"), std::string::npos);
}

TEST(TraceText, WaitsForACollectiveByItsTag) {
  // Rank 2 gets its message before or after rank 0 comes to the barrier.
  const auto received_at = [](const std::string& wait) {
    return replay("communicator 5 0-1\n0 compute 1e6\n0 ibarrier @5\n1 ibarrier @5\n" + wait +
                  "1 send 2 0 8\n2 recv 1 0 8\n")
        .finished_at(2);
  };
  EXPECT_LT(received_at(""), 1'000'000);
  EXPECT_GT(received_at("1 wait 0 0 -779\n"), 1'000'000);
  EXPECT_LT(received_at("1 wait -333 1 -444\n"), 1'000'000);
  EXPECT_GT(received_at("1 waitany 1\n"), 1'000'000);
}

TEST(TraceText, TellsDisplacementsOfAllgathervFromTypes) {
  const auto received = [](const std::string& rest) {
    return replay(for_each_rank(4, "allgatherv 1 1 1 1 1" + rest)).bytes_received(0);
  };
  const std::uint64_t bytes = received("");
  EXPECT_EQ(received(" 1 1"), 4 * bytes);
  EXPECT_EQ(received(" 0 100 200 300"), bytes);
  EXPECT_EQ(received(" 1 1 0 100 200 300"), 4 * bytes);
}

TEST(TraceText, NamesTheLineThatIsWrong) {
  EXPECT_NE(error_of("0 init\n0 fly 1\n").find("line 2 of the trace: there is no action fly"),
            std::string::npos);
  EXPECT_NE(error_of("zero init\n").find("\"zero\" is no rank"), std::string::npos);
  EXPECT_NE(error_of("-1 init\n").find("is no rank"), std::string::npos);
  EXPECT_NE(error_of("0 send 1 0\n").find("send needs 3 arguments"), std::string::npos);
  EXPECT_NE(error_of("0 send 7 0 1\n").find("argument 1 is out of range"), std::string::npos);
  EXPECT_NE(error_of("0 send 0 0 1e300\n").find("argument 3 is out of range"), std::string::npos);
  for (const std::string action : {"compute nan", "compute -1", "compute 1e16", "sleep 1e7"}) {
    EXPECT_NE(error_of("0 " + action + "\n").find("argument 1 is not from 0 to 1e15 cycles"),
              std::string::npos);
  }
  EXPECT_FALSE(read_trace({{"", "0 compute 1e6\n"}}, {.cycles_per_unit = 1e10}));
  EXPECT_TRUE(read_trace({{"", "0 compute 1e6\n"}}, {.cycles_per_unit = 1e9}));
  EXPECT_NE(error_of("0 send 0 0 8 99\n").find("argument 4 is out of range"), std::string::npos);
  EXPECT_NE(error_of("0 IO - read 8\n").find("there is no action io"), std::string::npos);
  EXPECT_NE(error_of("0 bcast x\n").find("\"x\" is no number"), std::string::npos);
  for (const std::string group : {"@1.5", "@-1", "@5000000000", "@"}) {
    EXPECT_NE(error_of("0 barrier " + group + "\n").find('"' + group + "\" is no number"), std::string::npos);
  }
  EXPECT_NE(error_of("0 alltoallv 1 2\n").find("alltoallv needs"), std::string::npos);
  EXPECT_EQ(error_of("\n"), "the trace has no calls");
  EXPECT_NE(error_of("0\n").find("the action is missing"), std::string::npos);
}

/// Before it takes memory for them.
TEST(TraceText, RefusesMoreRanksThanPlaces) {
  const auto why = [](const std::string& text) {
    return read_trace({{"", text}}, {.places = 16}).error().what;
  };
  EXPECT_EQ(why("0 init\n4194303 init\n"), "4194304 ranks do not fit on 16 places");
  EXPECT_EQ(why("communicator 1 0-4000000\n"), "line 1 of the trace: there are only 16 places for ranks");
  EXPECT_EQ(why("communicator 1 0-15 0-15\n"), "line 1 of the trace: a rank is there twice");
  EXPECT_TRUE(read_trace({{"", "communicator 1 0-15\n15 init\n"}}, {.places = 16}));
}

class TraceFiles : public ::testing::Test {
 protected:
  void write(const std::string& name, const std::string& text) const { files_.write(folder_ + name, text); }
  [[nodiscard]] std::string path(const std::string& name) const { return files_.root() + folder_ + name; }

  using Parts = std::vector<std::pair<std::string, std::string>>;
  [[nodiscard]] Parts parts_of(const std::string& name) const {
    Parts parts;
    const auto read = read_trace_files(path(name));
    for (const TracePart& part : read.value()) parts.emplace_back(part.name, part.text);
    return parts;
  }

 private:
  const std::string folder_ = "trace files/";
  fake::Tree files_;
};

TEST_F(TraceFiles, AreReadAloneOrByTheirList) {
  write("0.txt", "0 init\n");
  write("list", "# of two\n0.txt\nmore/second.txt\r\n\n");
  write("more/second.txt", "1 init");
  write("groups", "communicator 1 0\n0 barrier @1\n");
  EXPECT_EQ(parts_of("0.txt"), (Parts{{"", "0 init\n"}}));
  EXPECT_EQ(parts_of("list"), (Parts{{"0.txt", "0 init\n"}, {"more/second.txt", "1 init"}}));
  EXPECT_EQ(parts_of("groups"), (Parts{{"", "communicator 1 0\n0 barrier @1\n"}}));
}

/// `smpirun -trace-file out/list` lists out/list_files/…
TEST_F(TraceFiles, AreFoundFromWhereTheirListWasWritten) {
  const std::filesystem::path before = std::filesystem::current_path();
  write("out/list", "out/list_files/0.txt\n");
  write("out/list_files/0.txt", "0 init\n");
  std::filesystem::current_path(path(""));
  EXPECT_EQ(parts_of("out/list"), (Parts{{"out/list_files/0.txt", "0 init\n"}}));
  std::filesystem::current_path(before);
}

TEST_F(TraceFiles, AreNamedWhereTheyCannotBeRead) {
  EXPECT_NE(read_trace_files(path("none")).error().what.find("none"), std::string::npos);
  write("folder/0.txt", "0 init\n");
  EXPECT_NE(read_trace_files(path("folder")).error().what.find("cannot read the trace"), std::string::npos);
  write("list", "gone.txt\n");
  EXPECT_NE(read_trace_files(path("list")).error().what.find("cannot read gone.txt, which is listed in"),
            std::string::npos);
}

TEST_F(TraceFiles, AreNamedWithTheLineThatIsWrong) {
  write("list", "0.txt\n1.txt\n");
  write("0.txt", "0 init\n0 barrier\n");
  write("1.txt", "1 init\n1 fly\n");
  const auto programs = read_trace(read_trace_files(path("list")).value(), {});
  EXPECT_NE(programs.error().what.find("line 2 of 1.txt: there is no action fly"), std::string::npos);
}

}  // namespace
}  // namespace groma::sim::torus
