// Header-only shims for what Swift cannot reach by itself: the CPU's feature bits, the
// processors of this process, the hint of a waiting loop.
#pragma once
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <sched.h>
#include <stdint.h>

/// Processors that this process may run on.
static inline int ardf_available_processors(void) {
  cpu_set_t set;
  return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
}

#if defined(__x86_64__)
#include <cpuid.h>

/// Registers eax, ebx, ecx, edx of a CPUID leaf; all zero where the leaf does not exist.
typedef struct {
  uint32_t eax, ebx, ecx, edx;
} ardf_cpuid_result;

static inline ardf_cpuid_result ardf_cpuid(uint32_t leaf, uint32_t subleaf) {
  ardf_cpuid_result r = {0, 0, 0, 0};
  __get_cpuid_count(leaf, subleaf, &r.eax, &r.ebx, &r.ecx, &r.edx);
  return r;
}

/// XCR0: which register files the operating system saves (bit 1 xmm, 2 ymm, 5 to 7 zmm).
/// Only call where CPUID leaf 1 reports OSXSAVE.
static inline uint64_t ardf_xgetbv0(void) {
  uint32_t lo, hi;
  __asm__ volatile("xgetbv" : "=a"(lo), "=d"(hi) : "c"(0));
  return ((uint64_t)hi << 32) | lo;
}

/// Tells the CPU that this is a waiting loop.
static inline void ardf_spin_pause(void) { __builtin_ia32_pause(); }
#elif defined(__aarch64__)
#include <sys/auxv.h>

/// The processor's features as the kernel reports them: the words AT_HWCAP and AT_HWCAP2 of the auxiliary vector.
static inline uint64_t ardf_hardware_capabilities(void) { return getauxval(AT_HWCAP); }
static inline uint64_t ardf_hardware_capabilities2(void) { return getauxval(AT_HWCAP2); }

/// A number in a register of its own, to be an element of multiply-adds: a compiler that saw the load would make it
/// `ld1r`, which takes the pipe of a multiply-add.
static inline __attribute__((always_inline)) float ardf_element(const float *p) {
  float x = *p;
  __asm__("" : "+w"(x));
  return x;
}

/// A number that stays in a register of its own: a compiler that saw what it is would make it of others again.
static inline __attribute__((always_inline)) long ardf_kept(long x) {
  __asm__("" : "+r"(x));
  return x;
}

/// Tells the CPU that this is a waiting loop: ISB waits some tens of cycles, YIELD none on most.
static inline void ardf_spin_pause(void) { __asm__ volatile("isb" ::: "memory"); }
#else
static inline void ardf_spin_pause(void) {}
#endif

/// Sixteen lanes: SIMD16<Float> in Swift, whose own choice between lanes is a branch a lane in long loops.
typedef float ardf_lanes16 __attribute__((ext_vector_type(16)));

/// The larger of each pair of lanes; b where one is not a number.
static inline __attribute__((always_inline)) ardf_lanes16 ardf_larger(ardf_lanes16 a, ardf_lanes16 b) {
  return a > b ? a : b;
}

/// The smaller of each pair of lanes; b where one is not a number.
static inline __attribute__((always_inline)) ardf_lanes16 ardf_smaller(ardf_lanes16 a, ardf_lanes16 b) {
  return a < b ? a : b;
}

/// The larger of each pair of lanes; not a number where one is not.
static inline __attribute__((always_inline)) ardf_lanes16 ardf_larger_or_nan(ardf_lanes16 a, ardf_lanes16 b) {
  return ((a > b) | (a != a)) ? a : b;
}

/// The square root of each lane.
static inline __attribute__((always_inline)) ardf_lanes16 ardf_square_root(ardf_lanes16 x) {
  return __builtin_elementwise_sqrt(x);
}

/// The larger of each pair of lanes, their bits taken as integers.
typedef int ardf_ints16 __attribute__((ext_vector_type(16)));
typedef unsigned ardf_unsigned16 __attribute__((ext_vector_type(16)));
static inline __attribute__((always_inline)) ardf_lanes16 ardf_larger_signed(ardf_lanes16 a, ardf_lanes16 b) {
  return (ardf_lanes16)__builtin_elementwise_max((ardf_ints16)a, (ardf_ints16)b);
}
static inline __attribute__((always_inline)) ardf_lanes16 ardf_larger_unsigned(ardf_lanes16 a, ardf_lanes16 b) {
  return (ardf_lanes16)__builtin_elementwise_max((ardf_unsigned16)a, (ardf_unsigned16)b);
}
/// The largest lane, the bits taken as integers.
static inline __attribute__((always_inline)) uint32_t ardf_largest_signed(ardf_lanes16 x) {
  return (uint32_t)__builtin_reduce_max((ardf_ints16)x);
}
static inline __attribute__((always_inline)) uint32_t ardf_largest_unsigned(ardf_lanes16 x) {
  return __builtin_reduce_max((ardf_unsigned16)x);
}

// Of every quarter (four words) of a and b: its lower or upper two words, or pairs of words, interleaved; or
// whole quarters, 0 and 2 or 1 and 3 of a, then of b.
#define ARDF_SHUFFLE(name, ...)                                                                                \
  static inline __attribute__((always_inline)) ardf_lanes16 ardf_##name(ardf_lanes16 a, ardf_lanes16 b) {      \
    return __builtin_shufflevector(a, b, __VA_ARGS__);                                                         \
  }
ARDF_SHUFFLE(lower_words, 0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29)
ARDF_SHUFFLE(upper_words, 2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31)
ARDF_SHUFFLE(lower_pairs, 0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29)
ARDF_SHUFFLE(upper_pairs, 2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31)
ARDF_SHUFFLE(even_quarters, 0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27)
ARDF_SHUFFLE(odd_quarters, 4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31)
#undef ARDF_SHUFFLE

// The thirds of sixteen pixels of three channels, of which a, b and c hold one each.
#define ARDF_THIRD(name, first, second)                                                                        \
  static inline __attribute__((always_inline)) ardf_lanes16 ardf_##name##_third(                               \
      ardf_lanes16 a, ardf_lanes16 b, ardf_lanes16 c) {                                                        \
    const ardf_lanes16 two = __builtin_shufflevector(a, b, first);                                             \
    return __builtin_shufflevector(two, c, second);                                                            \
  }
#define ARDF_LIST(...) __VA_ARGS__
ARDF_THIRD(first, ARDF_LIST(0, 16, 0, 1, 17, 0, 2, 18, 0, 3, 19, 0, 4, 20, 0, 5),
           ARDF_LIST(0, 1, 16, 3, 4, 17, 6, 7, 18, 9, 10, 19, 12, 13, 20, 15))
ARDF_THIRD(second, ARDF_LIST(21, 0, 6, 22, 0, 7, 23, 0, 8, 24, 0, 9, 25, 0, 10, 26),
           ARDF_LIST(0, 21, 2, 3, 22, 5, 6, 23, 8, 9, 24, 11, 12, 25, 14, 15))
ARDF_THIRD(last, ARDF_LIST(0, 11, 27, 0, 12, 28, 0, 13, 29, 0, 14, 30, 0, 15, 31, 0),
           ARDF_LIST(26, 1, 2, 27, 4, 5, 28, 7, 8, 29, 10, 11, 30, 13, 14, 31))
#undef ARDF_LIST
#undef ARDF_THIRD

/// Brings a cache line near, to be read; an address that is not mapped does no harm.
static inline void ardf_prefetch_to_read(const void *p) { __builtin_prefetch(p, 0, 3); }
/// Brings a cache line near, to be written.
static inline void ardf_prefetch_to_write(const void *p) { __builtin_prefetch(p, 1, 3); }

#include "AVX512Shims.h"
#include "IntegerShims.h"
#include "BF16Shims.h"
#include "Arm64Shims.h"
#include "Arm64IntegerShims.h"
