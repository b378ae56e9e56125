#include "rt_peer.h"

#include "rt_fade.h"

#include <string.h>

/* Long enough that a full gain change makes no click, short enough to follow a fader. */
enum { RAMPS_PER_SECOND = 100 };
/* The fade out of a detached peer: 5 ms. */
enum { LEAVES_PER_SECOND = 200 };

static struct rt_gains wanted_gains(const struct rt_peer *peer) RT_NONBLOCKING;
static struct rt_gains wanted_gains(const struct rt_peer *peer) RT_NONBLOCKING {
  const union rt_pan pan = {.word = atomic_load_explicit(&peer->pan, memory_order_relaxed)};
  return (struct rt_gains){
      .mono = atomic_load_explicit(&peer->gain, memory_order_relaxed),
      .left = pan.factors.left,
      .right = pan.factors.right,
  };
}

void rt_peer_begin(struct rt_peer *peer) RT_NONBLOCKING {
  peer->target = wanted_gains(peer);
  peer->now = peer->target;
  peer->ramp_frames = 0;
  peer->fade = 0.0f;
  peer->held = 0.0f;
}

/** Starts a new ramp when gain or pan were set since the last period. */
static void aim(struct rt_peer *peer, uint32_t sample_rate) RT_NONBLOCKING;
static void aim(struct rt_peer *peer, uint32_t sample_rate) RT_NONBLOCKING {
  const struct rt_gains wanted = wanted_gains(peer);
  const struct rt_gains target = peer->target;
  if (wanted.mono == target.mono && wanted.left == target.left && wanted.right == target.right) return;
  const uint32_t frames = sample_rate / RAMPS_PER_SECOND > 0 ? sample_rate / RAMPS_PER_SECOND : 1;
  const float share = 1.0f / (float)frames;
  peer->target = wanted;
  peer->step.mono = (wanted.mono - peer->now.mono) * share;
  peer->step.left = (wanted.left - peer->now.left) * share;
  peer->step.right = (wanted.right - peer->now.right) * share;
  peer->ramp_frames = frames;
}

/** What a peer would have gone on with, had no periods been missed. */
struct tail {
  float frames[RT_FADE_OUT_FRAMES];
  uint32_t frame_count;
};

/** Leaves out what should have sounded in periods that passed unplayed, so that the rest keeps its time. The beginning of
 *  it fades out over what follows, which fades in. Returns how many of the frames were not there yet. */
static uint32_t pass_missed(struct rt_peer *peer, const struct rt_mix *mix, struct tail *tail) RT_NONBLOCKING;
static uint32_t pass_missed(struct rt_peer *peer, const struct rt_mix *mix, struct tail *tail) RT_NONBLOCKING {
  const uint32_t most = mix->missed_frames < mix->period_frames ? mix->missed_frames : mix->period_frames;
  tail->frame_count = rt_ring_read(&peer->ring, tail->frames, most < RT_FADE_OUT_FRAMES ? most : RT_FADE_OUT_FRAMES);
  if (tail->frame_count > 0) {
    (void)rt_measure_clean(tail->frames, tail->frame_count);
    rt_fade_apply(tail->frames, tail->frame_count, &peer->fade, -1.0f / RT_FADE_OUT_FRAMES);
  }
  peer->fade = 0.0f;
  const uint32_t left = mix->missed_frames - tail->frame_count;
  return left - rt_ring_skip(&peer->ring, left);
}

/** Takes the period from the ring, faded where it begins, ends or ran dry. Returns how many frames were missing. */
static uint32_t take(struct rt_peer *peer, const struct rt_mix *mix, bool is_leaving) RT_NONBLOCKING;
static uint32_t take(struct rt_peer *peer, const struct rt_mix *mix, bool is_leaving) RT_NONBLOCKING {
  const uint32_t period = mix->period_frames;
  float *frames = mix->scratch;
  const uint32_t count = rt_ring_read(&peer->ring, frames, period);
  struct rt_measure block = {0};
  if (count > 0) {
    block = rt_measure_clean(frames, count);
    peer->held = frames[count - 1];
  }
  rt_level_feed(&peer->level, block, period, mix->sample_rate);

  const float way_out = -(float)LEAVES_PER_SECOND / (float)mix->sample_rate;
  const float step = is_leaving ? way_out : 1.0f / RT_FADE_IN_FRAMES;
  if (count == period) {
    rt_fade_apply(frames, period, &peer->fade, step);
    return 0;
  }
  const uint32_t start = count > RT_FADE_OUT_FRAMES ? count - RT_FADE_OUT_FRAMES : 0;
  const uint32_t end = start + RT_FADE_OUT_FRAMES < period ? start + RT_FADE_OUT_FRAMES : period;
  for (uint32_t i = count; i < end; i++) frames[i] = peer->held;
  rt_fade_apply(frames, start, &peer->fade, step);
  rt_fade_apply(frames + start, end - start, &peer->fade, -1.0f / RT_FADE_OUT_FRAMES);
  memset(frames + end, 0, (period - end) * sizeof(float));
  return period - count;
}

/** The ramping part of a period: gains move every frame. Returns its length. */
static uint32_t add_ramping(struct rt_peer *peer, const struct rt_mix *mix) RT_NONBLOCKING;
static uint32_t add_ramping(struct rt_peer *peer, const struct rt_mix *mix) RT_NONBLOCKING {
  const uint32_t count = peer->ramp_frames < mix->period_frames ? peer->ramp_frames : mix->period_frames;
  struct rt_gains now = peer->now;
  for (uint32_t i = 0; i < count; i++) {
    now.mono += peer->step.mono;
    now.left += peer->step.left;
    now.right += peer->step.right;
    const float frame = mix->scratch[i] * now.mono;
    mix->scratch[i] = frame;
    mix->left[i] += frame * now.left;
    mix->right[i] += frame * now.right;
  }
  peer->ramp_frames -= count;
  /* The end of the way exactly, without the rounding of the steps. */
  peer->now = peer->ramp_frames == 0 ? peer->target : now;
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

bool rt_peer_mix(struct rt_peer *peer, const struct rt_mix *mix, bool is_leaving, float *peer_out) RT_NONBLOCKING {
  struct tail tail = {.frame_count = 0};
  /* In this order: what was missed comes before the period. */
  const uint32_t late = mix->missed_frames > 0 ? pass_missed(peer, mix, &tail) : 0;
  const uint32_t missing = late + take(peer, mix, is_leaving);
  for (uint32_t i = 0; i < tail.frame_count; i++) mix->scratch[i] += tail.frames[i];
  if (missing > 0 && !is_leaving && atomic_load_explicit(&peer->is_playing, memory_order_relaxed)) {
    atomic_fetch_add_explicit(&peer->underrun_frames, missing, memory_order_relaxed);
  }
  if (mix->tap != NULL) memcpy(mix->tap, mix->scratch, mix->period_frames * sizeof(float));
  aim(peer, mix->sample_rate);
  const uint32_t done = add_ramping(peer, mix);
  add_steady(&peer->now, mix->scratch + done, mix->left + done, mix->right + done, mix->period_frames - done);
  if (peer_out != NULL) memcpy(peer_out, mix->scratch, mix->period_frames * sizeof(float));
  return peer->fade > 0.0f;
}
