#include "rt_mixer.h"

#include "rt_desk.h"
#include "rt_source.h"

#include <stddef.h>
#include <string.h>

/* Of a slot's ring; what follows them the processor fetches by itself. */
enum { FETCHED_FRAMES = 64 };
/* Of equal power: what each side gets of a sound in the middle. */
static const float middle = 0.70710678f;

/** Where a slot's side is, beside its ring; NULL: it has one channel. */
static const float *side_of(const struct rt_desk *desk, const struct rt_peer *peer) RT_NONBLOCKING;
static const float *side_of(const struct rt_desk *desk, const struct rt_peer *peer) RT_NONBLOCKING {
  /* Acquire: it was emptied before. */
  const uint32_t side = atomic_load_explicit(&peer->side, memory_order_acquire);
  return side != 0 && side <= RT_MAX_STEREO_PEERS ? desk->shared->side_frames[side - 1] : NULL;
}

/** Mixes one slot whose bit is set. False when it plays nothing in this period, and peer_out is untouched. */
static bool run_slot(struct rt_desk *desk, uint32_t slot, const struct rt_mix *mix,
                     float *peer_out) RT_NONBLOCKING;
static bool run_slot(struct rt_desk *desk, uint32_t slot, const struct rt_mix *mix,
                     float *peer_out) RT_NONBLOCKING {
  struct rt_voice *voice = &desk->voices[slot];
  struct rt_peer *peer = voice->peer;
  uint32_t state = atomic_load_explicit(&peer->state, memory_order_acquire);
  const bool has_begun = state == RT_PEER_ATTACHED;
  if (has_begun) {
    /* The claim: from here on a detach must wait for the fade. It fails when the loop detached in this moment. */
    if (!atomic_compare_exchange_strong_explicit(&peer->state, &state, RT_PEER_SOUNDING, memory_order_acquire,
                                                 memory_order_relaxed)) {
      return false;
    }
    state = RT_PEER_SOUNDING;
    rt_peer_begin(voice);
    rt_buses_join(desk, slot);
  }
  if (state == RT_PEER_IDLE) return false;
  const bool is_leaving = state == RT_PEER_LEAVING;
  struct rt_mix own = *mix;
  if (has_begun) own.missed_frames = 0;
  own.places_changed = desk->places_changed;
  own.beside = side_of(desk, peer);
  own.side = own.beside != NULL ? desk->side : NULL;
  own.tap = rt_source_taps(desk, (rt_slot)slot) ? desk->tap : NULL;
  const bool is_heard = rt_peer_play(voice, &own, is_leaving);
  rt_ear_follow(desk, slot, &own, has_begun);
  if (desk->running_buses != 0) rt_buses_add(desk, slot, &own);
  rt_peer_add(voice, &own, peer_out);
  if (is_leaving && !is_heard) {
    rt_level_rest(&peer->level);
    /* The bit first: after IDLE the loop may attach anew and set it again. */
    atomic_fetch_and_explicit(&desk->shared->active_slots, ~(UINT64_C(1) << slot), memory_order_relaxed);
    atomic_store_explicit(&peer->state, RT_PEER_IDLE, memory_order_release);
  }
  return true;
}

/** Adds the microphone to the main bus, if it is to be heard there. */
static void add_sidetone(struct rt_desk *desk, const struct rt_mix *mix) RT_NONBLOCKING;
static void add_sidetone(struct rt_desk *desk, const struct rt_mix *mix) RT_NONBLOCKING {
  const bool is_wanted = atomic_load_explicit(&desk->shared->sidetone, memory_order_relaxed) > 0.0f;
  desk->has_sidetone = is_wanted || !rt_crosspoint_is_silent(&desk->sidetone);
  if (!desk->has_sidetone) return;
  memcpy(desk->reference_left, mix->left, mix->period_frames * sizeof(float));
  memcpy(desk->reference_right, mix->right, mix->period_frames * sizeof(float));
  const float gain = rt_bounded(atomic_load_explicit(&desk->shared->sidetone, memory_order_relaxed), 1.0f);
  const float side = gain * rt_ear_sidetone(desk) * middle;
  rt_crosspoint_aim(&desk->sidetone, (struct rt_sides){side, side}, mix->sample_rate);
  rt_crosspoint_add(&desk->sidetone, desk->microphone, mix->left, mix->right, mix->period_frames);
}

static void fetch(const void *start, size_t bytes) RT_NONBLOCKING;
static void fetch(const void *start, size_t bytes) RT_NONBLOCKING {
  for (size_t offset = 0; offset < bytes; offset += RT_CACHE_LINE_BYTES) {
    __builtin_prefetch((const char *)start + offset);
  }
}

/** Fetches what slots take of their memory into the cache, all of it side by side: between two periods others used the
 *  cache, and one slot after the other would wait for each of its lines. */
static void fetch_slots(const struct rt_desk *desk, uint64_t slots) RT_NONBLOCKING;
static void fetch_slots(const struct rt_desk *desk, uint64_t slots) RT_NONBLOCKING {
  for (uint64_t left = slots; left != 0; left &= left - 1) {
    const uint32_t slot = (uint32_t)__builtin_ctzll(left);
    fetch(&desk->voices[slot], offsetof(struct rt_voice, step));
    fetch(&desk->shared->peers[slot], sizeof(struct rt_peer));
  }
  for (uint64_t left = slots; left != 0; left &= left - 1) {
    /* Not by the voice's ring: that would wait for its line. */
    const uint32_t slot = (uint32_t)__builtin_ctzll(left);
    const uint32_t index = atomic_load_explicit(&desk->shared->peers[slot].ring.read_index, memory_order_relaxed);
    fetch(desk->shared->peer_frames[slot] + (index & (RT_PEER_RING_FRAMES - 1)), FETCHED_FRAMES * sizeof(float));
  }
}

/** At another rate what was played says nothing of what follows. */
static void forget_pasts(struct rt_desk *desk) RT_NONBLOCKING;
static void forget_pasts(struct rt_desk *desk) RT_NONBLOCKING {
  for (uint32_t slot = 0; slot < RT_MAX_PEERS; slot++) rt_conceal_forget(&desk->voices[slot].conceal);
}

void rt_mixer_run(struct rt_desk *desk, const struct rt_mix *mix, float *const *outputs) RT_NONBLOCKING {
  if (mix->sample_rate != desk->last_cycle.sample_rate) forget_pasts(desk);
  const size_t period_bytes = mix->period_frames * sizeof(float);
  memset(mix->left, 0, period_bytes);
  memset(mix->right, 0, period_bytes);
  if (rt_source_of(desk->source) != RT_SOURCE_MICROPHONE) memset(desk->tap, 0, period_bytes);
  rt_buses_begin(desk, mix->period_frames);
  rt_ear_begin(desk, mix);
  /* Acquire: what has changed is there. */
  const uint32_t place_changes = atomic_load_explicit(&desk->shared->place_changes, memory_order_acquire);
  desk->places_changed = place_changes != desk->place_changes;
  desk->place_changes = place_changes;
  const uint64_t active = atomic_load_explicit(&desk->shared->active_slots, memory_order_acquire);
  fetch_slots(desk, active);
  uint64_t sounded = 0;
  for (uint64_t left = active; left != 0; left &= left - 1) {
    const uint32_t slot = (uint32_t)__builtin_ctzll(left);
    if (run_slot(desk, slot, mix, outputs != NULL ? outputs[slot] : NULL)) sounded |= UINT64_C(1) << slot;
  }
  for (uint32_t slot = 0; outputs != NULL && slot < RT_MAX_PEERS; slot++) {
    if (outputs[slot] != NULL && (sounded >> slot & 1) == 0) memset(outputs[slot], 0, period_bytes);
  }
  rt_buses_end(desk, mix, outputs != NULL ? outputs + RT_MAX_PEERS : NULL);
  rt_ear_end(desk, mix);
  add_sidetone(desk, mix);
  rt_bus_master(&desk->limiter, &desk->shared->buses[RT_MAIN_BUS].level, mix->left, mix->right, mix);
}
