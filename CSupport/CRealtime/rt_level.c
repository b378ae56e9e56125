#include "rt_level.h"

static const float rms_seconds = 0.3f;
static const float loudest = 1e6f;

enum { LANES = 8 };

static struct rt_measure measure(const float *frames, uint32_t frame_count) RT_NONBLOCKING;
static struct rt_measure measure(const float *frames, uint32_t frame_count) RT_NONBLOCKING {
  /* Independent lanes, because the compiler may not reorder float sums by itself. */
  float peaks[LANES] = {0}, sums[LANES] = {0};
  uint32_t i = 0;
  for (; i + LANES <= frame_count; i += LANES) {
    for (uint32_t lane = 0; lane < LANES; lane++) {
      const float frame = frames[i + lane];
      const float magnitude = frame < 0.0f ? -frame : frame;
      peaks[lane] = magnitude > peaks[lane] ? magnitude : peaks[lane];
      sums[lane] += frame * frame;
    }
  }
  for (; i < frame_count; i++) {
    const float magnitude = frames[i] < 0.0f ? -frames[i] : frames[i];
    peaks[0] = magnitude > peaks[0] ? magnitude : peaks[0];
    sums[0] += frames[i] * frames[i];
  }
  struct rt_measure block = {peaks[0], sums[0]};
  for (uint32_t lane = 1; lane < LANES; lane++) {
    block.peak = peaks[lane] > block.peak ? peaks[lane] : block.peak;
    block.square_sum += sums[lane];
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

void rt_level_feed(struct rt_level *level, struct rt_measure block, uint32_t period_frames,
                   uint32_t sample_rate) RT_NONBLOCKING {
  if (block.peak > atomic_load_explicit(&level->peak, memory_order_relaxed)) {
    /* A take that falls in between loses nothing: this peak belongs to the time after it. */
    atomic_store_explicit(&level->peak, block.peak, memory_order_relaxed);
  }
  const float count = (float)period_frames;
  const float weight = count / (count + rms_seconds * (float)sample_rate);
  const float before = atomic_load_explicit(&level->mean_square, memory_order_relaxed);
  const float after = before + weight * (block.square_sum / count - before);
  atomic_store_explicit(&level->mean_square, after, memory_order_relaxed);
}

void rt_level_rest(struct rt_level *level) RT_NONBLOCKING {
  atomic_store_explicit(&level->mean_square, 0.0f, memory_order_relaxed);
}
