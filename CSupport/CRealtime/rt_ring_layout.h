/** What an rt_ring is made of, for embedding one in the engine's single allocation. */
#ifndef RT_RING_LAYOUT_H
#define RT_RING_LAYOUT_H

#include "rt_ring.h"

#include <stdatomic.h>

enum { RT_CACHE_LINE_BYTES = 64 };

struct rt_ring {
  _Alignas(RT_CACHE_LINE_BYTES) _Atomic uint32_t write_index; /**< stored by the producer only */
  _Alignas(RT_CACHE_LINE_BYTES) _Atomic uint32_t read_index;  /**< stored by the consumer only */
  _Alignas(RT_CACHE_LINE_BYTES) float *frames;                /**< never written after rt_ring_init */
  uint32_t capacity;
  _Atomic uint64_t errors; /**< touched only when something is wrong */
};

/** Makes a ring of caller's memory: capacity_frames floats, a power of two; both indices at first_index. [control] */
void rt_ring_init(struct rt_ring *ring, float *frames, uint32_t capacity_frames, uint32_t first_index);
/** Consumer: drops up to frame_count frames and returns how many. Wait-free, as rt_ring_read. [rt] */
uint32_t rt_ring_skip(struct rt_ring *ring, uint32_t frame_count) RT_NONBLOCKING;
/** Consumer: drops all that waits. The producer may also call it while the consumer is known not to look. [loop] */
void rt_ring_clear(struct rt_ring *ring) RT_NONBLOCKING;

#endif
