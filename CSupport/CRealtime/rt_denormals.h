/** Flushes denormals for the length of a callback: a decaying filter would otherwise cost a hundred times as much. */
#ifndef RT_DENORMALS_H
#define RT_DENORMALS_H

#include "rt_nonblocking.h"

#include <stdint.h>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

/** Flushes to zero from now on in this thread; returns what rt_denormals_restore wants. [rt] */
static inline uint64_t rt_denormals_flush(void) RT_NONBLOCKING {
#if defined(__x86_64__)
  const uint32_t before = _mm_getcsr();
  _mm_setcsr(before | 0x8040u); /* FTZ, and DAZ for what comes in */
  return before;
#elif defined(__aarch64__)
  uint64_t before;
  __asm__ volatile("mrs %0, fpcr" : "=r"(before));
  __asm__ volatile("msr fpcr, %0" : : "r"(before | (UINT64_C(1) << 24))); /* FZ */
  return before;
#else
  return 0;
#endif
}

/** The caller's way again: a test or benchmark runs on a thread that is not ours. [rt] */
static inline void rt_denormals_restore(uint64_t before) RT_NONBLOCKING {
#if defined(__x86_64__)
  _mm_setcsr((uint32_t)before);
#elif defined(__aarch64__)
  __asm__ volatile("msr fpcr, %0" : : "r"(before));
#else
  (void)before;
#endif
}

#endif
