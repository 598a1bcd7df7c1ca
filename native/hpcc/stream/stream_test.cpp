#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "hpcc/stream/variants.hpp"

namespace groma::hpcc {
namespace {

/// Odd sizes, below a line, around a page, more than one page for each member.
constexpr std::uint64_t kSizes[] = {1, 7, 511, 513, 5003};

/// The four steps as their definition says, one element after the other.
struct Reference {
  std::vector<double> a, b, c;
  explicit Reference(const StreamVectors& of)
      : a(of.vector(0).begin(), of.vector(0).end()), b(a.size(), 0.0), c(a.size(), 0.0) {}
  void round() {
    for (std::size_t i = 0; i < a.size(); ++i) {
      c[i] = a[i];
      b[i] = kStreamScalar * c[i];
      c[i] = a[i] + b[i];
      a[i] = b[i] + kStreamScalar * c[i];
    }
  }
};

void expect_near(std::span<const double> is, const std::vector<double>& wanted) {
  ASSERT_EQ(is.size(), wanted.size());
  for (std::size_t i = 0; i < wanted.size(); ++i) ASSERT_NEAR(is[i] / wanted[i], 1.0, 1e-14) << "at " << i;
}

class StreamOfThreads : public ::testing::TestWithParam<std::uint32_t> {
 protected:
  StreamVectors vectors_of(std::uint64_t elements) {
    auto made = StreamVectors::make(elements, pool);
    EXPECT_TRUE(made);
    return std::move(made).value();
  }
  static void round(StreamVectors& vectors) {
    for (const StreamStep& step : kStreamSteps) vectors.step(step, stream_variants(step).back().pass);
  }
  ThreadPool pool{GetParam()};
};

TEST_P(StreamOfThreads, RoundsComputeWhatTheirDefinitionSays) {
  for (const std::uint64_t elements : kSizes) {
    StreamVectors vectors = vectors_of(elements);
    Reference reference(vectors);
    for (int count = 0; count < 3; ++count) {
      round(vectors);
      reference.round();
    }
    expect_near(vectors.vector(0), reference.a);
    expect_near(vectors.vector(1), reference.b);
    expect_near(vectors.vector(2), reference.c);
  }
}

TEST_P(StreamOfThreads, EveryVariantOfAStepIsValid) {
  StreamVectors vectors = vectors_of(5003);
  for (std::size_t which = 0; which < kStreamSteps.size(); ++which) {
    for (const StreamChoice& choice : stream_variants(kStreamSteps[which])) {
      vectors.fill();
      for (std::size_t i = 0; i < kStreamSteps.size(); ++i) {
        const StreamStep& step = kStreamSteps[i];
        vectors.step(step, i == which ? choice.pass : stream_variants(step).front().pass);
      }
      EXPECT_LE(vectors.deviation(1), 1.0) << kStreamSteps[which].name << ", " << name_of(choice);
    }
  }
}

TEST_P(StreamOfThreads, ErrorsOfManyRoundsStayWithinTheBound) {
  StreamVectors vectors = vectors_of(1000);
  EXPECT_EQ(vectors.deviation(0), 0.0);
  for (int count = 0; count < 300; ++count) round(vectors);
  EXPECT_LE(vectors.deviation(300), 1.0);
  EXPECT_GT(vectors.deviation(299), 1e6);
}

TEST_P(StreamOfThreads, OneWrongElementOfAnyVectorIsFound) {
  StreamVectors vectors = vectors_of(5003);
  for (int count = 0; count < 10; ++count) round(vectors);
  for (std::size_t which = 0; which < 3; ++which) {
    double& element = vectors.vector(which)[4999];
    const double right = element;
    for (const double wrong : {right * (1.0 + 1e-13), 0.0, vectors.vector(which)[4998],
                               std::numeric_limits<double>::quiet_NaN()}) {
      element = wrong;
      EXPECT_FALSE(vectors.deviation(10) <= 1.0) << wrong << " for " << right;
    }
    element = right;
  }
  EXPECT_LE(vectors.deviation(10), 1.0);
}

TEST_P(StreamOfThreads, AWrongLastElementIsFoundWhateverTheSize) {
  for (const std::uint64_t elements : {1U, 2U, 3U, 8U, 511U, 512U, 513U, 1024U, 1025U}) {
    StreamVectors vectors = vectors_of(elements);
    round(vectors);
    for (std::size_t which = 0; which < 3; ++which) {
      double& last = vectors.vector(which).back();
      const double right = last;
      for (const double wrong : {-right, 0.0, std::numeric_limits<double>::quiet_NaN()}) {
        last = wrong;
        EXPECT_GT(vectors.deviation(1), 1.0) << "vector " << which << " of " << elements;
      }
      last = right;
    }
    EXPECT_LE(vectors.deviation(1), 1.0);
  }
}

StreamPass right_pass(StreamOperation operation) {
  const auto of = [operation](const StreamStep& step) { return step.operation == operation; };
  return stream_variants(*std::ranges::find_if(kStreamSteps, of)).back().pass;
}

/// A pass of one operation that does one thing wrong.
template <StreamOperation kOperation>
struct Mutants {
  static double nothing(const StreamOperands& /*streams*/, std::size_t /*elements*/) { return 0.0; }
  static double all_but_the_last(const StreamOperands& streams, std::size_t elements) {
    return right_pass(kOperation)(streams, elements - 1);
  }
  static double another_scalar(const StreamOperands& streams, std::size_t elements) {
    StreamOperands other = streams;
    other.scalar *= 1.0 + 1e-12;
    return right_pass(kOperation)(other, elements);
  }
  static double from_the_next(const StreamOperands& streams, std::size_t elements) {
    const double result = right_pass(kOperation)(streams, elements);
    if (elements > 1) std::swap(streams.out[0], streams.out[1]);
    return result;
  }
  static double no_number(const StreamOperands& streams, std::size_t elements) {
    const double result = right_pass(kOperation)(streams, elements);
    streams.out[elements / 2] = std::numeric_limits<double>::quiet_NaN();
    return result;
  }
  static std::vector<StreamPass> all() {
    std::vector<StreamPass> passes = {nothing, all_but_the_last, from_the_next, no_number};
    const bool scales = kOperation == StreamOperation::kScale || kOperation == StreamOperation::kTriad;
    if (scales) passes.push_back(another_scalar);
    return passes;
  }
};

TEST_P(StreamOfThreads, AMutatedPassOfAnyRoundIsFoundAfterTheLast) {
  constexpr std::uint64_t kRounds = 6;
  const std::array mutants = {Mutants<StreamOperation::kCopy>::all(), Mutants<StreamOperation::kScale>::all(),
                              Mutants<StreamOperation::kAdd>::all(), Mutants<StreamOperation::kTriad>::all()};
  StreamVectors vectors = vectors_of(1603);
  for (std::size_t which = 0; which < kStreamSteps.size(); ++which) {
    for (std::size_t mutant = 0; mutant < mutants[which].size(); ++mutant) {
      for (std::uint64_t spoilt = 0; spoilt < kRounds; ++spoilt) {
        vectors.fill();
        for (std::uint64_t count = 0; count < kRounds; ++count) {
          for (std::size_t i = 0; i < kStreamSteps.size(); ++i) {
            const StreamStep& step = kStreamSteps[i];
            const bool here = count == spoilt && i == which;
            vectors.step(step, here ? mutants[which][mutant] : right_pass(step.operation));
          }
        }
        EXPECT_GT(vectors.deviation(kRounds), 1.0)
            << kStreamSteps[which].name << ", mutant " << mutant << " in round " << spoilt;
      }
    }
  }
}

TEST_P(StreamOfThreads, ChoosingAVariantLeavesTheStartValues) {
  for (const std::uint64_t elements : {std::uint64_t{1}, kSizes[4]}) {
    StreamVectors vectors = vectors_of(elements);
    const StreamChoices choices = choose_stream_variants(vectors);
    EXPECT_EQ(vectors.deviation(0), 0.0);
    for (const StreamChoice& choice : choices) EXPECT_NE(choice.pass, nullptr);
  }
}

TEST_P(StreamOfThreads, SaysThatNoMemoryHoldsTheVectors) {
  EXPECT_FALSE(StreamVectors::make(std::uint64_t{1} << 59U, pool));
  EXPECT_FALSE(StreamVectors::make(std::numeric_limits<std::uint64_t>::max(), pool));
}

INSTANTIATE_TEST_SUITE_P(Pools, StreamOfThreads, ::testing::Values(1U, 2U, 3U));

TEST(StreamStep, CountsEveryStreamOnce) {
  EXPECT_EQ(kStreamSteps[0].bytes(1000), 16'000.0);
  EXPECT_EQ(kStreamSteps[1].bytes(1000), 16'000.0);
  EXPECT_EQ(kStreamSteps[2].bytes(1000), 24'000.0);
  EXPECT_EQ(kStreamSteps[3].bytes(std::uint64_t{1} << 40U), 24.0 * 0x1p40);
}

}  // namespace
}  // namespace groma::hpcc
