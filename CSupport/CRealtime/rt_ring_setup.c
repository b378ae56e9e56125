#include "rt_ring_layout.h"

#include <stdlib.h>
#include <string.h>

void rt_ring_view(struct rt_ring *ring, struct rt_ring_indices *indices, float *frames, uint32_t capacity_frames) {
  *ring = (struct rt_ring){.indices = indices, .frames = frames, .capacity = capacity_frames};
}

void rt_ring_indices_init(struct rt_ring_indices *indices, uint32_t first_index) {
  atomic_init(&indices->errors, 0);
  atomic_init(&indices->write_index, first_index);
  atomic_init(&indices->read_index, first_index);
}

struct rt_ring *rt_ring_create(uint32_t capacity_frames) {
  if (capacity_frames == 0 || (capacity_frames & (capacity_frames - 1)) != 0) return NULL;
  struct rt_ring *ring = malloc(sizeof *ring);
  struct rt_ring_indices *indices = aligned_alloc(RT_CACHE_LINE_BYTES, sizeof *indices);
  /* Three allocations, so that AddressSanitizer sees both ends of the frames. */
  float *frames = malloc(capacity_frames * sizeof(float));
  if (ring == NULL || indices == NULL || frames == NULL) {
    free(frames);
    free(indices);
    free(ring);
    return NULL;
  }
  memset(frames, 0, capacity_frames * sizeof(float));
  rt_ring_indices_init(indices, 0);
  rt_ring_view(ring, indices, frames, capacity_frames);
  return ring;
}

void rt_ring_destroy(struct rt_ring *ring) {
  if (ring == NULL) return;
  free(ring->frames);
  free(ring->indices);
  free(ring);
}

void rt_ring_set_indices(struct rt_ring *ring, uint32_t write_index, uint32_t read_index) {
  atomic_store_explicit(&ring->indices->write_index, write_index, memory_order_relaxed);
  atomic_store_explicit(&ring->indices->read_index, read_index, memory_order_relaxed);
}
