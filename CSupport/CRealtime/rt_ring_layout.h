/** What an rt_ring is made of: indices and frames, which two processes may share, and each side's own way to them. */
#ifndef RT_RING_LAYOUT_H
#define RT_RING_LAYOUT_H

#include "rt_ring.h"

#include <stdatomic.h>

enum { RT_CACHE_LINE_BYTES = 64 };

/** The moving part. No value in it leads out of the frames: an index is masked wherever it is used. */
struct rt_ring_indices {
  _Alignas(RT_CACHE_LINE_BYTES) _Atomic uint32_t write_index; /**< stored by the producer only */
  _Alignas(RT_CACHE_LINE_BYTES) _Atomic uint32_t read_index;  /**< stored by the consumer only */
  _Atomic uint64_t errors; /**< touched only when something is wrong */
};

/** One process' way to a ring; never written after rt_ring_view. The capacity is nobody else's to say. */
struct rt_ring {
  struct rt_ring_indices *indices;
  float *frames;
  uint32_t capacity;
};

/** Makes a ring of caller's memory: capacity_frames floats, a power of two. The indices stay as they are. [control] */
void rt_ring_view(struct rt_ring *ring, struct rt_ring_indices *indices, float *frames, uint32_t capacity_frames);
/** An empty ring, both indices at first_index; no side may be running. [control] */
void rt_ring_indices_init(struct rt_ring_indices *indices, uint32_t first_index);
/** Producer: samples that there is room for; 0 when the fill cannot be, which is counted. [rt] */
uint32_t rt_ring_room(struct rt_ring *ring) RT_NONBLOCKING;
/** Producer: announces what it has written by itself, up to this index. Store with release, as in rt_ring_write.
 *  [rt] */
void rt_ring_commit(struct rt_ring *ring, uint32_t write_index) RT_NONBLOCKING;
/** As rt_ring_write and rt_ring_read, with a second signal in step: beside is of the ring's capacity and has its frames
 *  at the same places; NULL: there is none. [rt] */
uint32_t rt_ring_write_pair(struct rt_ring *ring, float *beside, const float *frames_in, const float *beside_in,
                            uint32_t frame_count) RT_NONBLOCKING;
uint32_t rt_ring_read_pair(struct rt_ring *ring, const float *beside, float *frames_out, float *beside_out,
                           uint32_t frame_count) RT_NONBLOCKING;
/** Consumer: copies the last frame_count frames that it read. Wait-free, as rt_ring_read; they are what they were while
 *  the producer has not come around to them: fill + frame_count ≤ capacity. [rt] */
void rt_ring_recall(const struct rt_ring *ring, float *frames_out, uint32_t frame_count) RT_NONBLOCKING;
/** Consumer: drops up to frame_count frames and returns how many. Wait-free, as rt_ring_read. [rt] */
uint32_t rt_ring_skip(struct rt_ring *ring, uint32_t frame_count) RT_NONBLOCKING;
/** Consumer: drops all that waits. The producer may also call it while the consumer is known not to look. [loop] */
void rt_ring_clear(struct rt_ring *ring) RT_NONBLOCKING;

#endif
