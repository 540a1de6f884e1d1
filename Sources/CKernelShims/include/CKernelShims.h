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

/// What the kernel says the processor can do: the words AT_HWCAP and AT_HWCAP2 of the auxiliary vector.
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

/// Brings a cache line near, to be read; an address that is not mapped does no harm.
static inline void ardf_prefetch_to_read(const void *p) { __builtin_prefetch(p, 0, 3); }
/// Brings a cache line near, to be written.
static inline void ardf_prefetch_to_write(const void *p) { __builtin_prefetch(p, 1, 3); }

#include "AVX512Shims.h"
#include "IntegerShims.h"
#include "BF16Shims.h"
#include "Arm64Shims.h"
#include "Arm64IntegerShims.h"
