#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "hpcc/fft/spectrum_check.hpp"

namespace groma::hpcc::fft {
namespace {

constexpr double kLimit = 16.0;
constexpr std::uint64_t kSeed = 42;
constexpr std::uint64_t kPoints = 5400;

class Checked {
 public:
  explicit Checked(std::uint64_t n, const TileKernels* kernels = nullptr, std::uint64_t seed = kSeed)
      : pool_(2), space_(pool_), transform_(made(n, kernels, space_)), check_(transform_, seed) {}

  Transform& transform() { return transform_; }

  /// Of one transform, with damage to its input and to its spectrum.
  template <class Before, class After>
  double deviation(const Before& before, const After& after) {
    check_.begin();
    before(transform_);
    transform_.forward();
    after(transform_);
    return check_.deviation();
  }
  double deviation() { return deviation(kNone, kNone); }

  static constexpr auto kNone = [](Transform& /*transform*/) {};

 private:
  static Transform made(std::uint64_t n, const TileKernels* kernels, Workspace& space) {
    const Tuning tuning{.planning = Planning::kEstimate, .kernels = kernels, .stores = {}, .message = 1_KiB};
    return Transform::make(mpi::Communicator::world(), n, tuning, space).value();
  }

  ThreadPool pool_;
  Workspace space_;
  Transform transform_;
  SpectrumCheck check_;
};

TEST(SpectrumCheck, PassesEveryRepetitionOfATransform) {
  for (const std::uint64_t n : {1U, 2U, 3U, 7U, 64U, 97U, 1000U, 4096U, 5400U, 1U << 15U}) {
    Checked checked(n);
    for (int count = 0; count < 10; ++count) EXPECT_LT(checked.deviation(), 1.0) << n;
  }
}

/// On the rank that has point `index` of the range.
template <class Change>
auto at(Range (Transform::*range)() const, std::uint64_t index, Change change) {
  return [=](Transform& transform) {
    const Range own = (transform.*range)();
    if (index >= own.first && index < own.end()) change(transform.data()[index - own.first]);
  };
}

constexpr std::array<std::uint64_t, 5> kPlaces = {0, 1, 2047, 2701, kPoints - 1};

TEST(SpectrumCheck, FindsOneWrongPointWhereverItIs) {
  Checked checked(kPoints);
  for (const std::uint64_t place : kPlaces) {
    const auto shifted = at(&Transform::output, place, [](Complex& point) { point += 1e-8; });
    EXPECT_GT(checked.deviation(Checked::kNone, shifted), kLimit) << place;
    const auto lost = at(&Transform::output, place, [](Complex& point) { point = 0.0; });
    EXPECT_GT(checked.deviation(Checked::kNone, lost), kLimit) << place;
  }
}

TEST(SpectrumCheck, FindsOneWrongPointOfTheInput) {
  Checked checked(kPoints);
  for (const std::uint64_t place : kPlaces) {
    const auto shifted = at(&Transform::input, place, [](Complex& point) { point += Complex(0.0, 1e-8); });
    EXPECT_GT(checked.deviation(shifted, Checked::kNone), kLimit) << place;
  }
}

/// A factor of -1, a point that is not there, and one that is no number.
TEST(SpectrumCheck, FindsAWrongLastPointOfEveryLength) {
  using Limits = std::numeric_limits<double>;
  for (std::uint64_t n = 1; n <= 18; ++n) {
    Checked checked(n);
    for (const Complex factor : {Complex(-1.0), Complex(0.0), Complex(Limits::quiet_NaN())}) {
      const auto spoil = [factor](Complex& point) { point *= factor; };
      EXPECT_GT(checked.deviation(Checked::kNone, at(&Transform::output, n - 1, spoil)), kLimit) << n;
      EXPECT_GT(checked.deviation(at(&Transform::input, n - 1, spoil), Checked::kNone), kLimit) << n;
    }
    EXPECT_LT(checked.deviation(), 1.0) << n;
  }
}

TEST(SpectrumCheck, FindsWhatIsNoFiniteNumber) {
  using Limits = std::numeric_limits<double>;
  Checked checked(kPoints);
  for (const double wrong : {Limits::quiet_NaN(), Limits::infinity(), -Limits::infinity()}) {
    const auto spoil = [wrong](Complex& point) { point.imag(wrong); };
    for (const std::uint64_t place : kPlaces) {
      EXPECT_EQ(checked.deviation(Checked::kNone, at(&Transform::output, place, spoil)), Limits::infinity());
      EXPECT_EQ(checked.deviation(at(&Transform::input, place, spoil), Checked::kNone), Limits::infinity());
    }
  }
  EXPECT_LT(checked.deviation(), 1.0) << "and forgets it";
}

/// What a transform might leave behind instead of the spectrum, with all magnitudes as they should be.
TEST(SpectrumCheck, FindsASpectrumInAnotherOrder) {
  Checked checked(kPoints);
  const auto own = [](Transform& transform) { return transform.data().first(transform.output().count); };
  const auto rotate = [&](Transform& transform) {
    std::rotate(own(transform).begin(), own(transform).begin() + 1, own(transform).end());
  };
  const auto exchange = [&](Transform& transform) { std::swap(own(transform)[3], own(transform)[4]); };
  const auto conjugate = [&](Transform& transform) {
    for (Complex& point : own(transform)) point = std::conj(point);
  };
  const auto clear = [&](Transform& transform) { std::ranges::fill(own(transform), Complex()); };
  EXPECT_GT(checked.deviation(Checked::kNone, rotate), kLimit);
  EXPECT_GT(checked.deviation(Checked::kNone, exchange), kLimit);
  EXPECT_GT(checked.deviation(Checked::kNone, conjugate), kLimit);
  EXPECT_GT(checked.deviation(Checked::kNone, clear), kLimit);
  EXPECT_LT(checked.deviation(), 1.0);
}

TEST(SpectrumCheck, FindsATransformThatDidNothing) {
  ThreadPool pool(1);
  Workspace space(pool);
  const Tuning tuning{.planning = Planning::kEstimate, .kernels = nullptr, .stores = {}, .message = 1_KiB};
  Transform transform = Transform::make(mpi::Communicator::world(), kPoints, tuning, space).value();
  SpectrumCheck check(transform, kSeed);
  check.begin();
  EXPECT_GT(check.deviation(), kLimit);
  // Nor does the right spectrum of the input before it pass.
  transform.forward();
  const std::vector<Complex> before(transform.data().begin(), transform.data().end());
  check.begin();
  std::ranges::copy(before, transform.data().begin());
  EXPECT_GT(check.deviation(), kLimit);
}

const TileKernels& right() {
  return *tile_kernels().back();
}

struct Mutant {
  std::string_view name;
  TileKernels kernels;
};

/// Each does one thing wrong.
std::vector<Mutant> mutants() {
  const auto with = [](std::string_view name, auto member, auto function) {
    Mutant one{name, right()};
    one.kernels.*member = function;
    return one;
  };
  const auto gather = &TileKernels::gather;
  const auto scatter = &TileKernels::scatter;
  const auto twiddled = &TileKernels::scatter_twiddled;
  return {
      with("GatherNothing", gather, [](const ConstRows&, std::size_t, const Columns&, std::size_t) {}),
      with("GatherAllButTheLastRow", gather,
           [](const ConstRows& from, std::size_t width, const Columns& to, std::size_t at) {
             right().gather({from.data, from.stride, from.count - 1}, width, to, at);
           }),
      with("GatherTheFirstColumnTwice", gather,
           [](const ConstRows& from, std::size_t width, const Columns& to, std::size_t at) {
             right().gather(from, width, to, at);
             if (width > 1) right().gather(from, 1, {to.data + to.pitch, to.pitch}, at);
           }),
      with("ScatterNothing", scatter, [](const Columns&, std::size_t, std::size_t, const Rows&, Stores) {}),
      with("ScatterAllButTheLastRow", scatter,
           [](const Columns& from, std::size_t at, std::size_t width, const Rows& to, Stores stores) {
             right().scatter(from, at, width, {to.data, to.stride, to.count - 1}, stores);
           }),
      with("ScatterFromTheNextRow", scatter,
           [](const Columns& from, std::size_t at, std::size_t width, const Rows& to, Stores stores) {
             right().scatter(from, at + 1, width, {to.data, to.stride, to.count - 1}, stores);
           }),
      with("LeaveOutTheTwiddles", twiddled,
           [](const Columns& from, std::size_t at, std::size_t width, const Rows& to, Stores stores,
              const Twiddles& /*twiddles*/) { right().scatter(from, at, width, to, stores); }),
      with("TakeTwiddlesOfTheNextColumn", twiddled,
           [](const Columns& from, std::size_t at, std::size_t width, const Rows& to, Stores stores,
              const Twiddles& twiddles) {
             const Twiddles next{twiddles.roots, twiddles.first_row, twiddles.first_column + 1};
             right().scatter_twiddled(from, at, width, to, stores, next);
           }),
      with("GiveOneThatIsNoNumber", twiddled,
           [](const Columns& from, std::size_t at, std::size_t width, const Rows& to, Stores stores,
              const Twiddles& twiddles) {
             right().scatter_twiddled(from, at, width, to, stores, twiddles);
             to.data[0] = std::numeric_limits<double>::quiet_NaN();
           }),
  };
}

TEST(SpectrumCheck, FindsEveryMutatedTileKernel) {
  for (const Mutant& mutant : mutants()) {
    Checked checked(kPoints, &mutant.kernels);
    EXPECT_GT(checked.deviation(), kLimit) << mutant.name;
  }
  EXPECT_LT(Checked(kPoints, &right()).deviation(), 1.0);
}

}  // namespace
}  // namespace groma::hpcc::fft
