#include "rt_ring_layout.h"

#include <string.h>

static void count_error(struct rt_ring *ring) RT_NONBLOCKING;
static void count_error(struct rt_ring *ring) RT_NONBLOCKING {
  atomic_fetch_add_explicit(&ring->indices->errors, 1, memory_order_relaxed);
}

uint32_t rt_ring_write(struct rt_ring *ring, const float *frames_in, uint32_t frame_count) RT_NONBLOCKING {
  const uint32_t write_index = atomic_load_explicit(&ring->indices->write_index, memory_order_relaxed);
  const uint32_t fill = write_index - atomic_load_explicit(&ring->indices->read_index, memory_order_acquire);
  if (fill > ring->capacity) {
    count_error(ring);
    return 0;
  }
  const uint32_t room = ring->capacity - fill;
  const uint32_t count = frame_count < room ? frame_count : room;
  const uint32_t start = write_index & (ring->capacity - 1);
  const uint32_t to_end = ring->capacity - start;
  const uint32_t first = count < to_end ? count : to_end;
  memcpy(ring->frames + start, frames_in, first * sizeof(float));
  memcpy(ring->frames, frames_in + first, (count - first) * sizeof(float));
  atomic_store_explicit(&ring->indices->write_index, write_index + count, memory_order_release);
  return count;
}

uint32_t rt_ring_read(struct rt_ring *ring, float *frames_out, uint32_t frame_count) RT_NONBLOCKING {
  const uint32_t read_index = atomic_load_explicit(&ring->indices->read_index, memory_order_relaxed);
  const uint32_t fill = atomic_load_explicit(&ring->indices->write_index, memory_order_acquire) - read_index;
  if (fill > ring->capacity) {
    count_error(ring);
    return 0;
  }
  const uint32_t count = frame_count < fill ? frame_count : fill;
  const uint32_t start = read_index & (ring->capacity - 1);
  const uint32_t to_end = ring->capacity - start;
  const uint32_t first = count < to_end ? count : to_end;
  memcpy(frames_out, ring->frames + start, first * sizeof(float));
  memcpy(frames_out + first, ring->frames, (count - first) * sizeof(float));
  atomic_store_explicit(&ring->indices->read_index, read_index + count, memory_order_release);
  return count;
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
