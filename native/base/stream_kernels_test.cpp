#include "base/stream_kernels.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <new>
#include <string>

namespace groma {
namespace {

constexpr double kScalar = 3.25;
constexpr double kUntouched = -7.0;
/// Odd sizes, tails of every kind, and more than one step of two strands.
constexpr std::size_t kSizes[] = {0, 1, 7, 8, 15, 16, 31, 32, 33, 63, 64, 97, 256, 1000, 4097};
constexpr std::size_t kLongest = 4097 + 64;

/// 64-byte aligned array that starts as `value_of(i)`.
class Array {
 public:
  template <class F>
  explicit Array(F value_of) : data_(new (std::align_val_t(64)) double[kLongest]) {
    for (std::size_t i = 0; i < kLongest; ++i) data_.get()[i] = value_of(i);
  }
  double* data() { return data_.get(); }
  double operator[](std::size_t i) const { return data_.get()[i]; }

 private:
  struct AlignedDelete {
    void operator()(double* at) const { ::operator delete[](at, std::align_val_t(64)); }
  };
  std::unique_ptr<double, AlignedDelete> data_;
};

double first_at(std::size_t i) {
  return 0.5 + static_cast<double>(i % 97);
}
double second_at(std::size_t i) {
  return 100.0 - static_cast<double>(i % 31);
}

/// What STREAM's definition says; every value here is exact in double precision.
double reference(StreamOperation operation, std::size_t i) {
  switch (operation) {
    case StreamOperation::kWrite:
      return kScalar;
    case StreamOperation::kCopy:
      return first_at(i);
    case StreamOperation::kScale:
      return kScalar * first_at(i);
    case StreamOperation::kAdd:
      return first_at(i) + second_at(i);
    case StreamOperation::kTriad:
      return first_at(i) + kScalar * second_at(i);
    case StreamOperation::kRead:
      break;
  }
  return kUntouched;
}

double reference_sum(std::size_t elements) {
  double sum = 0.0;
  for (std::size_t i = 0; i < elements; ++i) sum += first_at(i);
  return sum;
}

class EveryVariant : public ::testing::TestWithParam<std::string> {
 protected:
  template <class Check>
  void for_each_variant_and_size(Check check) const {
    const StreamKernel* const kernel = find_stream_kernel(GetParam());
    ASSERT_NE(kernel, nullptr);
    for (const StreamVariant& variant : kernel->variants) {
      for (const std::size_t elements : kSizes) {
        SCOPED_TRACE(std::string(name_of(variant.isa)) + ", strands " + std::to_string(variant.strands) +
                     ", " + std::to_string(elements) + " elements");
        check(*kernel, variant, elements);
      }
    }
  }
};

TEST_P(EveryVariant, computes_what_its_formula_says) {
  for_each_variant_and_size(
      [](const StreamKernel& kernel, const StreamVariant& variant, std::size_t elements) {
        Array out([](std::size_t) { return kUntouched; });
        Array first(first_at);
        Array second(second_at);
        const double sum = variant.pass({out.data(), first.data(), second.data(), kScalar}, elements);
        drain_stores();
        EXPECT_EQ(sum, kernel.operation == StreamOperation::kRead ? reference_sum(elements) : 0.0);
        for (std::size_t i = 0; i < elements; ++i)
          ASSERT_EQ(out[i], reference(kernel.operation, i)) << "at " << i;
      });
}

TEST_P(EveryVariant, touches_nothing_beyond_its_elements) {
  for_each_variant_and_size([](const StreamKernel&, const StreamVariant& variant, std::size_t elements) {
    Array out([](std::size_t) { return kUntouched; });
    Array first(first_at);
    Array second(second_at);
    variant.pass({out.data(), first.data(), second.data(), kScalar}, elements);
    drain_stores();
    for (std::size_t i = elements; i < kLongest; ++i) ASSERT_EQ(out[i], kUntouched) << "at " << i;
    for (std::size_t i = 0; i < kLongest; ++i) {
      ASSERT_EQ(first[i], first_at(i));
      ASSERT_EQ(second[i], second_at(i));
    }
  });
}

TEST_P(EveryVariant, reads_and_writes_as_many_streams_as_declared) {
  const StreamKernel* const kernel = find_stream_kernel(GetParam());
  ASSERT_NE(kernel, nullptr);
  constexpr std::size_t kElements = 640;
  Array first(first_at);
  Array second(second_at);
  Array out([](std::size_t) { return kUntouched; });
  double* const inputs[] = {first.data(), second.data()};
  const StreamVariant& variant = kernel->variants.back();
  // Streams that a kernel does not read may be null: reading one would crash.
  const double sum =
      variant.pass({kernel->writes > 0 ? out.data() : nullptr, kernel->reads > 0 ? inputs[0] : nullptr,
                    kernel->reads > 1 ? inputs[1] : nullptr, kScalar},
                   kElements);
  drain_stores();
  // And one that it declares must matter: NaN in it reaches the result.
  for (std::uint32_t stream = 0; stream < kernel->reads; ++stream) {
    Array poisoned([](std::size_t) { return std::nan(""); });
    const double* const first_input = stream == 0 ? poisoned.data() : first.data();
    const double* const second_input = stream == 1 ? poisoned.data() : second.data();
    const double poisoned_sum = variant.pass({out.data(), first_input, second_input, kScalar}, kElements);
    drain_stores();
    EXPECT_TRUE(std::isnan(kernel->writes > 0 ? out[0] : poisoned_sum)) << "stream " << stream;
  }
  EXPECT_TRUE(std::isfinite(sum));
}

std::vector<std::string> kernel_names() {
  std::vector<std::string> names;
  for (const StreamKernel& kernel : stream_kernels()) names.emplace_back(kernel.name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(stream_kernels, EveryVariant, ::testing::ValuesIn(kernel_names()),
                         [](const auto& kernel) { return kernel.param; });

TEST(stream_kernels, count_bytes_as_stream_does) {
  const auto bytes = [](std::string_view name) {
    return find_stream_kernel(name)->bytes_per_element().value();
  };
  EXPECT_EQ(bytes("read"), 8U);
  EXPECT_EQ(bytes("write"), 8U);
  EXPECT_EQ(bytes("copy"), 16U);
  EXPECT_EQ(bytes("scale"), 16U);
  EXPECT_EQ(bytes("add"), 24U);
  EXPECT_EQ(bytes("triad"), 24U);
}

TEST(stream_kernels, declare_flops_per_element) {
  const auto flops = [](std::string_view name) { return find_stream_kernel(name)->flops; };
  EXPECT_EQ(flops("copy"), 0U);
  EXPECT_EQ(flops("scale"), 1U);
  EXPECT_EQ(flops("add"), 1U);
  EXPECT_EQ(flops("triad"), 2U);
}

TEST(stream_kernels, regular_stores_fetch_the_line_they_overwrite_and_non_temporal_ones_do_not) {
  for (const StreamKernel& kernel : stream_kernels()) {
    const std::uint64_t expected = kernel.non_temporal ? 0 : 8 * kernel.writes;
    EXPECT_EQ(kernel.write_allocate_per_element().value(), expected) << kernel.name;
  }
  EXPECT_DOUBLE_EQ(find_stream_kernel("read")->read_fraction(), 1.0);
  EXPECT_DOUBLE_EQ(find_stream_kernel("triad")->read_fraction(), 0.75);
  EXPECT_DOUBLE_EQ(find_stream_kernel("copy")->read_fraction(), 2.0 / 3.0);
}

TEST(stream_kernels, portable_variants_are_everywhere) {
  for (const char* name : {"read", "write", "copy", "scale", "add", "triad"}) {
    const StreamKernel* const kernel = find_stream_kernel(name);
    ASSERT_NE(kernel, nullptr) << name;
    EXPECT_EQ(kernel->variants.front().isa, Isa::kPortable);
  }
}

TEST(stream_kernels, unknown_names_find_nothing) {
  EXPECT_EQ(find_stream_kernel("tetrad"), nullptr);
}

TEST(stream_kernels, fall_back_to_regular_stores_where_the_processor_has_no_others) {
  std::vector<StreamKernel> elsewhere = stream_kernels();  // of a processor that is no x86
  std::erase_if(elsewhere, [](const StreamKernel& kernel) { return kernel.non_temporal; });
  ASSERT_NE(with_non_temporal_stores("triad", elsewhere), nullptr);
  EXPECT_EQ(with_non_temporal_stores("triad", elsewhere)->name, "triad");
  EXPECT_EQ(with_non_temporal_stores("quad", elsewhere), nullptr);
  EXPECT_EQ(with_non_temporal_stores("triad")->name, find_stream_kernel("triad_nt") ? "triad_nt" : "triad");
}

}  // namespace
}  // namespace groma
