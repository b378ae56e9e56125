#include "rt_source.h"

#include "rt_microphone.h"
#include "rt_state.h"

#include <string.h>

/* What a gap in the record is written by. */
enum { GAP_FRAMES = 64 };

bool rt_source_begin(struct rt_engine *engine) RT_NONBLOCKING {
  const uint32_t wanted = atomic_load_explicit(&engine->wanted_source, memory_order_acquire);
  const uint32_t present = atomic_load_explicit(&engine->present_source, memory_order_relaxed);
  if (wanted != present && engine->gate == 0.0f) {
    /* Release: the loop may clear the rings once they are out of use. */
    atomic_store_explicit(&engine->present_source, wanted, memory_order_release);
    return rt_source_of(wanted) == RT_SOURCE_MICROPHONE;
  }
  return rt_source_of(present) == RT_SOURCE_MICROPHONE;
}

bool rt_source_opens_gate(const struct rt_engine *engine) RT_NONBLOCKING {
  const uint32_t present = atomic_load_explicit(&engine->present_source, memory_order_relaxed);
  if (present != atomic_load_explicit(&engine->wanted_source, memory_order_relaxed)) return false;
  if (rt_source_of(present) != RT_SOURCE_MICROPHONE) return true;
  return atomic_load_explicit(&engine->talk, memory_order_relaxed);
}

bool rt_source_taps(const struct rt_engine *engine, rt_slot slot) RT_NONBLOCKING {
  const uint32_t present = atomic_load_explicit(&engine->present_source, memory_order_relaxed);
  return rt_source_of(present) != RT_SOURCE_MICROPHONE && (present & 0xFF) == (uint32_t)slot;
}

static void lose(struct rt_engine *engine, uint32_t frame_count) RT_NONBLOCKING;
static void lose(struct rt_engine *engine, uint32_t frame_count) RT_NONBLOCKING {
  if (frame_count > 0) atomic_fetch_add_explicit(&engine->signal_lost, frame_count, memory_order_relaxed);
}

/** Records the tap, after silence for what passed unheard, and puts the signal in its place. */
static void exchange_signal(struct rt_engine *engine, const struct rt_mix *mix) RT_NONBLOCKING;
static void exchange_signal(struct rt_engine *engine, const struct rt_mix *mix) RT_NONBLOCKING {
  const float gap[GAP_FRAMES] = {0};
  for (uint32_t done = 0; done < mix->missed_frames; done += GAP_FRAMES) {
    const uint32_t left = mix->missed_frames - done;
    const uint32_t count = left < GAP_FRAMES ? left : GAP_FRAMES;
    lose(engine, count - rt_ring_write(&engine->record, gap, count));
  }
  lose(engine, mix->period_frames - rt_ring_write(&engine->record, engine->tap, mix->period_frames));

  lose(engine, mix->missed_frames - rt_ring_skip(&engine->signal, mix->missed_frames));
  const uint32_t count = rt_ring_read(&engine->signal, engine->tap, mix->period_frames);
  memset(engine->tap + count, 0, (mix->period_frames - count) * sizeof(float));
  lose(engine, mix->period_frames - count);
}

void rt_source_run(struct rt_engine *engine, const struct rt_mix *mix) RT_NONBLOCKING {
  const uint32_t present = atomic_load_explicit(&engine->present_source, memory_order_relaxed);
  if (rt_source_of(present) == RT_SOURCE_SIGNAL) exchange_signal(engine, mix);
  rt_microphone_run(engine, engine->tap, mix->period_frames, mix->sample_rate, mix->missed_frames);
}
