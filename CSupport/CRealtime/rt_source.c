#include "rt_source.h"

#include "rt_desk.h"
#include "rt_microphone.h"

#include <string.h>

/* What a gap in the record is written by. */
enum { GAP_FRAMES = 64 };

bool rt_source_begin(struct rt_desk *desk) RT_NONBLOCKING {
  const uint32_t wanted = atomic_load_explicit(&desk->shared->wanted_source, memory_order_acquire);
  if (wanted != desk->source && desk->gate == 0.0f) {
    desk->source = wanted;
    /* Release: the loop may clear the rings once they are out of use. */
    atomic_store_explicit(&desk->shared->present_source, wanted, memory_order_release);
  }
  return rt_source_of(desk->source) == RT_SOURCE_MICROPHONE;
}

bool rt_source_opens_gate(const struct rt_desk *desk) RT_NONBLOCKING {
  if (desk->source != atomic_load_explicit(&desk->shared->wanted_source, memory_order_relaxed)) return false;
  if (rt_source_of(desk->source) != RT_SOURCE_MICROPHONE) return true;
  return atomic_load_explicit(&desk->shared->talk, memory_order_relaxed) != 0;
}

bool rt_source_taps(const struct rt_desk *desk, rt_slot slot) RT_NONBLOCKING {
  return rt_source_of(desk->source) != RT_SOURCE_MICROPHONE && (desk->source & 0xFF) == (uint32_t)slot;
}

static void lose(struct rt_desk *desk, uint32_t frame_count) RT_NONBLOCKING;
static void lose(struct rt_desk *desk, uint32_t frame_count) RT_NONBLOCKING {
  if (frame_count > 0) atomic_fetch_add_explicit(&desk->shared->signal_lost, frame_count, memory_order_relaxed);
}

/** Records the tap, after silence for what passed unheard, and puts the signal in its place. */
static void exchange_signal(struct rt_desk *desk, const struct rt_mix *mix) RT_NONBLOCKING;
static void exchange_signal(struct rt_desk *desk, const struct rt_mix *mix) RT_NONBLOCKING {
  const float gap[GAP_FRAMES] = {0};
  for (uint32_t done = 0; done < mix->missed_frames; done += GAP_FRAMES) {
    const uint32_t left = mix->missed_frames - done;
    const uint32_t count = left < GAP_FRAMES ? left : GAP_FRAMES;
    lose(desk, count - rt_ring_write(&desk->record, gap, count));
  }
  lose(desk, mix->period_frames - rt_ring_write(&desk->record, desk->tap, mix->period_frames));

  lose(desk, mix->missed_frames - rt_ring_skip(&desk->signal, mix->missed_frames));
  const uint32_t count = rt_ring_read(&desk->signal, desk->tap, mix->period_frames);
  memset(desk->tap + count, 0, (mix->period_frames - count) * sizeof(float));
  lose(desk, mix->period_frames - count);
}

void rt_source_run(struct rt_desk *desk, const struct rt_mix *mix) RT_NONBLOCKING {
  if (rt_source_of(desk->source) == RT_SOURCE_SIGNAL) exchange_signal(desk, mix);
  rt_microphone_run(desk, desk->tap, mix->period_frames, mix->sample_rate, mix->missed_frames);
}
