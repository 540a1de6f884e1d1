// Single instructions of AVX-512 BF16 and AMX, for the kernels that are compiled for them. Tile numbers are part
// of the instruction, so there is one function a number; the loops are Swift.
#pragma once
#if defined(__linux__) && defined(__x86_64__)
#include <sys/syscall.h>
#include <unistd.h>

/// Asks the kernel for tile registers in all threads of this process; nonzero where it grants them.
static inline int ardf_request_tiles(void) {
  enum { request_extended_state = 0x1023, tile_data = 18 };
  return syscall(SYS_arch_prctl, request_extended_state, tile_data) == 0;
}
#else
static inline int ardf_request_tiles(void) { return 0; }
#endif

#if defined(__AVX512BF16__) && defined(__AVX512VNNI__) && defined(__AMX_BF16__)
#include "AVX512Shims.h"
#include "IntegerShims.h"

/// sum + pairwise dot product: each 32-bit lane of a and b holds two bf16 numbers.
ARDF_INLINE __m512 ardf_bf16_dot(__m512 sum, __m512 a, __m512 b) {
  return _mm512_dpbf16_ps(sum, (__m512bh)a, (__m512bh)b);
}

/// Sixteen bf16 numbers as floats.
ARDF_INLINE __m512 ardf_bf16_load(const void *p) {
  return (__m512)_mm512_slli_epi32(_mm512_cvtepu16_epi32(_mm256_loadu_si256((const __m256i *)p)), 16);
}

/// The first `count` bf16 numbers as floats, zeros after them.
ARDF_INLINE __m512 ardf_bf16_load_partial(const void *p, long count) {
  return (__m512)_mm512_slli_epi32(
      _mm512_cvtepu16_epi32(_mm256_maskz_loadu_epi16(ardf_lanes(count), p)), 16);
}

/// Sixteen floats rounded to the nearest bf16, ties to even.
ARDF_INLINE void ardf_bf16_store(void *p, __m512 x) {
  _mm256_storeu_si256((__m256i *)p, (__m256i)_mm512_cvtneps_pbh(x));
}

/// As ardf_bf16_store, the first `count` lanes only.
ARDF_INLINE void ardf_bf16_store_partial(void *p, __m512 x, long count) {
  _mm256_mask_storeu_epi16(p, ardf_lanes(count), (__m256i)_mm512_cvtneps_pbh(x));
}

/// Thirty-two floats rounded to bf16, the sixteen of `low` first.
ARDF_INLINE void ardf_bf16_store_two(void *p, __m512 low, __m512 high) {
  _mm512_storeu_si512(p, (__m512i)_mm512_cvtne2ps_pbh(high, low));
}

/// Thirty-two bf16 numbers as they are, or the first `count` and zeros after them.
ARDF_INLINE __m512 ardf_bf16_bits(const void *p) { return (__m512)_mm512_loadu_si512(p); }
ARDF_INLINE __m512 ardf_bf16_bits_partial(const void *p, long count) {
  return (__m512)_mm512_maskz_loadu_epi16((__mmask32)((1u << count) - 1), p);
}
/// The larger of each pair of thirty-two, their bits taken as integers.
ARDF_INLINE __m512 ardf_bf16_larger_signed(__m512 a, __m512 b) {
  return (__m512)_mm512_max_epi16((__m512i)a, (__m512i)b);
}
ARDF_INLINE __m512 ardf_bf16_larger_unsigned(__m512 a, __m512 b) {
  return (__m512)_mm512_max_epu16((__m512i)a, (__m512i)b);
}
/// The largest of thirty-two, their bits taken as unsigned integers.
ARDF_INLINE float ardf_bf16_largest_unsigned(__m512 x) {
  const __m256i half = _mm256_max_epu16(
      _mm512_castsi512_si256((__m512i)x), _mm512_extracti64x4_epi64((__m512i)x, 1));
  const __m128i quarter = _mm_max_epu16(_mm256_castsi256_si128(half), _mm256_extracti128_si256(half, 1));
  const __m128i least = _mm_minpos_epu16(_mm_xor_si128(quarter, _mm_set1_epi16(-1)));
  const union { unsigned i; float f; } largest = {~(unsigned)_mm_cvtsi128_si32(least) << 16};
  return largest.f;
}

/// Sixteen pairs of bf16: lane i holds even[i], then odd[i].
ARDF_INLINE void ardf_bf16_store_pairs(void *p, __m512 even, __m512 odd) {
  const __m512i order = _mm512_set_epi16(
      31, 15, 30, 14, 29, 13, 28, 12, 27, 11, 26, 10, 25, 9, 24, 8, 23, 7, 22, 6, 21, 5, 20, 4, 19, 3, 18,
      2, 17, 1, 16, 0);
  _mm512_storeu_si512(p, _mm512_permutexvar_epi16(order, (__m512i)_mm512_cvtne2ps_pbh(odd, even)));
}

/// Sixteen pairs of bf16 from memory: lane i holds even[i], then odd[i].
ARDF_INLINE void ardf_bf16_copy_pairs(void *p, const void *even, const void *odd) {
  const __m512i order = _mm512_set_epi16(
      31, 15, 30, 14, 29, 13, 28, 12, 27, 11, 26, 10, 25, 9, 24, 8, 23, 7, 22, 6, 21, 5, 20, 4, 19, 3, 18,
      2, 17, 1, 16, 0);
  const __m512i both = _mm512_inserti64x4(
      _mm512_castsi256_si512(_mm256_loadu_si256((const __m256i *)even)),
      _mm256_loadu_si256((const __m256i *)odd), 1);
  _mm512_storeu_si512(p, _mm512_permutexvar_epi16(order, both));
}

/// Loads the shapes of the eight tiles, and clears them.
ARDF_INLINE void ardf_tiles_configure(const void *p) { _tile_loadconfig(p); }
/// Gives the tile registers back.
ARDF_INLINE void ardf_tiles_release(void) { _tile_release(); }

// Tiles 0 to 3 hold sums, (row, column) = (0,0) (0,1) (1,0) (1,1); 4 and 5 rows of A; 6 and 7 columns of B.
#define ARDF_SUM_TILE(n, row, column)                                                                         \
  ARDF_INLINE void ardf_tile_clear_##n(void) { _tile_zero(n); }                                               \
  ARDF_INLINE void ardf_tile_store_##n(void *p, long stride) { _tile_stored(n, p, stride); }                  \
  ARDF_INLINE void ardf_tile_multiply_##n(void) { _tile_dpbf16ps(n, 4 + row, 6 + column); }
ARDF_SUM_TILE(0, 0, 0)
ARDF_SUM_TILE(1, 0, 1)
ARDF_SUM_TILE(2, 1, 0)
ARDF_SUM_TILE(3, 1, 1)
#define ARDF_OPERAND_TILE(n)                                                                                  \
  ARDF_INLINE void ardf_tile_load_##n(const void *p, long stride) { _tile_loadd(n, p, stride); }
ARDF_OPERAND_TILE(4)
ARDF_OPERAND_TILE(5)
ARDF_OPERAND_TILE(6)
ARDF_OPERAND_TILE(7)
#endif
