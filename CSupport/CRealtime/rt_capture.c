#include "rt_capture_frame.h"

#include "rt_desk.h"

#include <string.h>

/** Writes a period of one channel to its places, from NULL silence, after a line from its last frame to its first one
 *  for what was missed. */
static void put(struct rt_desk *desk, uint32_t channel, const float *frames, uint32_t period_frames) RT_NONBLOCKING;
static void put(struct rt_desk *desk, uint32_t channel, const float *frames, uint32_t period_frames) RT_NONBLOCKING {
  const struct rt_capture_span *span = &desk->span;
  float *samples = desk->capture.frames;
  const uint32_t mask = desk->capture.capacity - 1, stride = desk->capture_channels;
  const float before = desk->last_frame[channel], first = frames != NULL ? frames[0] : 0.0f;
  const float step = (first - before) / (float)(span->missed + 1);
  const uint32_t bridged = span->missed < span->room ? span->missed : span->room;
  const uint32_t left = span->room - bridged;
  const uint32_t count = period_frames < left ? period_frames : left;
  uint32_t place = span->start + channel;
  for (uint32_t i = 0; i < bridged; i++, place += stride) samples[place & mask] = before + step * (float)(i + 1);
  if (frames != NULL) {
    for (uint32_t i = 0; i < count; i++, place += stride) samples[place & mask] = frames[i];
  } else {
    for (uint32_t i = 0; i < count; i++, place += stride) samples[place & mask] = 0.0f;
  }
  desk->last_frame[channel] = frames != NULL ? frames[period_frames - 1] : 0.0f;
}

void rt_capture_begin(struct rt_desk *desk, const float *mic, const float *const *inputs, const struct rt_mix *mix)
    RT_NONBLOCKING {
  const uint32_t period_frames = mix->period_frames;
  const uint32_t wanted = mix->missed_frames + period_frames;
  const uint32_t room = rt_ring_room(&desk->capture) / desk->capture_channels;
  desk->span = (struct rt_capture_span){
      .start = atomic_load_explicit(&desk->capture.indices->write_index, memory_order_relaxed),
      .missed = mix->missed_frames,
      .room = wanted < room ? wanted : room,
  };
  if (room < wanted) {
    atomic_fetch_add_explicit(&desk->shared->capture_overruns, wanted - room, memory_order_relaxed);
  }
  memcpy(desk->microphone, mic, period_frames * sizeof(float));
  const struct rt_measure block = rt_measure_clean(desk->microphone, period_frames);
  rt_level_feed(&desk->shared->mic_level, block, period_frames, mix->sample_rate);
  float *frames = mix->scratch;
  const uint32_t input_count = desk->capture_channels - RT_CAPTURE_INPUTS - 2;
  for (uint32_t i = 0; i < input_count; i++) {
    const float *input = inputs != NULL ? inputs[i] : NULL;
    if (input != NULL) {
      memcpy(frames, input, period_frames * sizeof(float));
      (void)rt_measure_clean(frames, period_frames);
    }
    put(desk, RT_CAPTURE_INPUTS + i, input != NULL ? frames : NULL, period_frames);
  }
}

/* Channels of a frame without inputs. */
enum { PLAIN_CHANNELS = RT_CAPTURE_INPUTS + 2 };

/** Writes a whole period without an insert or inputs, as almost every period is: all channels at once, which takes half
 *  of the time that one after the other takes. False, and nothing is written, if this one is different. */
static bool put_plain(struct rt_desk *desk, const float *left, const float *right,
                      uint32_t period_frames) RT_NONBLOCKING;
static bool put_plain(struct rt_desk *desk, const float *left, const float *right,
                      uint32_t period_frames) RT_NONBLOCKING {
  const struct rt_capture_span *span = &desk->span;
  const uint32_t place = span->start & (desk->capture.capacity - 1);
  if (desk->capture_channels != PLAIN_CHANNELS || span->missed > 0 || span->room < period_frames) return false;
  if (place + period_frames * PLAIN_CHANNELS > desk->capture.capacity) return false;
  float *restrict samples = desk->capture.frames + place;
  for (uint32_t i = 0; i < period_frames; i++) {
    samples[i * PLAIN_CHANNELS + RT_CAPTURE_MICROPHONE] = desk->microphone[i];
    samples[i * PLAIN_CHANNELS + RT_CAPTURE_INSERT] = 0.0f;
    samples[i * PLAIN_CHANNELS + RT_CAPTURE_INPUTS] = left[i];
    samples[i * PLAIN_CHANNELS + RT_CAPTURE_INPUTS + 1] = right[i];
  }
  desk->last_frame[RT_CAPTURE_MICROPHONE] = desk->microphone[period_frames - 1];
  desk->last_frame[RT_CAPTURE_INSERT] = 0.0f;
  desk->last_frame[RT_CAPTURE_INPUTS] = left[period_frames - 1];
  desk->last_frame[RT_CAPTURE_INPUTS + 1] = right[period_frames - 1];
  return true;
}

void rt_capture_end(struct rt_desk *desk, const float *insert, const float *left, const float *right,
                    uint32_t period_frames) RT_NONBLOCKING {
  if (insert != NULL || !put_plain(desk, left, right, period_frames)) {
    put(desk, RT_CAPTURE_MICROPHONE, desk->microphone, period_frames);
    put(desk, RT_CAPTURE_INSERT, insert, period_frames);
    put(desk, desk->capture_channels - 2, left, period_frames);
    put(desk, desk->capture_channels - 1, right, period_frames);
  }
  rt_ring_commit(&desk->capture, desk->span.start + desk->span.room * desk->capture_channels);
}

void rt_capture_leave(struct rt_desk *desk, uint32_t frame_count) RT_NONBLOCKING {
  const uint64_t before = atomic_load_explicit(&desk->shared->capture_hole, memory_order_relaxed);
  const uint32_t total = (uint32_t)before + frame_count;
  const uint32_t place = atomic_load_explicit(&desk->capture.indices->write_index, memory_order_relaxed);
  /* Before the frames after it, which are handed over with release. */
  atomic_store_explicit(&desk->shared->capture_hole, (uint64_t)place << 32 | total, memory_order_relaxed);
}
