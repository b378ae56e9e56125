/* The ring against a plain array, and between two threads over the wrap of its indices. */
#include "core_test.h"
#include "rt_ring.h"

#include <pthread.h>
#include <sched.h>
#include <stddef.h>

enum { CAPACITY = 64, MOST = 70, ROUNDS = 5000, FRAMES = 200000, CHUNK = 40 };

static uint32_t random_state = 1;

static uint32_t random_below(uint32_t limit) {
  random_state = random_state * 1664525 + 1013904223;
  return (random_state >> 16) % limit;
}

static uint32_t least(uint32_t a, uint32_t b) { return a < b ? a : b; }

/** The array is what the frames would be: they count up, so that two numbers tell what is in it. */
static void test_model(uint32_t first_index) {
  rt_ring *ring = rt_ring_create(CAPACITY);
  EXPECT(ring != NULL);
  rt_ring_set_indices(ring, first_index, first_index);
  uint32_t written = 0, taken = 0;
  for (int round = 0; round < ROUNDS; round++) {
    float frames[MOST];
    const uint32_t count = random_below(MOST);
    if (random_below(2) == 0) {
      for (uint32_t i = 0; i < count; i++) frames[i] = (float)(written + i);
      const uint32_t room = CAPACITY - (written - taken);
      EXPECT(rt_ring_write(ring, frames, count) == least(count, room));
      written += least(count, room);
    } else {
      const uint32_t there = least(count, written - taken);
      EXPECT(rt_ring_read(ring, frames, count) == there);
      for (uint32_t i = 0; i < there; i++) EXPECT(frames[i] == (float)(taken + i));
      taken += there;
    }
    EXPECT(rt_ring_fill(ring) == written - taken);
  }
  EXPECT(rt_ring_errors(ring) == 0);
  rt_ring_destroy(ring);
}

static void test_bad_fill(uint32_t fill) {
  rt_ring *ring = rt_ring_create(4);
  float frame = 1;
  rt_ring_set_indices(ring, fill, 0);
  EXPECT(rt_ring_write(ring, &frame, 1) == 0);
  EXPECT(rt_ring_read(ring, &frame, 1) == 0);
  EXPECT(rt_ring_errors(ring) == 2);
  EXPECT(rt_ring_fill(ring) == 0);
  rt_ring_destroy(ring);
}

static void *produce(void *argument) {
  uint32_t written = 0;
  while (written < FRAMES) {
    float frames[CHUNK];
    for (uint32_t i = 0; i < CHUNK; i++) frames[i] = (float)(written + i);
    const uint32_t fitted = rt_ring_write(argument, frames, least(FRAMES - written, CHUNK));
    if (fitted == 0) sched_yield();
    written += fitted;
  }
  return NULL;
}

/** On a processor whose memory order is weak, missing acquire or release shows here. */
static void test_two_threads(void) {
  rt_ring *ring = rt_ring_create(CAPACITY);
  rt_ring_set_indices(ring, UINT32_MAX - FRAMES / 2, UINT32_MAX - FRAMES / 2);
  pthread_t producer;
  const int code = pthread_create(&producer, NULL, produce, ring);
  EXPECT(code == 0);
  uint32_t taken = 0, misplaced = 0;
  while (code == 0 && taken < FRAMES) {
    float frames[CHUNK];
    const uint32_t count = rt_ring_read(ring, frames, CHUNK);
    for (uint32_t i = 0; i < count; i++) misplaced += frames[i] != (float)(taken + i);
    if (count == 0) sched_yield();
    taken += count;
  }
  if (code == 0) pthread_join(producer, NULL);
  EXPECT(taken == FRAMES);
  EXPECT(misplaced == 0);
  EXPECT(rt_ring_errors(ring) == 0);
  rt_ring_destroy(ring);
}

void test_rings(void) {
  EXPECT(rt_ring_create(0) == NULL);
  EXPECT(rt_ring_create(100) == NULL);
  test_model(0);
  test_model(UINT32_MAX - 777);
  test_bad_fill(5);
  test_bad_fill(UINT32_MAX);
  test_two_threads();
}
