/* Set-up: what the callback and the loop share. */
#include "rt_shared.h"

#include <math.h>

static void init_peer(struct rt_shared *shared, uint32_t slot) {
  /* The rings are 64 KiB apart and read in step: were their indices the same, all would compete for the same cache
     sets. Starting each at another place spreads them, and stays so. */
  rt_ring_indices_init(&shared->peers[slot].ring, slot * (RT_PEER_RING_FRAMES / RT_MAX_PEERS));
  const union rt_pan middle = {.factors = {.left = sqrtf(0.5f), .right = sqrtf(0.5f)}};
  atomic_store_explicit(&shared->peers[slot].gain, 1.0f, memory_order_relaxed);
  atomic_store_explicit(&shared->peers[slot].rank, RT_FIRST_RANK, memory_order_relaxed);
  atomic_store_explicit(&shared->peers[slot].pan, middle.word, memory_order_relaxed);
}

void rt_shared_init(struct rt_shared *shared) {
  rt_ring_indices_init(&shared->capture, 0);
  rt_ear_init(&shared->ear);
  for (uint32_t slot = 0; slot < RT_MAX_PEERS; slot++) init_peer(shared, slot);
  for (uint32_t bus = 0; bus < RT_MAX_BUSES; bus++) rt_ring_indices_init(&shared->buses[bus].ring, 0);
}
