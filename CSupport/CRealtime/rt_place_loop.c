/* The event loop's side of places. */
#include "rt_state.h"

#include <math.h>

/* No response is louder: a bound for what is no sound. */
static const float most_amplitude = 8.0f;

static float tap_of(float sample) {
  return isfinite(sample) ? fminf(fmaxf(sample, -most_amplitude), most_amplitude) : 0.0f;
}

void rt_peer_set_place(struct rt_engine *engine, int32_t slot, const float *left, const float *right,
                       uint32_t taps) {
  if (!rt_slot_exists(slot)) return;
  struct rt_shared *shared = engine->desk.shared;
  struct rt_place_shared *place = &shared->places[slot];
  const uint32_t count = left == NULL || right == NULL ? 0 : taps < RT_PLACE_TAPS ? taps : RT_PLACE_TAPS;
  if (count == 0 && atomic_load_explicit(&place->taps, memory_order_relaxed) == 0) return;
  const uint32_t sequence = (atomic_load_explicit(&place->sequence, memory_order_relaxed) + 1) & ~UINT32_C(1);
  atomic_store_explicit(&place->sequence, sequence + 1, memory_order_relaxed);
  /* Release, each: not before the sequence is odd. */
  atomic_store_explicit(&place->taps, count, memory_order_release);
  for (uint32_t i = 0; i < count; i++) {
    atomic_store_explicit(&place->left[i], tap_of(left[i]), memory_order_release);
    atomic_store_explicit(&place->right[i], tap_of(right[i]), memory_order_release);
  }
  atomic_store_explicit(&place->sequence, sequence + 2, memory_order_release);
  /* Release: who sees this sees the place. */
  const uint32_t changes = atomic_load_explicit(&shared->place_changes, memory_order_relaxed);
  atomic_store_explicit(&shared->place_changes, changes + 1, memory_order_release);
}
