#include "rt_peer.h"

#include "rt_fade.h"

#include <string.h>

/* The fade out of a detached peer: 5 ms. */
enum { LEAVES_PER_SECOND = 200 };

struct rt_sides rt_peer_pan(const struct rt_peer *peer) RT_NONBLOCKING {
  const union rt_pan pan = {.word = atomic_load_explicit(&peer->pan, memory_order_relaxed)};
  return (struct rt_sides){rt_bounded(pan.factors.left, 1.0f), rt_bounded(pan.factors.right, 1.0f)};
}

static struct rt_gains wanted_gains(const struct rt_voice *voice) RT_NONBLOCKING;
static struct rt_gains wanted_gains(const struct rt_voice *voice) RT_NONBLOCKING {
  const struct rt_sides pan = rt_peer_pan(voice->peer);
  return (struct rt_gains){
      .mono = rt_bounded(atomic_load_explicit(&voice->peer->gain, memory_order_relaxed), RT_MAX_GAIN),
      .left = pan.left,
      .right = pan.right,
  };
}

void rt_peer_begin(struct rt_voice *voice) RT_NONBLOCKING {
  voice->target = wanted_gains(voice);
  voice->now = voice->target;
  voice->ramp_frames = 0;
  voice->fade = 0.0f;
  voice->held = 0.0f;
  voice->fade_side = 0.0f;
  voice->held_side = 0.0f;
  rt_place_begin(&voice->place);
  rt_conceal_forget(&voice->conceal);
}

/** Starts a new ramp when gain or pan were set since the last period. */
static void aim(struct rt_voice *voice, uint32_t sample_rate) RT_NONBLOCKING;
static void aim(struct rt_voice *voice, uint32_t sample_rate) RT_NONBLOCKING {
  const struct rt_gains wanted = wanted_gains(voice);
  const struct rt_gains target = voice->target;
  if (wanted.mono == target.mono && wanted.left == target.left && wanted.right == target.right) return;
  const uint32_t frames = rt_ramp_frames(sample_rate);
  const float share = 1.0f / (float)frames;
  voice->target = wanted;
  voice->step.mono = (wanted.mono - voice->now.mono) * share;
  voice->step.left = (wanted.left - voice->now.left) * share;
  voice->step.right = (wanted.right - voice->now.right) * share;
  voice->ramp_frames = frames;
}

/** What a peer would have gone on with, had no periods been missed. */
struct tail {
  float frames[RT_FADE_OUT_FRAMES], side[RT_FADE_OUT_FRAMES];
  uint32_t frame_count;
};

/** Leaves out what should have sounded in periods that passed unplayed, so that the rest keeps its time. The beginning
 *  of it fades out over what follows, which fades in. Returns how many of the frames were not there yet. */
static uint32_t pass_missed(struct rt_voice *voice, const struct rt_mix *mix, struct tail *tail) RT_NONBLOCKING;
static uint32_t pass_missed(struct rt_voice *voice, const struct rt_mix *mix, struct tail *tail) RT_NONBLOCKING {
  const uint32_t most = mix->missed_frames < mix->period_frames ? mix->missed_frames : mix->period_frames;
  const uint32_t wanted = most < RT_FADE_OUT_FRAMES ? most : RT_FADE_OUT_FRAMES;
  const uint32_t count = rt_ring_read_pair(&voice->ring, mix->beside, tail->frames, tail->side, wanted);
  if (count > 0) (void)rt_measure_clean(tail->frames, count);
  rt_conceal_follow(&voice->conceal, tail->frames, count, mix->sample_rate);
  tail->frame_count = count + rt_conceal_extend(&voice->conceal, &voice->ring, tail->frames + count,
                                                wanted - count, mix->sample_rate, false, mix->searches);
  rt_fade_apply(tail->frames, tail->frame_count, &voice->fade, -1.0f / RT_FADE_OUT_FRAMES);
  if (mix->beside != NULL) {
    if (count > 0) (void)rt_measure_clean(tail->side, count);
    memset(tail->side + count, 0, (tail->frame_count - count) * sizeof(float));
    rt_fade_apply(tail->side, tail->frame_count, &voice->fade_side, -1.0f / RT_FADE_OUT_FRAMES);
  }
  voice->fade = 0.0f;
  voice->fade_side = 0.0f;
  rt_conceal_break(&voice->conceal);
  const uint32_t left = mix->missed_frames - count;
  return left - rt_ring_skip(&voice->ring, left);
}

/** Fades a period of which so many frames were there, and one is held under the fade where it ran dry; returns the
 *  fade's next position. */
static float shape(float *frames, uint32_t count, uint32_t period, float held, float fade, float step) RT_NONBLOCKING;
static float shape(float *frames, uint32_t count, uint32_t period, float held, float fade, float step) RT_NONBLOCKING {
  if (count == period) {
    rt_fade_apply(frames, period, &fade, step);
    return fade;
  }
  const uint32_t start = count > RT_FADE_OUT_FRAMES ? count - RT_FADE_OUT_FRAMES : 0;
  const uint32_t end = start + RT_FADE_OUT_FRAMES < period ? start + RT_FADE_OUT_FRAMES : period;
  for (uint32_t i = count; i < end; i++) frames[i] = held;
  rt_fade_apply(frames, start, &fade, step);
  rt_fade_apply(frames + start, end - start, &fade, -1.0f / RT_FADE_OUT_FRAMES);
  memset(frames + end, 0, (period - end) * sizeof(float));
  return fade;
}

/** Conceals what the ring had too little of; returns how much of the period there is. */
static uint32_t conceal(struct rt_voice *voice, const struct rt_mix *mix, uint32_t count,
                        bool is_leaving) RT_NONBLOCKING;
static uint32_t conceal(struct rt_voice *voice, const struct rt_mix *mix, uint32_t count,
                        bool is_leaving) RT_NONBLOCKING {
  const bool is_missed = !is_leaving && voice->fade > 0.0f &&
                         atomic_load_explicit(&voice->peer->is_playing, memory_order_relaxed);
  return count + rt_conceal_extend(&voice->conceal, &voice->ring, mix->scratch + count, mix->period_frames - count,
                                   mix->sample_rate, is_missed, mix->searches);
}

/** Takes the side of the period, of which so many frames were there. */
static void take_side(struct rt_voice *voice, const struct rt_mix *mix, uint32_t count, float step) RT_NONBLOCKING;
static void take_side(struct rt_voice *voice, const struct rt_mix *mix, uint32_t count, float step) RT_NONBLOCKING {
  if (count > 0) {
    (void)rt_measure_clean(mix->side, count);
    voice->held_side = mix->side[count - 1];
  }
  voice->fade_side = shape(mix->side, count, mix->period_frames, voice->held_side, voice->fade_side, step);
}

/** Takes the period from the ring; where it ran dry it is concealed, or else faded. Returns how many frames were
 *  missing. */
static uint32_t take(struct rt_voice *voice, const struct rt_mix *mix, bool is_leaving) RT_NONBLOCKING;
static uint32_t take(struct rt_voice *voice, const struct rt_mix *mix, bool is_leaving) RT_NONBLOCKING {
  const uint32_t period = mix->period_frames;
  float *frames = mix->scratch;
  const uint32_t count = rt_ring_read_pair(&voice->ring, mix->beside, frames, mix->side, period);
  struct rt_measure block = {0};
  if (count > 0) block = rt_measure_clean(frames, count);
  voice->peak = block.peak;
  rt_level_feed(&voice->peer->level, block, period, mix->sample_rate);

  rt_conceal_follow(&voice->conceal, frames, count, mix->sample_rate);
  const uint32_t heard = count < period ? conceal(voice, mix, count, is_leaving) : count;
  if (heard > 0) voice->held = frames[heard - 1];
  /* What was before a pause says nothing of what comes after it. */
  if (heard < period) rt_conceal_forget(&voice->conceal);
  const float way_out = -(float)LEAVES_PER_SECOND / (float)mix->sample_rate;
  const float step = is_leaving ? way_out : 1.0f / RT_FADE_IN_FRAMES;
  voice->fade = shape(frames, heard, period, voice->held, voice->fade, step);
  if (mix->side != NULL) take_side(voice, mix, count, step);
  return period - count;
}

/** The ramping part of a period: gains move every frame. Returns its length. */
static uint32_t add_ramping(struct rt_voice *voice, const struct rt_mix *mix) RT_NONBLOCKING;
static uint32_t add_ramping(struct rt_voice *voice, const struct rt_mix *mix) RT_NONBLOCKING {
  const uint32_t count = voice->ramp_frames < mix->period_frames ? voice->ramp_frames : mix->period_frames;
  struct rt_gains now = voice->now;
  for (uint32_t i = 0; i < count; i++) {
    now.mono += voice->step.mono;
    now.left += voice->step.left;
    now.right += voice->step.right;
    const float frame = mix->scratch[i] * now.mono;
    mix->scratch[i] = frame;
    mix->left[i] += frame * now.left;
    mix->right[i] += frame * now.right;
  }
  voice->ramp_frames -= count;
  /* The end of the way exactly, without the rounding of the steps. */
  voice->now = voice->ramp_frames == 0 ? voice->target : now;
  return count;
}

/** The rest of a period, at settled gains. */
static void add_steady(const struct rt_gains *gains, float *restrict frames, float *restrict left,
                       float *restrict right, uint32_t frame_count) RT_NONBLOCKING;
static void add_steady(const struct rt_gains *gains, float *restrict frames, float *restrict left,
                       float *restrict right, uint32_t frame_count) RT_NONBLOCKING {
  const struct rt_gains now = *gains;
  for (uint32_t i = 0; i < frame_count; i++) {
    const float frame = frames[i] * now.mono;
    frames[i] = frame;
    left[i] += frame * now.left;
    right[i] += frame * now.right;
  }
}

/** One frame of a ramp, if there is one: its end exactly, without the rounding of the steps. */
static inline void ramp(struct rt_voice *voice, struct rt_gains *now) RT_NONBLOCKING;
static inline void ramp(struct rt_voice *voice, struct rt_gains *now) RT_NONBLOCKING {
  if (voice->ramp_frames == 0) return;
  voice->ramp_frames--;
  now->mono += voice->step.mono;
  now->left += voice->step.left;
  now->right += voice->step.right;
  if (voice->ramp_frames == 0) *now = voice->target;
}

/** A period of a peer that is dimmed. */
static void add_dimmed(struct rt_voice *voice, const struct rt_mix *mix) RT_NONBLOCKING;
static void add_dimmed(struct rt_voice *voice, const struct rt_mix *mix) RT_NONBLOCKING {
  struct rt_gains now = voice->now;
  for (uint32_t i = 0; i < mix->period_frames; i++) {
    ramp(voice, &now);
    const float frame = mix->scratch[i] * now.mono;
    const float dimmed = frame * rt_glide_next(&voice->dim);
    mix->scratch[i] = frame;
    mix->left[i] += dimmed * now.left;
    mix->right[i] += dimmed * now.right;
  }
  voice->now = now;
}

/** A period of a peer that has a place around the head, or gets or leaves one. */
static void add_placed(struct rt_voice *voice, const struct rt_mix *mix) RT_NONBLOCKING;
static void add_placed(struct rt_voice *voice, const struct rt_mix *mix) RT_NONBLOCKING {
  struct rt_gains now = voice->now;
  float *line = mix->line + RT_PLACE_TAPS - 1;
  for (uint32_t i = 0; i < mix->period_frames; i++) {
    ramp(voice, &now);
    const float frame = mix->scratch[i] * now.mono;
    const float dimmed = frame * rt_glide_next(&voice->dim);
    const float panned = dimmed * rt_place_panned(voice->place.sound, i);
    mix->scratch[i] = frame;
    line[i] = dimmed;
    mix->left[i] += panned * now.left;
    mix->right[i] += panned * now.right;
  }
  voice->now = now;
  rt_place_add(&voice->place, mix->line, mix->left, mix->right, mix->period_frames);
}

/** A period of a peer of two channels: its pan is the balance of them. */
static void add_stereo(struct rt_voice *voice, const struct rt_mix *mix) RT_NONBLOCKING;
static void add_stereo(struct rt_voice *voice, const struct rt_mix *mix) RT_NONBLOCKING {
  struct rt_gains now = voice->now;
  const bool is_dimmed = !rt_glide_is_unity(&voice->dim);
  for (uint32_t i = 0; i < mix->period_frames; i++) {
    ramp(voice, &now);
    const float frame = mix->scratch[i] * now.mono;
    const float side = mix->side[i] * now.mono;
    const float dim = is_dimmed ? rt_glide_next(&voice->dim) : 1.0f;
    mix->scratch[i] = frame;
    mix->left[i] += (frame + side) * dim * now.left;
    mix->right[i] += (frame - side) * dim * now.right;
  }
  voice->now = now;
}

bool rt_peer_play(struct rt_voice *voice, const struct rt_mix *mix, bool is_leaving) RT_NONBLOCKING {
  struct tail tail;
  /* Not the frames: to zero them for each slot takes a twentieth of the callback. */
  tail.frame_count = 0;
  /* In this order: what was missed comes before the period. */
  const uint32_t late = mix->missed_frames > 0 ? pass_missed(voice, mix, &tail) : 0;
  const uint32_t missing = late + take(voice, mix, is_leaving);
  for (uint32_t i = 0; i < tail.frame_count; i++) mix->scratch[i] += tail.frames[i];
  for (uint32_t i = 0; mix->side != NULL && i < tail.frame_count; i++) mix->side[i] += tail.side[i];
  if (missing > 0 && !is_leaving && atomic_load_explicit(&voice->peer->is_playing, memory_order_relaxed)) {
    atomic_fetch_add_explicit(&voice->peer->underrun_frames, missing, memory_order_relaxed);
  }
  if (mix->tap != NULL) memcpy(mix->tap, mix->scratch, mix->period_frames * sizeof(float));
  return voice->fade > 0.0f;
}

void rt_peer_add(struct rt_voice *voice, const struct rt_mix *mix, float *peer_out) RT_NONBLOCKING {
  aim(voice, mix->sample_rate);
  rt_place_follow(&voice->place, mix->places_changed);
  if (mix->side != NULL) {
    add_stereo(voice, mix);
  } else if (voice->place.is_active) {
    add_placed(voice, mix);
  } else if (rt_glide_is_unity(&voice->dim)) {
    const uint32_t done = add_ramping(voice, mix);
    add_steady(&voice->now, mix->scratch + done, mix->left + done, mix->right + done, mix->period_frames - done);
  } else {
    add_dimmed(voice, mix);
  }
  if (peer_out != NULL) memcpy(peer_out, mix->scratch, mix->period_frames * sizeof(float));
}
