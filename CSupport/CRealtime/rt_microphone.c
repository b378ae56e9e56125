#include "rt_microphone.h"

#include "rt_desk.h"
#include "rt_fade.h"
#include "rt_source.h"

#include <string.h>

/* The gate opens and closes in 5 ms: the start of a word is not lost, and there is no click. */
enum { GATES_PER_SECOND = 200 };
/* What a bridge over missed periods is written by. */
enum { BRIDGE_FRAMES = 64 };

static void capture(struct rt_desk *desk, const float *frames, uint32_t frame_count) RT_NONBLOCKING;
static void capture(struct rt_desk *desk, const float *frames, uint32_t frame_count) RT_NONBLOCKING {
  const uint32_t written = rt_ring_write(&desk->capture, frames, frame_count);
  if (written < frame_count) {
    atomic_fetch_add_explicit(&desk->shared->capture_overruns, frame_count - written, memory_order_relaxed);
  }
}

/** Leads from the last frame captured towards the next one. */
static void bridge(struct rt_desk *desk, float next_frame, uint32_t frame_count) RT_NONBLOCKING;
static void bridge(struct rt_desk *desk, float next_frame, uint32_t frame_count) RT_NONBLOCKING {
  float frames[BRIDGE_FRAMES];
  const float step = (next_frame - desk->last_mic_frame) / (float)(frame_count + 1);
  for (uint32_t done = 0; done < frame_count; done += BRIDGE_FRAMES) {
    const uint32_t left = frame_count - done;
    const uint32_t count = left < BRIDGE_FRAMES ? left : BRIDGE_FRAMES;
    for (uint32_t i = 0; i < count; i++) frames[i] = desk->last_mic_frame + step * (float)(done + i + 1);
    capture(desk, frames, count);
  }
}

void rt_microphone_run(struct rt_desk *desk, const float *mic, uint32_t period_frames, uint32_t sample_rate,
                       uint32_t missed_frames) RT_NONBLOCKING {
  float *frames = desk->scratch;
  memcpy(frames, mic, period_frames * sizeof(float));
  const float step = (float)GATES_PER_SECOND / (float)sample_rate;
  rt_fade_apply(frames, period_frames, &desk->gate, rt_source_opens_gate(desk) ? step : -step);
  const struct rt_measure block = rt_measure_clean(frames, period_frames);
  rt_level_feed(&desk->shared->mic_level, block, period_frames, sample_rate);
  if (missed_frames > 0) bridge(desk, frames[0], missed_frames);
  capture(desk, frames, period_frames);
  desk->last_mic_frame = frames[period_frames - 1];
}

void rt_microphone_leave(struct rt_desk *desk, uint32_t frame_count) RT_NONBLOCKING {
  const uint64_t before = atomic_load_explicit(&desk->shared->capture_hole, memory_order_relaxed);
  const uint32_t total = (uint32_t)before + frame_count;
  const uint32_t place = atomic_load_explicit(&desk->capture.indices->write_index, memory_order_relaxed);
  /* Before the frames after it, which are handed over with release. */
  atomic_store_explicit(&desk->shared->capture_hole, (uint64_t)place << 32 | total, memory_order_relaxed);
}
