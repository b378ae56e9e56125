#include "rt_level.h"

#include <stdbool.h>
#include <string.h>

static const float rms_seconds = 0.3f;
static const float loudest = 1e6f;
/* A reader that looks four times a second misses no peak. */
enum { WINDOWS_PER_SECOND = 4 };

/* Independent lanes, because the compiler may not reorder float sums by itself; four vectors of them, as each addition
 * waits for the one before. */
enum { VECTORS = 4, VECTOR_LANES = 4 };
typedef float lanes __attribute__((vector_size(VECTOR_LANES * sizeof(float))));
typedef int32_t masks __attribute__((vector_size(VECTOR_LANES * sizeof(float))));

/** The greater of each two; other where one of them is no number. */
static inline lanes greater(lanes one, lanes other) RT_NONBLOCKING {
  const masks is_one = one > other;
  return (lanes)(((masks)one & is_one) | ((masks)other & ~is_one));
}

static struct rt_measure measure(const float *frames, uint32_t frame_count) RT_NONBLOCKING;
static struct rt_measure measure(const float *frames, uint32_t frame_count) RT_NONBLOCKING {
  lanes peaks[VECTORS] = {0}, sums[VECTORS] = {0};
  uint32_t i = 0;
  for (; i + VECTORS * VECTOR_LANES <= frame_count; i += VECTORS * VECTOR_LANES) {
    lanes block[VECTORS];
    memcpy(block, frames + i, sizeof block);
    for (uint32_t vector = 0; vector < VECTORS; vector++) {
      peaks[vector] = greater(greater(block[vector], -block[vector]), peaks[vector]);
      sums[vector] += block[vector] * block[vector];
    }
  }
  const lanes peak = greater(greater(peaks[0], peaks[1]), greater(peaks[2], peaks[3]));
  const lanes sum = (sums[0] + sums[1]) + (sums[2] + sums[3]);
  struct rt_measure block = {0.0f, (sum[0] + sum[2]) + (sum[1] + sum[3])};
  for (uint32_t lane = 0; lane < VECTOR_LANES; lane++) block.peak = peak[lane] > block.peak ? peak[lane] : block.peak;
  for (; i < frame_count; i++) {
    const float magnitude = frames[i] < 0.0f ? -frames[i] : frames[i];
    block.peak = magnitude > block.peak ? magnitude : block.peak;
    block.square_sum += frames[i] * frames[i];
  }
  return block;
}

struct rt_measure rt_measure_clean(float *frames, uint32_t frame_count) RT_NONBLOCKING {
  const struct rt_measure block = measure(frames, frame_count);
  /* Written so that it is also false for NaN, which any bad frame leaves in the sum. */
  const float most = loudest * loudest;
  if (block.peak <= loudest && block.square_sum <= most * (float)(frame_count + 1)) return block;
  for (uint32_t i = 0; i < frame_count; i++) {
    const int is_sound = frames[i] >= -loudest && frames[i] <= loudest;
    frames[i] = is_sound ? frames[i] : 0.0f;
  }
  return measure(frames, frame_count);
}

static void store(_Atomic float *place, float value) RT_NONBLOCKING;
static void store(_Atomic float *place, float value) RT_NONBLOCKING {
  atomic_store_explicit(place, value, memory_order_relaxed);
}

static void feed_peak(struct rt_level *level, float peak, uint32_t period_frames, uint32_t sample_rate) RT_NONBLOCKING;
static void feed_peak(struct rt_level *level, float peak, uint32_t period_frames, uint32_t sample_rate) RT_NONBLOCKING {
  const float before = atomic_load_explicit(&level->window_peak, memory_order_relaxed);
  const float last = atomic_load_explicit(&level->last_peak, memory_order_relaxed);
  const uint32_t frames = atomic_load_explicit(&level->window_frames, memory_order_relaxed) + period_frames;
  const float now = peak > before ? peak : before;
  store(&level->peak, now > last ? now : last);
  const bool has_ended = frames >= sample_rate / WINDOWS_PER_SECOND;
  store(&level->window_peak, has_ended ? 0.0f : now);
  if (has_ended) store(&level->last_peak, now);
  atomic_store_explicit(&level->window_frames, has_ended ? 0 : frames, memory_order_relaxed);
  if (!has_ended) return;
  const uint32_t sequence = atomic_load_explicit(&level->sequence, memory_order_relaxed);
  atomic_store_explicit(&level->sequence, sequence + 1, memory_order_relaxed);
}

void rt_level_feed(struct rt_level *level, struct rt_measure block, uint32_t period_frames,
                   uint32_t sample_rate) RT_NONBLOCKING {
  feed_peak(level, block.peak, period_frames, sample_rate);
  const float count = (float)period_frames;
  const float weight = count / (count + rms_seconds * (float)sample_rate);
  const float before = atomic_load_explicit(&level->mean_square, memory_order_relaxed);
  const float after = before + weight * (block.square_sum / count - before);
  store(&level->mean_square, after);
}

void rt_level_rest(struct rt_level *level) RT_NONBLOCKING {
  store(&level->mean_square, 0.0f);
  store(&level->peak, 0.0f);
  store(&level->window_peak, 0.0f);
  store(&level->last_peak, 0.0f);
}
