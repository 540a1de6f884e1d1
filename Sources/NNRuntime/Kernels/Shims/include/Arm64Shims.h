// Single instructions of arm64 for the kernels that are compiled for them: those of every processor, then those of half
// precision, then bf16's, what BF16Shims.h is for x86-64. A vector of sixteen lanes is four registers.
#pragma once
#if defined(__aarch64__)
#include <arm_neon.h>

#define ARDF_INLINE static inline __attribute__((always_inline))

typedef float ardf_quad __attribute__((ext_vector_type(4)));

/// Sixteen lanes as registers.
typedef union {
  ardf_lanes16 lanes;
  float32x4_t quads[4];
  uint32x4_t words[4];
  int32x4_t integers[4];
} ardf_registers;

#define ARDF_EACH(statement) _Pragma("unroll") for (int i = 0; i < 4; ++i) statement

/// The nearest integers, as floats.
ARDF_INLINE ardf_lanes16 ardf_nearest(ardf_lanes16 x) {
  ardf_registers r = {x};
  ARDF_EACH(r.quads[i] = vrndnq_f32(r.quads[i]);)
  return r.lanes;
}

/// x * 2^n for whole n: saturates to zero and infinity.
ARDF_INLINE ardf_lanes16 ardf_scale(ardf_lanes16 x, ardf_lanes16 n) {
  ardf_registers r = {x}, s = {n};
  const int32x4_t least = vdupq_n_s32(-127), most = vdupq_n_s32(128);
  ARDF_EACH({
    const int32x4_t power = vminq_s32(vmaxq_s32(vcvtq_s32_f32(s.quads[i]), least), most);
    r.quads[i] = vmulq_f32(r.quads[i], (float32x4_t)vshlq_n_s32(vsubq_s32(power, least), 23));
  })
  return r.lanes;
}

/// 1 / x to fourteen binary digits: an estimate of eight, and a step of Newton's.
ARDF_INLINE ardf_lanes16 ardf_reciprocal(ardf_lanes16 x) {
  ardf_registers r = {x};
  ARDF_EACH({
    const float32x4_t estimate = vrecpeq_f32(r.quads[i]);
    r.quads[i] = vmulq_f32(estimate, vrecpsq_f32(r.quads[i], estimate));
  })
  return r.lanes;
}

#if defined(__ARM_FEATURE_FP16_VECTOR_ARITHMETIC)
/// Eight sums of halves + eight halves each times number `lane` of `rows`.
#define ARDF_LANE(lane) case lane: return (ardf_quad)vfmaq_laneq_f16(s, x, y, lane)
ARDF_INLINE ardf_quad ardf_half_multiply(ardf_quad sums, ardf_quad columns, ardf_quad rows, long lane) {
  const float16x8_t s = (float16x8_t)sums, x = (float16x8_t)columns, y = (float16x8_t)rows;
  switch (lane) {
    ARDF_LANE(0); ARDF_LANE(1); ARDF_LANE(2); ARDF_LANE(3); ARDF_LANE(4); ARDF_LANE(5); ARDF_LANE(6);
    default: ARDF_LANE(7);
  }
}
#undef ARDF_LANE

/// The lower and the upper four halves as floats.
ARDF_INLINE ardf_quad ardf_half_lower(ardf_quad x) {
  return (ardf_quad)vcvt_f32_f16(vget_low_f16((float16x8_t)x));
}
ARDF_INLINE ardf_quad ardf_half_upper(ardf_quad x) { return (ardf_quad)vcvt_high_f32_f16((float16x8_t)x); }

/// Sixteen floats rounded to halves.
ARDF_INLINE void ardf_half_store(void *p, ardf_lanes16 x) {
  const ardf_registers r = {x};
  vst1q_f16((float16_t *)p, vcvt_high_f16_f32(vcvt_f16_f32(r.quads[0]), r.quads[1]));
  vst1q_f16((float16_t *)p + 8, vcvt_high_f16_f32(vcvt_f16_f32(r.quads[2]), r.quads[3]));
}
#endif

#if defined(__ARM_FEATURE_BF16_VECTOR_ARITHMETIC)
/// sum + products of two rows of four bf16 and two columns of four: (0,0) (0,1) (1,0) (1,1).
ARDF_INLINE ardf_quad ardf_bf16_matrix(ardf_quad sum, ardf_quad rows, ardf_quad columns) {
  return (ardf_quad)vbfmmlaq_f32((float32x4_t)sum, (bfloat16x8_t)rows, (bfloat16x8_t)columns);
}

/// sum + pairwise dot product: each 32-bit lane of a and b holds two bf16 numbers.
ARDF_INLINE ardf_lanes16 ardf_bf16_dot(ardf_lanes16 sum, ardf_lanes16 a, ardf_lanes16 b) {
  ardf_registers s = {sum}, x = {a}, y = {b};
  ARDF_EACH(s.quads[i] = vbfdotq_f32(s.quads[i], (bfloat16x8_t)x.quads[i], (bfloat16x8_t)y.quads[i]);)
  return s.lanes;
}

/// Sixteen bf16 numbers as floats.
ARDF_INLINE ardf_lanes16 ardf_bf16_load(const void *p) {
  const uint16_t *halves = (const uint16_t *)p;
  ardf_registers x;
  ARDF_EACH(x.words[i] = vshll_n_u16(vld1_u16(halves + 4 * i), 16);)
  return x.lanes;
}

/// Sixteen floats rounded to the nearest bf16, ties to even: eight of them, then eight more.
ARDF_INLINE uint16x8_t ardf_bf16_half(ardf_registers x, int half) {
  return (uint16x8_t)vcvtq_high_bf16_f32(vcvtq_low_bf16_f32(x.quads[2 * half]), x.quads[2 * half + 1]);
}

/// Sixteen floats rounded to the nearest bf16, ties to even.
ARDF_INLINE void ardf_bf16_store(void *p, ardf_lanes16 x) {
  ardf_registers r = {x};
  vst1q_u16((uint16_t *)p, ardf_bf16_half(r, 0));
  vst1q_u16((uint16_t *)p + 8, ardf_bf16_half(r, 1));
}

/// Copies the first `count` numbers of 16 bits, at most 15.
ARDF_INLINE void ardf_copy_halves(uint16_t *target, const uint16_t *source, long count) {
  if (count & 8) {
    vst1q_u16(target, vld1q_u16(source));
    target += 8, source += 8;
  }
  if (count & 4) {
    vst1_u16(target, vld1_u16(source));
    target += 4, source += 4;
  }
  if (count & 2) {
    target[0] = source[0], target[1] = source[1];
    target += 2, source += 2;
  }
  if (count & 1) target[0] = source[0];
}

/// The first `count` bf16 numbers as floats, zeros after them.
ARDF_INLINE ardf_lanes16 ardf_bf16_load_partial(const void *p, long count) {
  if (count >= 16) return ardf_bf16_load(p);
  uint16_t halves[16] = {0};
  ardf_copy_halves(halves, (const uint16_t *)p, count);
  return ardf_bf16_load(halves);
}

/// As ardf_bf16_store, the first `count` lanes only.
ARDF_INLINE void ardf_bf16_store_partial(void *p, ardf_lanes16 x, long count) {
  uint16_t halves[16];
  ardf_bf16_store(count >= 16 ? p : halves, x);
  if (count < 16) ardf_copy_halves((uint16_t *)p, halves, count);
}

/// Thirty-two floats rounded to bf16, the sixteen of `low` first.
ARDF_INLINE void ardf_bf16_store_two(void *p, ardf_lanes16 low, ardf_lanes16 high) {
  ardf_bf16_store(p, low);
  ardf_bf16_store((uint16_t *)p + 16, high);
}

/// Sixteen pairs of bf16: lane i holds even[i], then odd[i].
ARDF_INLINE void ardf_bf16_store_pairs(void *p, ardf_lanes16 even, ardf_lanes16 odd) {
  ardf_registers a = {even}, b = {odd};
  vst2q_u16((uint16_t *)p, ((uint16x8x2_t){{ardf_bf16_half(a, 0), ardf_bf16_half(b, 0)}}));
  vst2q_u16((uint16_t *)p + 16, ((uint16x8x2_t){{ardf_bf16_half(a, 1), ardf_bf16_half(b, 1)}}));
}

/// Sixteen pairs of bf16 from memory: lane i holds even[i], then odd[i].
ARDF_INLINE void ardf_bf16_copy_pairs(void *p, const void *even, const void *odd) {
  const uint16_t *a = (const uint16_t *)even, *b = (const uint16_t *)odd;
  vst2q_u16((uint16_t *)p, ((uint16x8x2_t){{vld1q_u16(a), vld1q_u16(b)}}));
  vst2q_u16((uint16_t *)p + 16, ((uint16x8x2_t){{vld1q_u16(a + 8), vld1q_u16(b + 8)}}));
}
#endif
#endif
