// Single instructions on integers, whose bits lie in vectors of floats, for the kernels that are compiled for them.
#pragma once
#if defined(__AVX512VNNI__)
#include "AVX512Shims.h"

/// sum + pairwise dot product: each 32-bit lane of a and b holds two integers of 16 bits, that of the sum one of 32.
ARDF_INLINE __m512 ardf_int16_dot(__m512 sum, __m512 a, __m512 b) {
  return (__m512)_mm512_dpwssd_epi32((__m512i)sum, (__m512i)a, (__m512i)b);
}

/// Sixteen integers of 32 bits as floats.
ARDF_INLINE __m512 ardf_int32_floats(__m512 x) { return _mm512_cvtepi32_ps((__m512i)x); }

/// Sixteen floats rounded to integers of 16 bits, those beyond to the nearest.
ARDF_INLINE void ardf_int16_store(void *p, __m512 x) {
  _mm256_storeu_si256((__m256i *)p, _mm512_cvtsepi32_epi16(_mm512_cvtps_epi32(x)));
}

/// Sixteen pairs of integers of 16 bits: lane i holds even[i], then odd[i], rounded; both within their range.
ARDF_INLINE void ardf_int16_store_pairs(void *p, __m512 even, __m512 odd) {
  _mm512_storeu_si512(
      p, _mm512_mask_blend_epi16(
             0xaaaaaaaa, _mm512_cvtps_epi32(even), _mm512_slli_epi32(_mm512_cvtps_epi32(odd), 16)));
}

/// sum + dot product of four: each 32-bit lane of a holds integers of 8 bits from 0 to 255, of b from -128 to 127.
ARDF_INLINE __m512 ardf_int8_dot(__m512 sum, __m512 a, __m512 b) {
  return (__m512)_mm512_dpbusd_epi32((__m512i)sum, (__m512i)a, (__m512i)b);
}

/// The nearest integers of 32 bits.
ARDF_INLINE __m512 ardf_int32_nearest(__m512 x) { return (__m512)_mm512_cvtps_epi32(x); }

/// The sum of all lanes.
ARDF_INLINE int ardf_int32_sum(__m512 x) { return _mm512_reduce_add_epi32((__m512i)x); }

/// The first `count` lanes, zeros after them.
ARDF_INLINE __m512 ardf_keep(__m512 x, long count) { return _mm512_maskz_mov_ps(ardf_lanes(count), x); }

/// Sixteen integers of 32 bits as 8 bits, those beyond as the nearest.
ARDF_INLINE void ardf_int8_store(void *p, __m512 x) {
  _mm_storeu_si128((__m128i *)p, _mm512_cvtsepi32_epi8((__m512i)x));
}
/// The same without a sign.
ARDF_INLINE void ardf_uint8_store(void *p, __m512 x) {
  _mm_storeu_si128((__m128i *)p, _mm512_cvtusepi32_epi8((__m512i)x));
}
#elif defined(__AVX2__) && !defined(__AVX512F__)
#include <immintrin.h>

#define ARDF_INLINE static inline __attribute__((always_inline))

// Sixteen lanes are two registers, a first and a second; as macros, since C would pass sixteen through memory.
#define ARDF_FIRST(x) ((__m256i)__builtin_shufflevector(x, x, 0, 1, 2, 3, 4, 5, 6, 7))
#define ARDF_SECOND(x) ((__m256i)__builtin_shufflevector(x, x, 8, 9, 10, 11, 12, 13, 14, 15))
#define ARDF_BOTH(a, b)                                                                                       \
  ((ardf_lanes16)__builtin_shufflevector(                                                                     \
      (__m256)(a), (__m256)(b), 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15))
/// A function of registers, done to both.
#define ARDF_EACH(function, x) ARDF_BOTH(function(ARDF_FIRST(x)), function(ARDF_SECOND(x)))

/// sum + pairwise dot product: each 32-bit lane of a and b holds two integers of 16 bits, that of the sum one of 32.
ARDF_INLINE ardf_lanes16 ardf_int16_dot(ardf_lanes16 sum, ardf_lanes16 a, ardf_lanes16 b) {
  return ARDF_BOTH(
      _mm256_add_epi32(ARDF_FIRST(sum), _mm256_madd_epi16(ARDF_FIRST(a), ARDF_FIRST(b))),
      _mm256_add_epi32(ARDF_SECOND(sum), _mm256_madd_epi16(ARDF_SECOND(a), ARDF_SECOND(b))));
}

/// sum + dot product of four: each 32-bit lane of a holds integers of 8 bits from 0 to 255, of b from -64 to 64: a sum of
/// two products fits 16 bits then.
ARDF_INLINE __m256i ardf_half_int8_dot(__m256i sum, __m256i a, __m256i b) {
  return _mm256_add_epi32(sum, _mm256_madd_epi16(_mm256_maddubs_epi16(a, b), _mm256_set1_epi16(1)));
}
ARDF_INLINE ardf_lanes16 ardf_int8_dot(ardf_lanes16 sum, ardf_lanes16 a, ardf_lanes16 b) {
  return ARDF_BOTH(
      ardf_half_int8_dot(ARDF_FIRST(sum), ARDF_FIRST(a), ARDF_FIRST(b)),
      ardf_half_int8_dot(ARDF_SECOND(sum), ARDF_SECOND(a), ARDF_SECOND(b)));
}

/// Sixteen integers of 32 bits as floats.
ARDF_INLINE ardf_lanes16 ardf_int32_floats(ardf_lanes16 x) { return ARDF_EACH(_mm256_cvtepi32_ps, x); }

/// The nearest integers of 32 bits.
ARDF_INLINE __m256i ardf_half_nearest(__m256i x) { return _mm256_cvtps_epi32((__m256)x); }
ARDF_INLINE ardf_lanes16 ardf_int32_nearest(ardf_lanes16 x) { return ARDF_EACH(ardf_half_nearest, x); }

/// The sum of all lanes.
ARDF_INLINE int ardf_int32_sum(ardf_lanes16 x) { return __builtin_reduce_add((ardf_ints16)x); }

/// The first `count` lanes, zeros after them.
ARDF_INLINE ardf_lanes16 ardf_keep(ardf_lanes16 x, long count) {
  const ardf_ints16 lanes = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  return (ardf_lanes16)((ardf_ints16)x & (lanes < (ardf_ints16)(int)count));
}

/// Sixteen integers of 32 bits in two registers as 16 bits in one, those beyond as the nearest.
ARDF_INLINE __m256i ardf_words(__m256i first, __m256i second) {
  return _mm256_permute4x64_epi64(_mm256_packs_epi32(first, second), 0xd8);
}

/// Sixteen floats rounded to integers of 16 bits, those beyond to the nearest.
ARDF_INLINE void ardf_int16_store(void *p, ardf_lanes16 x) {
  _mm256_storeu_si256(
      (__m256i *)p, ardf_words(ardf_half_nearest(ARDF_FIRST(x)), ardf_half_nearest(ARDF_SECOND(x))));
}

/// Sixteen pairs of integers of 16 bits: lane i holds even[i], then odd[i], rounded; both within their range.
ARDF_INLINE __m256i ardf_half_pairs(__m256i even, __m256i odd) {
  return _mm256_blend_epi16(ardf_half_nearest(even), _mm256_slli_epi32(ardf_half_nearest(odd), 16), 0xaa);
}
ARDF_INLINE void ardf_int16_store_pairs(void *p, ardf_lanes16 even, ardf_lanes16 odd) {
  _mm256_storeu_si256((__m256i *)p, ardf_half_pairs(ARDF_FIRST(even), ARDF_FIRST(odd)));
  _mm256_storeu_si256((__m256i *)p + 1, ardf_half_pairs(ARDF_SECOND(even), ARDF_SECOND(odd)));
}

/// Sixteen integers of 32 bits as 8 bits, those beyond as the nearest; and the same without a sign.
ARDF_INLINE void ardf_int8_store(void *p, ardf_lanes16 x) {
  const __m256i words = ardf_words(ARDF_FIRST(x), ARDF_SECOND(x));
  _mm_storeu_si128(
      (__m128i *)p, _mm_packs_epi16(_mm256_castsi256_si128(words), _mm256_extracti128_si256(words, 1)));
}
ARDF_INLINE void ardf_uint8_store(void *p, ardf_lanes16 x) {
  const __m256i words = ardf_words(ARDF_FIRST(x), ARDF_SECOND(x));
  _mm_storeu_si128(
      (__m128i *)p, _mm_packus_epi16(_mm256_castsi256_si128(words), _mm256_extracti128_si256(words, 1)));
}

/// The nearest integers, as floats.
ARDF_INLINE __m256 ardf_half_rounded(__m256i x) { return _mm256_round_ps((__m256)x, 8); }
ARDF_INLINE ardf_lanes16 ardf_nearest(ardf_lanes16 x) { return ARDF_EACH(ardf_half_rounded, x); }

/// x * 2^n for integers n, of which those beyond -126 to 127 are taken as the nearest.
ARDF_INLINE __m256i ardf_half_power(__m256i n) {
  const __m256i bounded = _mm256_max_epi32(
      _mm256_min_epi32(ardf_half_nearest(n), _mm256_set1_epi32(127)), _mm256_set1_epi32(-126));
  return _mm256_slli_epi32(_mm256_add_epi32(bounded, _mm256_set1_epi32(127)), 23);
}
ARDF_INLINE ardf_lanes16 ardf_scale(ardf_lanes16 x, ardf_lanes16 n) { return x * ARDF_EACH(ardf_half_power, n); }

/// 1 / x, divided: what rcpps gives is each processor's own.
ARDF_INLINE __m256 ardf_half_reciprocal(__m256i x) { return _mm256_div_ps(_mm256_set1_ps(1), (__m256)x); }
ARDF_INLINE ardf_lanes16 ardf_reciprocal(ardf_lanes16 x) { return ARDF_EACH(ardf_half_reciprocal, x); }
#endif
