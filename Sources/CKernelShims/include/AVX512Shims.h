// Single instructions of AVX-512, for the kernels that are compiled for it.
#pragma once
#if defined(__AVX512F__) && defined(__AVX512DQ__)
#include <immintrin.h>

#define ARDF_INLINE static inline __attribute__((always_inline))

/// x - floor(x); 0 for infinities.
ARDF_INLINE __m512 ardf_fraction(__m512 x) { return _mm512_reduce_ps(x, 9); }

/// x * 2^floor(n): saturates to zero and infinity.
ARDF_INLINE __m512 ardf_scale(__m512 x, __m512 n) { return _mm512_scalef_ps(x, n); }
#endif
