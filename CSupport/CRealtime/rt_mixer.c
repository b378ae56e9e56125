#include "rt_mixer.h"

#include "rt_desk.h"
#include "rt_source.h"

#include <string.h>

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
  }
  if (state == RT_PEER_IDLE) return false;
  const bool is_leaving = state == RT_PEER_LEAVING;
  struct rt_mix own = *mix;
  if (has_begun) own.missed_frames = 0;
  own.tap = rt_source_taps(desk, (rt_slot)slot) ? desk->tap : NULL;
  const bool is_heard = rt_peer_mix(voice, &own, is_leaving, peer_out);
  if (is_leaving && !is_heard) {
    rt_level_rest(&peer->level);
    /* The bit first: after IDLE the loop may attach anew and set it again. */
    atomic_fetch_and_explicit(&desk->shared->active_slots, ~(UINT64_C(1) << slot), memory_order_relaxed);
    atomic_store_explicit(&peer->state, RT_PEER_IDLE, memory_order_release);
  }
  return true;
}

static void run_master(struct rt_desk *desk, const struct rt_mix *mix) RT_NONBLOCKING;
static void run_master(struct rt_desk *desk, const struct rt_mix *mix) RT_NONBLOCKING {
  struct rt_measure left = rt_measure_clean(mix->left, mix->period_frames);
  struct rt_measure right = rt_measure_clean(mix->right, mix->period_frames);
  const float peak = left.peak > right.peak ? left.peak : right.peak;
  rt_limiter_apply(&desk->limiter, mix->left, mix->right, mix->period_frames, peak, mix->sample_rate);
  if (desk->limiter.reduction > 0.0f) {
    left = rt_measure_clean(mix->left, mix->period_frames);
    right = rt_measure_clean(mix->right, mix->period_frames);
  }
  const struct rt_measure both = {
      .peak = left.peak > right.peak ? left.peak : right.peak,
      .square_sum = 0.5f * (left.square_sum + right.square_sum),
  };
  rt_level_feed(&desk->shared->mix_level, both, mix->period_frames, mix->sample_rate);
}

void rt_mixer_run(struct rt_desk *desk, const struct rt_mix *mix, float *const *peers_out) RT_NONBLOCKING {
  const size_t period_bytes = mix->period_frames * sizeof(float);
  memset(mix->left, 0, period_bytes);
  memset(mix->right, 0, period_bytes);
  memset(desk->tap, 0, period_bytes);
  const uint64_t active = atomic_load_explicit(&desk->shared->active_slots, memory_order_acquire);
  for (uint32_t slot = 0; slot < RT_MAX_PEERS; slot++) {
    float *peer_out = peers_out != NULL ? peers_out[slot] : NULL;
    const bool has_sounded = (active >> slot & 1) != 0 && run_slot(desk, slot, mix, peer_out);
    if (!has_sounded && peer_out != NULL) memset(peer_out, 0, period_bytes);
  }
  run_master(desk, mix);
}
