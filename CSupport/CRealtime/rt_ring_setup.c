#include "rt_ring_layout.h"

#include <stdlib.h>
#include <string.h>

void rt_ring_init(struct rt_ring *ring, float *frames, uint32_t capacity_frames, uint32_t first_index) {
  ring->frames = frames;
  ring->capacity = capacity_frames;
  atomic_init(&ring->errors, 0);
  atomic_init(&ring->write_index, first_index);
  atomic_init(&ring->read_index, first_index);
}

struct rt_ring *rt_ring_create(uint32_t capacity_frames) {
  if (capacity_frames == 0 || (capacity_frames & (capacity_frames - 1)) != 0) return NULL;
  struct rt_ring *ring = aligned_alloc(RT_CACHE_LINE_BYTES, sizeof *ring);
  /* Not part of the struct's allocation, so that AddressSanitizer sees both ends of it. */
  float *frames = malloc(capacity_frames * sizeof(float));
  if (ring == NULL || frames == NULL) {
    free(frames);
    free(ring);
    return NULL;
  }
  memset(frames, 0, capacity_frames * sizeof(float));
  rt_ring_init(ring, frames, capacity_frames, 0);
  return ring;
}

void rt_ring_destroy(struct rt_ring *ring) {
  if (ring == NULL) return;
  free(ring->frames);
  free(ring);
}

void rt_ring_set_indices(struct rt_ring *ring, uint32_t write_index, uint32_t read_index) {
  atomic_store_explicit(&ring->write_index, write_index, memory_order_relaxed);
  atomic_store_explicit(&ring->read_index, read_index, memory_order_relaxed);
}
