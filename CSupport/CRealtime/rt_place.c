#include "rt_place_layout.h"

#include <string.h>

/* Four frames at once: a register of SSE2 and of NEON. */
typedef float vector __attribute__((vector_size(16)));
enum { VECTOR_FRAMES = 4, BLOCK_VECTORS = RT_PLACE_BLOCK / VECTOR_FRAMES };

/** Copies what the loop wrote. False: it wrote meanwhile, and the copy is no good. */
static bool copy(struct rt_place_sound *sound, struct rt_responses *responses) RT_NONBLOCKING;
static bool copy(struct rt_place_sound *sound, struct rt_responses *responses) RT_NONBLOCKING {
  struct rt_place_shared *shared = sound->shared;
  const uint32_t sequence = atomic_load_explicit(&shared->sequence, memory_order_acquire);
  if ((sequence & 1) != 0) return false;
  /* Acquire, each: read before the sequence is read again. */
  const uint32_t taps = atomic_load_explicit(&shared->taps, memory_order_acquire);
  responses->taps = taps < RT_PLACE_TAPS ? taps : RT_PLACE_TAPS;
  for (uint32_t i = 0; i < responses->taps; i++) {
    responses->left[i] = atomic_load_explicit(&shared->left[i], memory_order_acquire);
    responses->right[i] = atomic_load_explicit(&shared->right[i], memory_order_acquire);
  }
  if (atomic_load_explicit(&shared->sequence, memory_order_relaxed) != sequence) return false;
  sound->sequence = sequence;
  return true;
}

static bool is_active(const struct rt_place_sound *sound) RT_NONBLOCKING;
static bool is_active(const struct rt_place_sound *sound) RT_NONBLOCKING {
  return sound->responses[sound->present].taps != 0 || sound->fade_frames > 0;
}

void rt_place_begin(struct rt_place *place) RT_NONBLOCKING {
  struct rt_place_sound *sound = place->sound;
  sound->sequence = 1;
  sound->fade_frames = 0;
  sound->present = 0;
  memset(sound->past, 0, sizeof sound->past);
  place->waits = !copy(sound, &sound->responses[0]);
  if (place->waits) sound->responses[0].taps = 0;
  place->is_active = is_active(sound);
}

/** Takes over what is there now. False: it is to be tried again. */
static bool take_over(struct rt_place_sound *sound) RT_NONBLOCKING;
static bool take_over(struct rt_place_sound *sound) RT_NONBLOCKING {
  if (sound->fade_frames > 0) return false;
  const uint32_t sequence = atomic_load_explicit(&sound->shared->sequence, memory_order_relaxed);
  if ((sequence & 1) != 0) return false;
  if (sequence == sound->sequence) return true;
  const uint32_t next = 1 - sound->present;
  if (!copy(sound, &sound->responses[next])) return false;
  const bool was_there = sound->responses[sound->present].taps != 0;
  if (!was_there && sound->responses[next].taps == 0) return true;
  /* Nothing was kept while it was not placed; of that which lacks now next to nothing is heard yet. */
  if (!was_there) memset(sound->past, 0, sizeof sound->past);
  sound->present = next;
  sound->fade_frames = RT_PLACE_FADE_FRAMES;
  return true;
}

void rt_place_follow(struct rt_place *place, bool have_changed) RT_NONBLOCKING {
  if (!have_changed && !place->waits) return;
  place->waits = !take_over(place->sound);
  place->is_active = is_active(place->sound);
}

/** What both ears have of a block of frames, the first at `line`; those before it are there. */
static void filter(const struct rt_responses *responses, const float *line, float *left_out,
                   float *right_out) RT_NONBLOCKING;
static void filter(const struct rt_responses *responses, const float *line, float *left_out,
                   float *right_out) RT_NONBLOCKING {
  vector left[BLOCK_VECTORS] = {0}, right[BLOCK_VECTORS] = {0};
  for (uint32_t tap = 0; tap < responses->taps; tap++) {
    const float *frames = line - tap;
    const float left_tap = responses->left[tap], right_tap = responses->right[tap];
    for (uint32_t i = 0; i < BLOCK_VECTORS; i++) {
      vector four;
      memcpy(&four, frames + VECTOR_FRAMES * i, sizeof four);
      left[i] += four * left_tap;
      right[i] += four * right_tap;
    }
  }
  memcpy(left_out, left, sizeof left);
  memcpy(right_out, right, sizeof right);
}

/** Adds what is heard by one of the responses. */
static void add(const struct rt_place_sound *sound, uint32_t which, const float *line, float *left, float *right,
                uint32_t frame_count) RT_NONBLOCKING;
static void add(const struct rt_place_sound *sound, uint32_t which, const float *line, float *left, float *right,
                uint32_t frame_count) RT_NONBLOCKING {
  const bool is_present = which == sound->present;
  float near[RT_PLACE_BLOCK], far[RT_PLACE_BLOCK];
  for (uint32_t start = 0; start < frame_count; start += RT_PLACE_BLOCK) {
    filter(&sound->responses[which], line + RT_PLACE_TAPS - 1 + start, near, far);
    const uint32_t rest = frame_count - start;
    const uint32_t count = rest < RT_PLACE_BLOCK ? rest : RT_PLACE_BLOCK;
    for (uint32_t i = 0; i < count; i++) {
      const float share = rt_place_share(sound, start + i);
      const float factor = is_present ? share : 1.0f - share;
      left[start + i] += factor * near[i];
      right[start + i] += factor * far[i];
    }
  }
}

void rt_place_add(struct rt_place *place, float *line, float *left, float *right, uint32_t frame_count) RT_NONBLOCKING {
  struct rt_place_sound *sound = place->sound;
  memcpy(line, sound->past, sizeof sound->past);
  const uint32_t former = 1 - sound->present;
  if (sound->responses[sound->present].taps != 0) add(sound, sound->present, line, left, right, frame_count);
  if (sound->fade_frames > 0 && sound->responses[former].taps != 0) {
    add(sound, former, line, left, right, frame_count);
  }
  memcpy(sound->past, line + frame_count, sizeof sound->past);
  sound->fade_frames = sound->fade_frames > frame_count ? sound->fade_frames - frame_count : 0;
  place->is_active = is_active(sound);
}
