// Single instructions of arm64 on integers, whose bits lie in vectors of floats, for the kernels that are compiled for them:
// what IntegerShims.h is for x86-64.
#pragma once
#if defined(__aarch64__)
#include "Arm64Shims.h"

/// Four sums of 32 bits + four integers of 16 bits, the lower or the upper of `columns`, each times number `lane` of `rows`.
#define ARDF_LANE(lane) case lane: return (ardf_quad)vmlal_laneq_s16(s, vget_low_s16(x), y, lane)
ARDF_INLINE ardf_quad ardf_int16_multiply(ardf_quad sums, ardf_quad columns, ardf_quad rows, long lane) {
  const int32x4_t s = (int32x4_t)sums;
  const int16x8_t x = (int16x8_t)columns, y = (int16x8_t)rows;
  switch (lane) {
    ARDF_LANE(0); ARDF_LANE(1); ARDF_LANE(2); ARDF_LANE(3); ARDF_LANE(4); ARDF_LANE(5); ARDF_LANE(6);
    default: ARDF_LANE(7);
  }
}
#undef ARDF_LANE
#define ARDF_LANE(lane) case lane: return (ardf_quad)vmlal_high_laneq_s16(s, x, y, lane)
ARDF_INLINE ardf_quad ardf_int16_multiply_upper(ardf_quad sums, ardf_quad columns, ardf_quad rows, long lane) {
  const int32x4_t s = (int32x4_t)sums;
  const int16x8_t x = (int16x8_t)columns, y = (int16x8_t)rows;
  switch (lane) {
    ARDF_LANE(0); ARDF_LANE(1); ARDF_LANE(2); ARDF_LANE(3); ARDF_LANE(4); ARDF_LANE(5); ARDF_LANE(6);
    default: ARDF_LANE(7);
  }
}
#undef ARDF_LANE

#if defined(__ARM_FEATURE_DOTPROD)
/// Four sums of 32 bits + the dot products of four integers of 8 bits each with word `lane` of `rows`, all signed.
#define ARDF_LANE(lane) case lane: return (ardf_quad)vdotq_laneq_s32(s, x, y, lane)
ARDF_INLINE ardf_quad ardf_int8_dot_lane(ardf_quad sums, ardf_quad columns, ardf_quad rows, long lane) {
  const int32x4_t s = (int32x4_t)sums;
  const int8x16_t x = (int8x16_t)columns, y = (int8x16_t)rows;
  switch (lane) {
    ARDF_LANE(0); ARDF_LANE(1); ARDF_LANE(2);
    default: ARDF_LANE(3);
  }
}
#undef ARDF_LANE
#endif

#if defined(__ARM_FEATURE_MATMUL_INT8)
/// sums + products of two rows of eight integers of 8 bits and two columns of eight, all signed: (0,0) (0,1) (1,0) (1,1).
ARDF_INLINE ardf_quad ardf_int8_matrix(ardf_quad sums, ardf_quad rows, ardf_quad columns) {
  return (ardf_quad)vmmlaq_s32((int32x4_t)sums, (int8x16_t)rows, (int8x16_t)columns);
}
#endif

/// Four integers of 32 bits as floats.
ARDF_INLINE ardf_quad ardf_int32_quad_floats(ardf_quad x) { return (ardf_quad)vcvtq_f32_s32((int32x4_t)x); }

/// The nearest integers of 32 bits.
ARDF_INLINE ardf_lanes16 ardf_int32_nearest(ardf_lanes16 x) {
  ardf_registers r = {x};
  ARDF_EACH(r.integers[i] = vcvtnq_s32_f32(r.quads[i]);)
  return r.lanes;
}

/// The sum of all lanes.
ARDF_INLINE int ardf_int32_sum(ardf_lanes16 x) { return __builtin_reduce_add((ardf_ints16)x); }

/// The first `count` lanes, zeros after them.
ARDF_INLINE ardf_lanes16 ardf_keep(ardf_lanes16 x, long count) {
  const ardf_ints16 lanes = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  return (ardf_lanes16)((ardf_ints16)x & (lanes < (ardf_ints16)(int)count));
}

/// Eight integers of 32 bits in two registers as 16 bits in one, those beyond as the nearest.
ARDF_INLINE int16x8_t ardf_words(ardf_registers x, int half) {
  return vqmovn_high_s32(vqmovn_s32(x.integers[2 * half]), x.integers[2 * half + 1]);
}

/// Sixteen floats rounded to integers of 16 bits, those beyond to the nearest.
ARDF_INLINE void ardf_int16_store(void *p, ardf_lanes16 x) {
  const ardf_registers r = {ardf_int32_nearest(x)};
  vst1q_s16((int16_t *)p, ardf_words(r, 0));
  vst1q_s16((int16_t *)p + 8, ardf_words(r, 1));
}

/// Sixteen integers of 16 bits, `even` rounded, and sixteen more, `odd`: columns are multiplied with one number at a time.
ARDF_INLINE void ardf_int16_store_pairs(void *p, ardf_lanes16 even, ardf_lanes16 odd) {
  ardf_int16_store(p, even);
  ardf_int16_store((int16_t *)p + 16, odd);
}

/// Sixteen integers of 32 bits as 8 bits, those beyond as the nearest.
ARDF_INLINE int8x16_t ardf_bytes(ardf_lanes16 x) {
  const ardf_registers r = {x};
  return vqmovn_high_s16(vqmovn_s16(ardf_words(r, 0)), ardf_words(r, 1));
}
ARDF_INLINE void ardf_int8_store(void *p, ardf_lanes16 x) { vst1q_s8((int8_t *)p, ardf_bytes(x)); }

/// Sixteen integers from 0 to 255 as those less 128.
ARDF_INLINE int8x16_t ardf_centered(ardf_lanes16 x) {
  const ardf_registers r = {x};
  const uint8x16_t bytes = vqmovun_high_s16(vqmovun_s16(ardf_words(r, 0)), ardf_words(r, 1));
  return (int8x16_t)veorq_u8(bytes, vdupq_n_u8(0x80));
}
ARDF_INLINE void ardf_int8_store_centered(void *p, ardf_lanes16 x) { vst1q_s8((int8_t *)p, ardf_centered(x)); }
/// Stores eight of them, and the other eight sixteen bytes further on.
ARDF_INLINE void ardf_int8_store_centered_halves(void *p, ardf_lanes16 x) {
  const int8x16_t bytes = ardf_centered(x);
  vst1_s8((int8_t *)p, vget_low_s8(bytes));
  vst1_s8((int8_t *)p + 16, vget_high_s8(bytes));
}
#endif
