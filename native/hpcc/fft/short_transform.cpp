#include "hpcc/fft/short_transform.hpp"

#include <fftw3.h>

#include "base/pages.hpp"

namespace groma::hpcc::fft {
namespace {

constexpr double kPlanningSeconds = 2.0;

fftw_plan plan_of(void* plan) {
  return static_cast<fftw_plan>(plan);
}

fftw_complex* as_fftw(Complex* vector) {
  return reinterpret_cast<fftw_complex*>(vector);  // the same layout, as both promise
}

}  // namespace

ShortTransform::ShortTransform(std::uint64_t length, Planning planning) : length_(length) {
  // Planning overwrites what it tries on.
  const Result<Block> scratch = Block::map(Bytes(length * sizeof(Complex)), PageMode::kHuge);
  if (!scratch) return;
  fftw_complex* vector = as_fftw(scratch.value().as<Complex>().data());
  fftw_set_timelimit(kPlanningSeconds);
  plan_.reset(fftw_plan_dft_1d(static_cast<int>(length), vector, vector, FFTW_FORWARD,
                               planning == Planning::kMeasure ? FFTW_MEASURE : FFTW_ESTIMATE));
}

void ShortTransform::execute(Complex* vector) const {
  fftw_execute_dft(plan_of(plan_.get()), as_fftw(vector), as_fftw(vector));
}

void ShortTransform::Destroy::operator()(void* plan) const {
  fftw_destroy_plan(plan_of(plan));
}

std::string fft_library() {
  return fftw_version;
}

}  // namespace groma::hpcc::fft
