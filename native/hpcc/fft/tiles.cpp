#include "hpcc/fft/tiles.hpp"

#include <atomic>
#include <cstdint>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace groma::hpcc::fft {
namespace {

namespace one {  // complex number per vector: every processor

#define GROMA_TARGET
using Vector = Complex;
constexpr std::size_t kLanes = 1;

inline Vector load(const Complex* from) {
  return *from;
}
inline void store(Complex* to, Vector value) {
  *to = value;
}
inline void store_past_caches(Complex* to, Vector value) {
#if defined(__x86_64__)
  _mm_stream_pd(reinterpret_cast<double*>(to), _mm_set_pd(value.imag(), value.real()));
#else
  store(to, value);
#endif
}
inline Vector multiply(Vector a, Vector b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}
inline void transpose(Vector (&/*tile*/)[kLanes]) {}
using Factor = Complex;
inline Factor broadcast(const Complex& value) {
  return value;
}
inline Factor split(Vector value) {
  return value;
}
inline Factor times(const Factor& a, const Factor& b) {
  return multiply(a, b);
}
inline void prefetch(const Complex* from) {
  __builtin_prefetch(from, 0, 2);
}

#include "hpcc/fft/tile_kernels.inc"
#undef GROMA_TARGET

}  // namespace one

#if defined(__x86_64__)
namespace two {

#define GROMA_TARGET [[gnu::target("avx2,fma")]]
using Vector = __m256d;
constexpr std::size_t kLanes = 2;

GROMA_TARGET inline Vector load(const Complex* from) {
  return _mm256_loadu_pd(reinterpret_cast<const double*>(from));
}
GROMA_TARGET inline void store(Complex* to, Vector value) {
  _mm256_storeu_pd(reinterpret_cast<double*>(to), value);
}
GROMA_TARGET inline void store_past_caches(Complex* to, Vector value) {
  _mm256_stream_pd(reinterpret_cast<double*>(to), value);
}
GROMA_TARGET inline void transpose(Vector (&tile)[kLanes]) {
  const Vector low = _mm256_permute2f128_pd(tile[0], tile[1], 0x20);
  tile[1] = _mm256_permute2f128_pd(tile[0], tile[1], 0x31);
  tile[0] = low;
}
/// Real and imaginary parts, each twice in a row.
struct Factor {
  Vector real;
  Vector imaginary;
};
GROMA_TARGET inline Factor broadcast(const Complex& value) {
  return {_mm256_set1_pd(value.real()), _mm256_set1_pd(value.imag())};
}
GROMA_TARGET inline Factor split(Vector value) {
  return {_mm256_movedup_pd(value), _mm256_permute_pd(value, 0xF)};
}
GROMA_TARGET inline Factor times(const Factor& a, const Factor& b) {
  return {_mm256_fmsub_pd(a.real, b.real, _mm256_mul_pd(a.imaginary, b.imaginary)),
          _mm256_fmadd_pd(a.real, b.imaginary, _mm256_mul_pd(a.imaginary, b.real))};
}
GROMA_TARGET inline Vector multiply(Vector value, const Factor& factor) {
  const Vector swapped = _mm256_permute_pd(value, 0x5);
  return _mm256_fmaddsub_pd(value, factor.real, _mm256_mul_pd(swapped, factor.imaginary));
}
inline void prefetch(const Complex* from) {
  __builtin_prefetch(from, 0, 2);
}

#include "hpcc/fft/tile_kernels.inc"
#undef GROMA_TARGET

}  // namespace two

namespace four {

#define GROMA_TARGET [[gnu::target("avx512f")]]
using Vector = __m512d;
constexpr std::size_t kLanes = 4;
// GCC 12 warns of the unmasked forms: it takes their undefined operand for a mistake.
constexpr __mmask8 kAll = 0xFF;

GROMA_TARGET inline Vector load(const Complex* from) {
  return _mm512_loadu_pd(from);
}
GROMA_TARGET inline void store(Complex* to, Vector value) {
  _mm512_storeu_pd(to, value);
}
GROMA_TARGET inline void store_past_caches(Complex* to, Vector value) {
  _mm512_stream_pd(reinterpret_cast<double*>(to), value);
}
GROMA_TARGET inline void transpose(Vector (&tile)[kLanes]) {
  // Numbers 0 and 2 of two rows side by side, and numbers 1 and 3; then the same of pairs of these.
  const Vector even01 = _mm512_maskz_shuffle_f64x2(kAll, tile[0], tile[1], 0x88);
  const Vector odd01 = _mm512_maskz_shuffle_f64x2(kAll, tile[0], tile[1], 0xDD);
  const Vector even23 = _mm512_maskz_shuffle_f64x2(kAll, tile[2], tile[3], 0x88);
  const Vector odd23 = _mm512_maskz_shuffle_f64x2(kAll, tile[2], tile[3], 0xDD);
  tile[0] = _mm512_maskz_shuffle_f64x2(kAll, even01, even23, 0x88);
  tile[1] = _mm512_maskz_shuffle_f64x2(kAll, odd01, odd23, 0x88);
  tile[2] = _mm512_maskz_shuffle_f64x2(kAll, even01, even23, 0xDD);
  tile[3] = _mm512_maskz_shuffle_f64x2(kAll, odd01, odd23, 0xDD);
}
/// Real and imaginary parts, each twice in a row.
struct Factor {
  Vector real;
  Vector imaginary;
};
GROMA_TARGET inline Factor broadcast(const Complex& value) {
  return {_mm512_set1_pd(value.real()), _mm512_set1_pd(value.imag())};
}
GROMA_TARGET inline Factor split(Vector value) {
  return {_mm512_maskz_movedup_pd(kAll, value), _mm512_maskz_permute_pd(kAll, value, 0xFF)};
}
GROMA_TARGET inline Factor times(const Factor& a, const Factor& b) {
  return {_mm512_fmsub_pd(a.real, b.real, _mm512_mul_pd(a.imaginary, b.imaginary)),
          _mm512_fmadd_pd(a.real, b.imaginary, _mm512_mul_pd(a.imaginary, b.real))};
}
GROMA_TARGET inline Vector multiply(Vector value, const Factor& factor) {
  const Vector swapped = _mm512_maskz_permute_pd(kAll, value, 0x55);
  return _mm512_fmaddsub_pd(value, factor.real, _mm512_mul_pd(swapped, factor.imaginary));
}
inline void prefetch(const Complex* from) {
  __builtin_prefetch(from, 0, 2);
}

#include "hpcc/fft/tile_kernels.inc"
#undef GROMA_TARGET

}  // namespace four
#endif

constexpr TileKernels kOne = {"128 bit", one::gather, one::scatter, one::scatter_twiddled};
#if defined(__x86_64__)
constexpr TileKernels kTwo = {"avx2", two::gather, two::scatter, two::scatter_twiddled};
constexpr TileKernels kFour = {"avx512", four::gather, four::scatter, four::scatter_twiddled};
#endif

}  // namespace

std::vector<const TileKernels*> tile_kernels() {
  std::vector<const TileKernels*> kernels = {&kOne};
#if defined(__x86_64__)
  const bool has_two = __builtin_cpu_supports("avx2") > 0 && __builtin_cpu_supports("fma") > 0;
  if (has_two) kernels.push_back(&kTwo);
  if (__builtin_cpu_supports("avx512f") > 0) kernels.push_back(&kFour);
#endif
  return kernels;
}

void drain_stores() {
#if defined(__x86_64__)
  _mm_sfence();
#else
  std::atomic_thread_fence(std::memory_order_seq_cst);
#endif
}

}  // namespace groma::hpcc::fft
