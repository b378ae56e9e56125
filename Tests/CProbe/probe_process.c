#include <string.h>

#include "probe_state.h"

static void play(const rig_source *source, float *out, jack_nframes_t frames, int64_t position) {
  if (source->frames == 0) {
    memset(out, 0, frames * sizeof(float));
    return;
  }
  size_t index = (size_t)position;
  if (source->loops) index %= source->frames;
  for (jack_nframes_t i = 0; i < frames; i++) {
    if (index >= source->frames && source->loops) index = 0;
    out[i] = index < source->frames ? source->samples[index] : 0;
    index++;
  }
}

static void silence(rig_probe *probe, jack_nframes_t frames) {
  for (unsigned i = 0; i < probe->output_count; i++)
    memset(jack_port_get_buffer(probe->outputs[i], frames), 0, frames * sizeof(float));
}

static void pass_through(rig_probe *probe, jack_nframes_t frames) {
  for (unsigned i = 0; i < probe->output_count; i++) {
    float *out = jack_port_get_buffer(probe->outputs[i], frames);
    if (i < probe->input_count)
      memcpy(out, jack_port_get_buffer(probe->inputs[i], frames), frames * sizeof(float));
    else
      memset(out, 0, frames * sizeof(float));
  }
}

/** Writes the cycle's line into the log; the caller publishes it after the audio. */
static bool log_cycle(rig_probe *probe, jack_nframes_t frames, int64_t played, size_t recorded) {
  jack_nframes_t frame_time = 0;
  jack_time_t start = 0, next = 0;
  float length = 0;
  if (jack_get_cycle_times(probe->client, &frame_time, &start, &next, &length) != 0) return false;
  if (probe->has_frame_time && frame_time != probe->next_frame_time)
    atomic_fetch_add_explicit(&probe->skips, 1, memory_order_relaxed);
  probe->has_frame_time = true;
  probe->next_frame_time = frame_time + frames;

  size_t line = atomic_load_explicit(&probe->period_count, memory_order_relaxed);
  if (line >= probe->period_capacity) return false;
  probe->periods[line] = (rig_period){
      .cycle_microseconds = start,
      .played_frames = played,
      .recorded_frames = (int64_t)recorded,
      .frame_time = frame_time,
      .frames = frames,
  };
  return true;
}

/** Whether a cycle of sound goes beyond -40 dBFS, which no codec's noise does. */
static bool is_audible(const float *sound, jack_nframes_t frames) {
  const float threshold = 0.01f;
  for (jack_nframes_t i = 0; i < frames; i++)
    if (sound[i] > threshold || sound[i] < -threshold) return true;
  return false;
}

static void count_audible(rig_probe *probe, jack_nframes_t frames) {
  atomic_fetch_add_explicit(&probe->cycles, 1, memory_order_relaxed);
  for (unsigned i = 0; i < probe->input_count; i++)
    if (is_audible(jack_port_get_buffer(probe->inputs[i], frames), frames))
      atomic_fetch_add_explicit(&probe->audible_cycles[i], 1, memory_order_relaxed);
}

static void measure(rig_probe *probe, jack_nframes_t frames) {
  int64_t played = atomic_load_explicit(&probe->played_frames, memory_order_relaxed);
  size_t recorded = atomic_load_explicit(&probe->recorded_frames, memory_order_relaxed);
  bool is_logged = log_cycle(probe, frames, played, recorded);

  for (unsigned i = 0; i < probe->output_count; i++)
    play(&probe->sources[i], jack_port_get_buffer(probe->outputs[i], frames), frames, played);

  count_audible(probe, frames);
  bool fits = recorded + frames <= probe->record_capacity;
  for (unsigned i = 0; fits && i < probe->input_count; i++)
    memcpy(probe->recordings[i] + recorded, jack_port_get_buffer(probe->inputs[i], frames),
           frames * sizeof(float));

  atomic_store_explicit(&probe->played_frames, played + frames, memory_order_release);
  if (fits) atomic_store_explicit(&probe->recorded_frames, recorded + frames, memory_order_release);
  if (is_logged) atomic_fetch_add_explicit(&probe->period_count, 1, memory_order_release);
}

int rig_probe_process(jack_nframes_t frames, void *context) {
  rig_probe *probe = context;
  int run = atomic_load_explicit(&probe->run, memory_order_acquire);
  if (run == RIG_STOPPING)
    atomic_compare_exchange_strong_explicit(&probe->run, &run, RIG_IDLE, memory_order_release,
                                            memory_order_relaxed);
  if (probe->mode == RIG_PROBE_PASS_THROUGH)
    pass_through(probe, frames);
  else if (run == RIG_RUNNING)
    measure(probe, frames);
  else
    silence(probe, frames);
  return 0;
}
