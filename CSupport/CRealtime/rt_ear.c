#include "rt_desk.h"

enum { FALLS_PER_SECOND = 50, RISES_PER_SECOND = 2 };
/* -40 dBFS: above the noise of an open microphone, below a quiet voice. */
static const float sounding_peak = 0.01f;
/* Beyond the last peak: pauses between words are no end. */
static const float sounding_seconds = 0.3f;
static const float least_ceiling = 1.0f / 64;

/** The rank of a slot; out of bounds it is believed no more than another. */
static uint32_t rank_of(const struct rt_voice *voice) RT_NONBLOCKING;
static uint32_t rank_of(const struct rt_voice *voice) RT_NONBLOCKING {
  const uint32_t rank = atomic_load_explicit(&voice->peer->rank, memory_order_relaxed);
  return rank < RT_RANKS ? rank : RT_RANK_PROGRAMME;
}

static float least(float one, float other) RT_NONBLOCKING;
static float least(float one, float other) RT_NONBLOCKING {
  return one < other ? one : other;
}

/** What is left of a rank's sound now. */
static float dim_of(const struct rt_desk *desk, uint32_t rank) RT_NONBLOCKING;
static float dim_of(const struct rt_desk *desk, uint32_t rank) RT_NONBLOCKING {
  const struct rt_ear_shared *shared = &desk->shared->ear;
  const uint32_t sounding = desk->ear.sounding;
  float dim = 1.0f;
  if (sounding != RT_RANK_PROGRAMME) {
    dim = rt_bounded(atomic_load_explicit(&shared->dims[rank][sounding], memory_order_relaxed), 1.0f);
  }
  if (atomic_load_explicit(&shared->is_talking, memory_order_relaxed) == 0) return dim;
  return least(dim, rt_bounded(atomic_load_explicit(&shared->talk_dims[rank], memory_order_relaxed), 1.0f));
}

void rt_ear_begin(struct rt_desk *desk, const struct rt_mix *mix) RT_NONBLOCKING {
  struct rt_ear *ear = &desk->ear;
  const uint32_t frames = mix->period_frames + mix->missed_frames;
  ear->sounding = RT_RANK_PROGRAMME;
  for (uint32_t rank = RT_RANK_PROGRAMME + 1; rank < RT_RANKS; rank++) {
    if (ear->sounding_frames[rank] == 0) continue;
    ear->sounding = rank;
    ear->sounding_frames[rank] -= frames < ear->sounding_frames[rank] ? frames : ear->sounding_frames[rank];
  }
}

void rt_ear_follow(struct rt_desk *desk, uint32_t slot, const struct rt_mix *mix, bool has_begun) RT_NONBLOCKING {
  struct rt_voice *voice = &desk->voices[slot];
  const uint32_t rank = rank_of(voice);
  const float dim = dim_of(desk, rank);
  if (has_begun) {
    rt_glide_jump(&voice->dim, dim);
  } else {
    rt_glide_aim(&voice->dim, dim, mix->sample_rate / FALLS_PER_SECOND, mix->sample_rate / RISES_PER_SECOND);
  }
  /* Who is not heard does not dim. */
  const bool sounds = voice->peak >= sounding_peak && voice->target.mono > 0.0f;
  if (sounds) desk->ear.sounding_frames[rank] = (uint32_t)(sounding_seconds * (float)mix->sample_rate);
}

void rt_ear_end(struct rt_desk *desk, const struct rt_mix *mix) RT_NONBLOCKING {
  const struct rt_ear_shared *shared = &desk->shared->ear;
  const uint32_t frames = mix->sample_rate / FALLS_PER_SECOND;
  const float ceiling = rt_bounded(atomic_load_explicit(&shared->ceiling, memory_order_relaxed), 1.0f);
  rt_glide_aim(&desk->limiter.ceiling, ceiling > least_ceiling ? ceiling : least_ceiling, frames, frames);
  struct rt_glide *volume = &desk->ear.volume;
  const float gain = rt_bounded(atomic_load_explicit(&shared->volume, memory_order_relaxed), RT_MAX_VOLUME);
  rt_glide_aim(volume, gain, frames, frames);
  if (!rt_glide_is_unity(volume)) rt_glide_apply(volume, mix->left, mix->right, mix->period_frames);
}

float rt_ear_sidetone(const struct rt_desk *desk) RT_NONBLOCKING {
  const struct rt_ear_shared *shared = &desk->shared->ear;
  if (atomic_load_explicit(&shared->is_tracking, memory_order_relaxed) == 0) return 1.0f;
  return rt_bounded(atomic_load_explicit(&shared->volume, memory_order_relaxed), RT_MAX_VOLUME);
}
