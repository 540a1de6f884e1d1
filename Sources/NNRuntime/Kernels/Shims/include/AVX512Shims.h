// Single instructions of AVX-512, for the kernels that are compiled for it.
#pragma once
#if defined(__AVX512F__) && defined(__AVX512DQ__)
#include <immintrin.h>

#define ARDF_INLINE static inline __attribute__((always_inline))

/// x - floor(x); 0 for infinities.
ARDF_INLINE __m512 ardf_fraction(__m512 x) { return _mm512_reduce_ps(x, 9); }

/// x * 2^floor(n): saturates to zero and infinity.
ARDF_INLINE __m512 ardf_scale(__m512 x, __m512 n) { return _mm512_scalef_ps(x, n); }

/// 1 / x to fourteen binary digits.
ARDF_INLINE __m512 ardf_reciprocal(__m512 x) { return _mm512_rcp14_ps(x); }

/// The nearest integers, as floats.
ARDF_INLINE __m512 ardf_nearest(__m512 x) { return _mm512_roundscale_ps(x, 8); }

/// c - a * b, rounded once.
ARDF_INLINE __m512 ardf_multiply_subtract(__m512 a, __m512 b, __m512 c) { return _mm512_fnmadd_ps(a, b, c); }

/// Lanes 0 to count - 1; count is at most 16.
ARDF_INLINE __mmask16 ardf_lanes(long count) { return (__mmask16)((1u << count) - 1); }

/// The first `count` floats, zeros after them.
ARDF_INLINE __m512 ardf_load_partial(const float *p, long count) {
  return _mm512_maskz_loadu_ps(ardf_lanes(count), p);
}

/// The first `count` lanes.
ARDF_INLINE void ardf_store_partial(float *p, __m512 x, long count) {
  _mm512_mask_storeu_ps(p, ardf_lanes(count), x);
}
#endif
