#include "rt_ring_layout.h"

#include <string.h>

static void count_error(struct rt_ring *ring) RT_NONBLOCKING;
static void count_error(struct rt_ring *ring) RT_NONBLOCKING {
  atomic_fetch_add_explicit(&ring->indices->errors, 1, memory_order_relaxed);
}

/** Copies into the frames from an index on, around their end. */
static void put(float *frames, uint32_t capacity, uint32_t index, const float *in, uint32_t count) RT_NONBLOCKING;
static void put(float *frames, uint32_t capacity, uint32_t index, const float *in, uint32_t count) RT_NONBLOCKING {
  const uint32_t start = index & (capacity - 1);
  const uint32_t to_end = capacity - start;
  const uint32_t first = count < to_end ? count : to_end;
  memcpy(frames + start, in, first * sizeof(float));
  memcpy(frames, in + first, (count - first) * sizeof(float));
}

/** Copies out of them. */
static void get(const float *frames, uint32_t capacity, uint32_t index, float *out, uint32_t count) RT_NONBLOCKING;
static void get(const float *frames, uint32_t capacity, uint32_t index, float *out, uint32_t count) RT_NONBLOCKING {
  const uint32_t start = index & (capacity - 1);
  const uint32_t to_end = capacity - start;
  const uint32_t first = count < to_end ? count : to_end;
  memcpy(out, frames + start, first * sizeof(float));
  memcpy(out + first, frames, (count - first) * sizeof(float));
}

uint32_t rt_ring_write(struct rt_ring *ring, const float *frames_in, uint32_t frame_count) RT_NONBLOCKING {
  return rt_ring_write_pair(ring, NULL, frames_in, NULL, frame_count);
}

uint32_t rt_ring_write_pair(struct rt_ring *ring, float *beside, const float *frames_in, const float *beside_in,
                            uint32_t frame_count) RT_NONBLOCKING {
  const uint32_t write_index = atomic_load_explicit(&ring->indices->write_index, memory_order_relaxed);
  const uint32_t fill = write_index - atomic_load_explicit(&ring->indices->read_index, memory_order_acquire);
  if (fill > ring->capacity) {
    count_error(ring);
    return 0;
  }
  const uint32_t room = ring->capacity - fill;
  const uint32_t count = frame_count < room ? frame_count : room;
  put(ring->frames, ring->capacity, write_index, frames_in, count);
  if (beside != NULL) put(beside, ring->capacity, write_index, beside_in, count);
  atomic_store_explicit(&ring->indices->write_index, write_index + count, memory_order_release);
  return count;
}

uint32_t rt_ring_read(struct rt_ring *ring, float *frames_out, uint32_t frame_count) RT_NONBLOCKING {
  return rt_ring_read_pair(ring, NULL, frames_out, NULL, frame_count);
}

uint32_t rt_ring_read_pair(struct rt_ring *ring, const float *beside, float *frames_out, float *beside_out,
                           uint32_t frame_count) RT_NONBLOCKING {
  const uint32_t read_index = atomic_load_explicit(&ring->indices->read_index, memory_order_relaxed);
  const uint32_t fill = atomic_load_explicit(&ring->indices->write_index, memory_order_acquire) - read_index;
  if (fill > ring->capacity) {
    count_error(ring);
    return 0;
  }
  const uint32_t count = frame_count < fill ? frame_count : fill;
  get(ring->frames, ring->capacity, read_index, frames_out, count);
  if (beside != NULL) get(beside, ring->capacity, read_index, beside_out, count);
  atomic_store_explicit(&ring->indices->read_index, read_index + count, memory_order_release);
  return count;
}

void rt_ring_recall(const struct rt_ring *ring, float *frames_out, uint32_t frame_count) RT_NONBLOCKING {
  const uint32_t read_index = atomic_load_explicit(&ring->indices->read_index, memory_order_relaxed);
  get(ring->frames, ring->capacity, read_index - frame_count, frames_out, frame_count);
}

uint32_t rt_ring_skip(struct rt_ring *ring, uint32_t frame_count) RT_NONBLOCKING {
  const uint32_t read_index = atomic_load_explicit(&ring->indices->read_index, memory_order_relaxed);
  const uint32_t fill = atomic_load_explicit(&ring->indices->write_index, memory_order_acquire) - read_index;
  if (fill > ring->capacity) {
    count_error(ring);
    return 0;
  }
  const uint32_t count = frame_count < fill ? frame_count : fill;
  atomic_store_explicit(&ring->indices->read_index, read_index + count, memory_order_release);
  return count;
}

uint32_t rt_ring_room(struct rt_ring *ring) RT_NONBLOCKING {
  const uint32_t write_index = atomic_load_explicit(&ring->indices->write_index, memory_order_relaxed);
  const uint32_t fill = write_index - atomic_load_explicit(&ring->indices->read_index, memory_order_acquire);
  if (fill > ring->capacity) {
    count_error(ring);
    return 0;
  }
  return ring->capacity - fill;
}

void rt_ring_commit(struct rt_ring *ring, uint32_t write_index) RT_NONBLOCKING {
  atomic_store_explicit(&ring->indices->write_index, write_index, memory_order_release);
}

uint32_t rt_ring_fill(const struct rt_ring *ring) RT_NONBLOCKING {
  /* The read index first: seen from the producer the fill may then only look too large, from the consumer it is exact
     or too small, and neither side is led to a place it does not own. */
  const uint32_t read_index = atomic_load_explicit(&ring->indices->read_index, memory_order_acquire);
  const uint32_t fill = atomic_load_explicit(&ring->indices->write_index, memory_order_acquire) - read_index;
  return fill > ring->capacity ? 0 : fill;
}

void rt_ring_clear(struct rt_ring *ring) RT_NONBLOCKING {
  const uint32_t write_index = atomic_load_explicit(&ring->indices->write_index, memory_order_acquire);
  atomic_store_explicit(&ring->indices->read_index, write_index, memory_order_release);
}

uint64_t rt_ring_errors(const struct rt_ring *ring) {
  return atomic_load_explicit(&ring->indices->errors, memory_order_relaxed);
}
