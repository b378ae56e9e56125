/**
 * A single-producer, single-consumer ring of mono float frames.
 *
 * Two free-running 32-bit indices, one owner each: the producer alone stores the write index, the consumer alone the
 * read index. Each side stores its own with release and loads the other's with acquire, so that the frames are visible
 * before the index that announces them, and are read before the index that gives their place back. All but create,
 * destroy and set_indices is wait-free. A fill that cannot be (above the capacity, or below zero, which is the same in
 * wrapping arithmetic) is counted; the producer then sees a full ring and the consumer an empty one.
 */
#ifndef RT_RING_H
#define RT_RING_H

#include "rt_nonblocking.h"

#include <stdint.h>

typedef struct rt_ring rt_ring;

/** Allocates and touches a ring of a power of two up to 2^31 frames. NULL: not one, or out of memory. [control] */
rt_ring *rt_ring_create(uint32_t capacity_frames);
/** Frees; no side may be running. NULL is allowed. [control] */
void rt_ring_destroy(rt_ring *ring);
/** Places both indices, for tests of the wrap and of bad fills; no side may be running. [control] */
void rt_ring_set_indices(rt_ring *ring, uint32_t write_index, uint32_t read_index);

/** Producer: adds up to frame_count frames and returns how many fitted. Wait-free: stores the write index with release,
 *  which pairs with the acquire in rt_ring_read; loads the read index with acquire. [rt] [loop] */
uint32_t rt_ring_write(rt_ring *ring, const float *frames_in, uint32_t frame_count) RT_NONBLOCKING;
/** Consumer: takes up to frame_count frames and returns how many. Wait-free: stores the read index with release, which
 *  pairs with the acquire in rt_ring_write; loads the write index with acquire. [rt] [loop] */
uint32_t rt_ring_read(rt_ring *ring, float *frames_out, uint32_t frame_count) RT_NONBLOCKING;
/** Either side: frames waiting, as far as the other side has announced; 0 when the fill cannot be. [rt] [loop] */
uint32_t rt_ring_fill(const rt_ring *ring) RT_NONBLOCKING;
/** Times a side saw a fill below zero or above the capacity. Relaxed. [control] [loop] */
uint64_t rt_ring_errors(const rt_ring *ring);

#endif
