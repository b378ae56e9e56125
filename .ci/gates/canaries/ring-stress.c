/* Two threads at one ring, over the wrap of its indices. Compiled by the sanitizer gates with the true rt_ring.c, which
 * must pass, and with a spoilt copy, which must be reported. */
#include "rt_ring.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>

enum { FRAMES = 200000, CAPACITY = 64, MOST = 40 };

static void *produce(void *argument) {
  rt_ring *ring = argument;
  uint32_t written = 0;
  while (written < FRAMES) {
    float frames[MOST];
    for (uint32_t i = 0; i < MOST; i++) frames[i] = (float)(written + i);
    const uint32_t wanted = FRAMES - written < MOST ? FRAMES - written : MOST;
    const uint32_t fitted = rt_ring_write(ring, frames, wanted);
    if (fitted == 0) sched_yield();
    written += fitted;
  }
  return NULL;
}

int main(void) {
  rt_ring *ring = rt_ring_create(CAPACITY);
  if (ring == NULL) return 2;
  const uint32_t first_index = UINT32_MAX - FRAMES / 2;
  rt_ring_set_indices(ring, first_index, first_index);
  pthread_t producer;
  if (pthread_create(&producer, NULL, produce, ring) != 0) return 2;
  uint32_t taken = 0, misplaced = 0;
  while (taken < FRAMES) {
    float frames[MOST];
    const uint32_t count = rt_ring_read(ring, frames, MOST);
    for (uint32_t i = 0; i < count; i++) misplaced += frames[i] != (float)(taken + i);
    if (count == 0) sched_yield();
    taken += count;
  }
  pthread_join(producer, NULL);
  rt_ring_destroy(ring);
  printf("%u frames, %u misplaced\n", taken, misplaced);
  return misplaced == 0 ? 0 : 1;
}
