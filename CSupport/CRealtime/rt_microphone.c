#include "rt_microphone.h"

#include "rt_fade.h"
#include "rt_state.h"

#include <string.h>

/* The gate opens and closes in 5 ms: the start of a word is not lost, and there is no click. */
enum { GATES_PER_SECOND = 200 };

void rt_microphone_run(struct rt_engine *engine, const float *mic, uint32_t period_frames,
                       uint32_t sample_rate) RT_NONBLOCKING {
  float *frames = engine->scratch;
  memcpy(frames, mic, period_frames * sizeof(float));
  const float step = (float)GATES_PER_SECOND / (float)sample_rate;
  const bool talks = atomic_load_explicit(&engine->talk, memory_order_relaxed);
  rt_fade_apply(frames, period_frames, &engine->gate, talks ? step : -step);
  const struct rt_measure block = rt_measure_clean(frames, period_frames);
  rt_level_feed(&engine->mic_level, block, period_frames, sample_rate);
  const uint32_t written = rt_ring_write(&engine->capture, frames, period_frames);
  if (written < period_frames) {
    atomic_fetch_add_explicit(&engine->capture_overruns, period_frames - written, memory_order_relaxed);
  }
}
