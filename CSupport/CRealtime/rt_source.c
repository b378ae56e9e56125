#include "rt_source.h"

#include "rt_desk.h"
#include "rt_fade.h"

#include <string.h>

/* What is inserted comes and goes in 5 ms. */
enum { CHANGES_PER_SECOND = 200 };
/* What a gap in the record is written by. */
enum { GAP_FRAMES = 64 };

void rt_source_begin(struct rt_desk *desk) RT_NONBLOCKING {
  const uint32_t wanted = atomic_load_explicit(&desk->shared->wanted_source, memory_order_acquire);
  if (wanted == desk->source || desk->insert_fade > 0.0f) return;
  desk->source = wanted;
  /* Release: the loop may clear the rings once they are out of use. */
  atomic_store_explicit(&desk->shared->present_source, wanted, memory_order_release);
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

const float *rt_source_run(struct rt_desk *desk, const struct rt_mix *mix) RT_NONBLOCKING {
  if (rt_source_of(desk->source) == RT_SOURCE_MICROPHONE) return NULL;
  if (rt_source_of(desk->source) == RT_SOURCE_SIGNAL) exchange_signal(desk, mix);
  const bool stays = desk->source == atomic_load_explicit(&desk->shared->wanted_source, memory_order_relaxed);
  const float way = (stays ? 1.0f : -1.0f) * (float)CHANGES_PER_SECOND / (float)mix->sample_rate;
  rt_fade_apply(desk->tap, mix->period_frames, &desk->insert_fade, way);
  (void)rt_measure_clean(desk->tap, mix->period_frames);
  return desk->tap;
}
