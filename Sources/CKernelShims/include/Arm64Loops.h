// Inner loops of arm64's kernels whose sums and operands are all thirty-two registers, which no compiler hands out
// without a spill: so these are written as instructions. What is around them stays in the compiler's hands.
#pragma once
#if defined(__aarch64__)
#include <arm_neon.h>

/// What a tile multiplies, as TileProduct (NNKernelsShared/Tile.swift) says; strides in floats.
typedef struct {
  long segments, depth, row_capacity, column_stride, output_stride, ahead;
  const float *const *rows;
  const float *columns;
  /// What the sums begin with, laid out as the output; zero where null.
  const float *initial;
  float *output;
  /// Floats to the place of the sums up to the next segment; 0 where only the last are stored.
  long tile_floats;
} ardf_tile;

// A tile: five or six rows of A times sixteen columns of B. Registers hold the sums, four numbers of each row and two of
// the four registers of a row of B.

// The multiply-adds of one number of every row, lane `n` of v0 to v5, with two registers of B, v6 and v7.
#define ARDF_ROW(n, row, low, high)                                                                            \
  "fmla %[" low "].4s, v6.4s, v" row ".s[" n "]\n fmla %[" high "].4s, v7.4s, v" row ".s[" n "]\n"
#define ARDF_ROWS_5_LEFT(n)                                                                                    \
  ARDF_ROW(n, "0", "a0", "b0") ARDF_ROW(n, "1", "a1", "b1") ARDF_ROW(n, "2", "a2", "b2")                       \
  ARDF_ROW(n, "3", "a3", "b3") ARDF_ROW(n, "4", "a4", "b4")
#define ARDF_ROWS_5_RIGHT(n)                                                                                   \
  ARDF_ROW(n, "0", "c0", "d0") ARDF_ROW(n, "1", "c1", "d1") ARDF_ROW(n, "2", "c2", "d2")                       \
  ARDF_ROW(n, "3", "c3", "d3") ARDF_ROW(n, "4", "c4", "d4")
#define ARDF_ROWS_6_LEFT(n) ARDF_ROWS_5_LEFT(n) ARDF_ROW(n, "5", "a5", "b5")
#define ARDF_ROWS_6_RIGHT(n) ARDF_ROWS_5_RIGHT(n) ARDF_ROW(n, "5", "c5", "d5")
#define ARDF_STEP(rows, n)                                                                                     \
  "ldp q6, q7, [%[columns]]\n" ARDF_ROWS_##rows##_LEFT(n)                                                      \
  "ldp q6, q7, [%[columns], #32]\n add %[columns], %[columns], %[stride]\n" ARDF_ROWS_##rows##_RIGHT(n)

// A register of every row.
#define ARDF_LOAD_5(r)                                                                                         \
  "ldr " r "0, [%[r0], %[at]]\n ldr " r "1, [%[r1], %[at]]\n ldr " r "2, [%[r2], %[at]]\n"                     \
  "ldr " r "3, [%[r3], %[at]]\n ldr " r "4, [%[r4], %[at]]\n"
#define ARDF_LOAD_6(r) ARDF_LOAD_5(r) "ldr " r "5, [%[r5], %[at]]\n"

// Steps from byte `at` of the rows up to `whole` by fours, and up to `end` one by one.
#define ARDF_STEPS(rows)                                                                                       \
  "cmp %[at], %[whole]\n b.hs 2f\n"                                                                            \
  "1:\n" ARDF_LOAD_##rows("q") ARDF_STEP(rows, "0") ARDF_STEP(rows, "1") ARDF_STEP(rows, "2")                  \
  "add %[at], %[at], #16\n cmp %[at], %[whole]\n" ARDF_STEP(rows, "3") "b.lo 1b\n"                             \
  "2: cmp %[at], %[end]\n b.hs 4f\n"                                                                           \
  "3:\n" ARDF_LOAD_##rows("s") "add %[at], %[at], #4\n cmp %[at], %[end]\n" ARDF_STEP(rows, "0") "b.lo 3b\n"   \
  "4:\n"

#define ARDF_SUMS_5(s)                                                                                         \
  [a0] "+w"(s[0]), [b0] "+w"(s[1]), [c0] "+w"(s[2]), [d0] "+w"(s[3]), [a1] "+w"(s[4]), [b1] "+w"(s[5]),        \
  [c1] "+w"(s[6]), [d1] "+w"(s[7]), [a2] "+w"(s[8]), [b2] "+w"(s[9]), [c2] "+w"(s[10]), [d2] "+w"(s[11]),      \
  [a3] "+w"(s[12]), [b3] "+w"(s[13]), [c3] "+w"(s[14]), [d3] "+w"(s[15]), [a4] "+w"(s[16]),                    \
  [b4] "+w"(s[17]), [c4] "+w"(s[18]), [d4] "+w"(s[19])
#define ARDF_SUMS_6(s)                                                                                         \
  ARDF_SUMS_5(s), [a5] "+w"(s[20]), [b5] "+w"(s[21]), [c5] "+w"(s[22]), [d5] "+w"(s[23])
#define ARDF_POINTERS_5(r) [r0] "r"(r[0]), [r1] "r"(r[1]), [r2] "r"(r[2]), [r3] "r"(r[3]), [r4] "r"(r[4])
#define ARDF_POINTERS_6(r) ARDF_POINTERS_5(r), [r5] "r"(r[5])

/// Multiplies a tile of that many rows.
#define ARDF_TILE(count)                                                                                       \
  static inline __attribute__((always_inline)) void ardf_multiply_tile_##count(const ardf_tile *tile) {        \
    float32x4_t sums[4 * count];                                                                               \
    const float *const *rows = tile->rows;                                                                     \
    const float *columns = tile->columns;                                                                      \
    float *output = tile->output;                                                                              \
    _Pragma("unroll") for (int i = 0; i < 4 * count; ++i)                                                      \
      sums[i] = tile->initial ? vld1q_f32(tile->initial + i / 4 * tile->output_stride + i % 4 * 4)             \
                              : vdupq_n_f32(0);                                                                \
    for (long segment = 0; segment < tile->segments; ++segment) {                                              \
      /* Lines that are asked for come a few at a time. */                                                     \
      const long most = tile->ahead ? 64 : tile->depth;                                                        \
      for (long k = 0; k < tile->depth; k += most) {                                                           \
        const long steps = tile->depth - k < most ? tile->depth - k : most;                                    \
        if (tile->ahead)                                                                                       \
          _Pragma("unroll") for (int row = 0; row < count; ++row)                                              \
            for (long line = k; line < k + steps; line += 16) __builtin_prefetch(rows[row] + line + tile->ahead); \
        long at = k * 4;                                                                                       \
        __asm__ volatile(ARDF_STEPS(count)                                                                     \
                         : ARDF_SUMS_##count(sums), [columns] "+r"(columns), [at] "+r"(at)                     \
                         : ARDF_POINTERS_##count(rows), [stride] "r"(tile->column_stride * 4),                 \
                           [whole] "r"((k + (steps & ~3)) * 4), [end] "r"((k + steps) * 4)                     \
                         : "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "cc", "memory");                    \
      }                                                                                                        \
      rows += tile->row_capacity;                                                                              \
      if (tile->tile_floats || segment + 1 == tile->segments)                                                  \
        _Pragma("unroll") for (int i = 0; i < 4 * count; ++i)                                                  \
          vst1q_f32(output + i / 4 * tile->output_stride + i % 4 * 4, sums[i]);                                \
      output += tile->tile_floats;                                                                             \
    }                                                                                                          \
  }
ARDF_TILE(5)
ARDF_TILE(6)

// A strip of a depthwise 3x3 convolution of stride 1: twelve neighbouring output pixels of eight channels. A pixel that is
// loaded is multiplied with the three positions of a row of the kernel at once.

/// The sums of two pixels a vector.
typedef struct {
  ardf_lanes16 sums[6];
} ardf_strip;

// The pixel at hand, v6 and v7, times a position of the kernel, for one output pixel.
#define ARDF_TAP(output, low, high)                                                                            \
  "fmla %[a" output "].4s, v6.4s, v" low ".4s\n fmla %[b" output "].4s, v7.4s, v" high ".4s\n"

/// Adds `rows` rows of the kernel to the bias. Strides in floats; weights of neighbouring positions are `channels` apart.
static inline __attribute__((always_inline)) ardf_strip ardf_depthwise_strip(
    const float *source, long pixel_stride, long row_stride, const float *weights, long channels, long rows,
    const float *bias) {
  union {
    float32x4_t pixels[24];
    ardf_strip strip;
  } sums;
  float32x4_t *const s = sums.pixels;
  _Pragma("unroll") for (int i = 0; i < 24; ++i) s[i] = vld1q_f32(bias + i % 2 * 4);
  const float *second = source + 4;
  const long pixel = pixel_stride * 4;
  if (rows > 0)
    __asm__ volatile(
        "1: ld1 {v0.4s, v1.4s}, [%[weights]], %[position]\n ld1 {v2.4s, v3.4s}, [%[weights]], %[position]\n"
        "ld1 {v4.4s, v5.4s}, [%[weights]], %[position]\n subs %[rows], %[rows], #1\n"
        "ld1 {v6.4s}, [%[source]], %[p1]\n ld1 {v7.4s}, [%[second]], %[p1]\n" ARDF_TAP("0", "0", "1")
        "ldr q6, [%[source]]\n ldr q7, [%[second]]\n"
        ARDF_TAP("1", "0", "1") ARDF_TAP("0", "2", "3")
        "ldr q6, [%[source], %[p1]]\n ldr q7, [%[second], %[p1]]\n"
        ARDF_TAP("2", "0", "1") ARDF_TAP("1", "2", "3") ARDF_TAP("0", "4", "5")
        "ldr q6, [%[source], %[p2]]\n ldr q7, [%[second], %[p2]]\n"
        ARDF_TAP("3", "0", "1") ARDF_TAP("2", "2", "3") ARDF_TAP("1", "4", "5")
        "ldr q6, [%[source], %[p3]]\n ldr q7, [%[second], %[p3]]\n"
        ARDF_TAP("4", "0", "1") ARDF_TAP("3", "2", "3") ARDF_TAP("2", "4", "5")
        "ldr q6, [%[source], %[p4]]\n ldr q7, [%[second], %[p4]]\n"
        ARDF_TAP("5", "0", "1") ARDF_TAP("4", "2", "3") ARDF_TAP("3", "4", "5")
        "ldr q6, [%[source], %[p5]]\n ldr q7, [%[second], %[p5]]\n"
        ARDF_TAP("6", "0", "1") ARDF_TAP("5", "2", "3") ARDF_TAP("4", "4", "5")
        "ldr q6, [%[source], %[p6]]\n ldr q7, [%[second], %[p6]]\n"
        ARDF_TAP("7", "0", "1") ARDF_TAP("6", "2", "3") ARDF_TAP("5", "4", "5")
        "ldr q6, [%[source], %[p7]]\n ldr q7, [%[second], %[p7]]\n"
        ARDF_TAP("8", "0", "1") ARDF_TAP("7", "2", "3") ARDF_TAP("6", "4", "5")
        "ldr q6, [%[source], %[p8]]\n ldr q7, [%[second], %[p8]]\n"
        ARDF_TAP("9", "0", "1") ARDF_TAP("8", "2", "3") ARDF_TAP("7", "4", "5")
        "ldr q6, [%[source], %[p9]]\n ldr q7, [%[second], %[p9]]\n"
        ARDF_TAP("10", "0", "1") ARDF_TAP("9", "2", "3") ARDF_TAP("8", "4", "5")
        "ldr q6, [%[source], %[p10]]\n ldr q7, [%[second], %[p10]]\n"
        ARDF_TAP("11", "0", "1") ARDF_TAP("10", "2", "3") ARDF_TAP("9", "4", "5")
        "ldr q6, [%[source], %[p11]]\n ldr q7, [%[second], %[p11]]\n"
        ARDF_TAP("11", "2", "3") ARDF_TAP("10", "4", "5")
        "ldr q6, [%[source], %[p12]]\n ldr q7, [%[second], %[p12]]\n"
        ARDF_TAP("11", "4", "5")
        "add %[source], %[source], %[line]\n add %[second], %[second], %[line]\n b.ne 1b\n"
        : [a0] "+w"(s[0]), [b0] "+w"(s[1]), [a1] "+w"(s[2]), [b1] "+w"(s[3]), [a2] "+w"(s[4]), [b2] "+w"(s[5]),
          [a3] "+w"(s[6]), [b3] "+w"(s[7]), [a4] "+w"(s[8]), [b4] "+w"(s[9]),
          [a5] "+w"(s[10]), [b5] "+w"(s[11]), [a6] "+w"(s[12]), [b6] "+w"(s[13]),
          [a7] "+w"(s[14]), [b7] "+w"(s[15]), [a8] "+w"(s[16]), [b8] "+w"(s[17]),
          [a9] "+w"(s[18]), [b9] "+w"(s[19]), [a10] "+w"(s[20]), [b10] "+w"(s[21]),
          [a11] "+w"(s[22]), [b11] "+w"(s[23]), [source] "+r"(source), [second] "+r"(second),
          [weights] "+r"(weights), [rows] "+r"(rows)
        : [p1] "r"(pixel), [p2] "r"(2 * pixel), [p3] "r"(3 * pixel), [p4] "r"(4 * pixel), [p5] "r"(5 * pixel),
          [p6] "r"(6 * pixel), [p7] "r"(7 * pixel), [p8] "r"(8 * pixel), [p9] "r"(9 * pixel),
          [p10] "r"(10 * pixel), [p11] "r"(11 * pixel), [p12] "r"(12 * pixel), [position] "r"(channels * 4),
          [line] "r"(row_stride * 4 - pixel)
        : "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "cc", "memory");
  return sums.strip;
}
#endif
