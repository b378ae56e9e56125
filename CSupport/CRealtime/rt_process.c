#include "rt_process.h"

#include "rt_clock.h"
#include "rt_denormals.h"
#include "rt_jack_rt.h"
#include "rt_capture_frame.h"
#include "rt_mixer.h"
#include "rt_source.h"
#include "rt_state.h"
#include "rt_wake.h"

#include <string.h>

/** The ports' memory for a period; outputs as in rt_engine_process. */
struct buffers {
  const float *mic;
  const float *const *inputs;
  float *mix_left, *mix_right;
  float *const *outputs;
};

static void silence(const struct buffers *buffers, uint32_t period_frames) RT_NONBLOCKING;
static void silence(const struct buffers *buffers, uint32_t period_frames) RT_NONBLOCKING {
  const size_t period_bytes = period_frames * sizeof(float);
  if (buffers->mix_left != NULL) memset(buffers->mix_left, 0, period_bytes);
  if (buffers->mix_right != NULL) memset(buffers->mix_right, 0, period_bytes);
  if (buffers->outputs == NULL) return;
  for (uint32_t output = 0; output < RT_MAX_OUTPUTS; output++) {
    if (buffers->outputs[output] != NULL) memset(buffers->outputs[output], 0, period_bytes);
  }
}

/** Counts the callback and its time. */
static void account(struct rt_desk *desk, int64_t began_nanoseconds) RT_NONBLOCKING;
static void account(struct rt_desk *desk, int64_t began_nanoseconds) RT_NONBLOCKING {
  const uint64_t taken = (uint64_t)(rt_clock_nanoseconds() - began_nanoseconds);
  const uint64_t total = atomic_load_explicit(&desk->shared->callback_total_nanoseconds, memory_order_relaxed);
  atomic_store_explicit(&desk->shared->callback_total_nanoseconds, total + taken, memory_order_relaxed);
  if (taken > atomic_load_explicit(&desk->shared->callback_max_nanoseconds, memory_order_relaxed)) {
    atomic_store_explicit(&desk->shared->callback_max_nanoseconds, taken, memory_order_relaxed);
  }
  const uint64_t callbacks = atomic_load_explicit(&desk->shared->callbacks, memory_order_relaxed);
  atomic_store_explicit(&desk->shared->callbacks, callbacks + 1, memory_order_relaxed);
}

/** After a period: the loop must find it taken from the peers' rings. */
static void wake_if_due(struct rt_desk *desk) RT_NONBLOCKING;
static void wake_if_due(struct rt_desk *desk) RT_NONBLOCKING {
  const uint32_t threshold = atomic_load_explicit(&desk->shared->wake_threshold_frames, memory_order_relaxed);
  if (rt_ring_fill(&desk->capture) >= (uint64_t)threshold * desk->capture_channels) rt_wake(desk);
}

/** Frames of periods that the server ran without us, as it does when a callback ends late; 0 as a rule.
 *
 *  JACK's frame time counts the server's periods. Read by a callback that runs late it can be that of the next period
 *  already, which may be run without us or not: so only what two callbacks in a row find missing is. Where both were
 *  that late and nothing was missing, the next miss is not counted. A longer gap is a stop: what should have been
 *  heard then is not waited for; see rt_hole.h. */
static uint32_t missed_frames(struct rt_desk *desk, const struct rt_cycle *cycle) RT_NONBLOCKING;
static uint32_t missed_frames(struct rt_desk *desk, const struct rt_cycle *cycle) RT_NONBLOCKING {
  const struct rt_cycle *last = &desk->last_cycle;
  const int32_t suspected = desk->suspected_frames;
  desk->suspected_frames = 0;
  if (last->period_frames == 0 || last->period_frames != cycle->period_frames) return 0;
  if (last->sample_rate != cycle->sample_rate) return 0;
  const uint32_t step = cycle->frame_time - last->frame_time;
  const uint32_t most = rt_hole_least_frames(cycle) + cycle->period_frames;
  if (step > most || step % cycle->period_frames != 0) return 0;
  const int32_t found = suspected + (int32_t)step - (int32_t)cycle->period_frames;
  /* More than a stop is no debt. */
  if (found < -(int32_t)most) return 0;
  const int32_t least = found < suspected ? found : suspected;
  const int32_t missed = least > 0 ? least : 0;
  desk->suspected_frames = found - missed;
  return (uint32_t)missed;
}

/** The period's sound. */
static void render(struct rt_desk *desk, const struct buffers *buffers, const struct rt_cycle *cycle,
                   uint32_t missed) RT_NONBLOCKING;
static void render(struct rt_desk *desk, const struct buffers *buffers, const struct rt_cycle *cycle,
                   uint32_t missed) RT_NONBLOCKING {
  const uint32_t period_frames = cycle->period_frames;
  if (period_frames > RT_MAX_PERIOD_FRAMES || period_frames == 0 || cycle->sample_rate == 0) {
    silence(buffers, period_frames);
    atomic_fetch_add_explicit(&desk->shared->refused_periods, 1, memory_order_relaxed);
    return;
  }
  const uint64_t floating_point = rt_denormals_flush();
  rt_source_begin(desk);
  uint32_t searches = RT_CONCEAL_SEARCHES;
  const struct rt_mix mix = {
      .left = buffers->mix_left,
      .right = buffers->mix_right,
      .scratch = desk->scratch,
      .line = desk->line,
      .tap = NULL,
      .searches = &searches,
      .period_frames = period_frames,
      .sample_rate = cycle->sample_rate,
      .missed_frames = missed,
  };
  rt_capture_begin(desk, buffers->mic, buffers->inputs, &mix);
  rt_mixer_run(desk, &mix, buffers->outputs);
  const float *insert = rt_source_run(desk, &mix);
  /* The sidetone is the microphone itself: as a part of the reference it would cancel the voice. */
  const float *left = desk->has_sidetone ? desk->reference_left : mix.left;
  const float *right = desk->has_sidetone ? desk->reference_right : mix.right;
  rt_capture_end(desk, insert, left, right, period_frames);
  rt_denormals_restore(floating_point);
}

static void run_callback(struct rt_desk *desk, const struct buffers *buffers, const struct rt_cycle *cycle,
                         int64_t began_nanoseconds) RT_NONBLOCKING;
static void run_callback(struct rt_desk *desk, const struct buffers *buffers, const struct rt_cycle *cycle,
                         int64_t began_nanoseconds) RT_NONBLOCKING {
  const uint32_t missed = missed_frames(desk, cycle);
  const uint32_t hole = rt_hole_find(&desk->hole, &desk->last_cycle, cycle, missed);
  if (hole > 0) rt_capture_leave(desk, hole);
  render(desk, buffers, cycle, missed);
  uint64_t passed = atomic_load_explicit(&desk->shared->missed_periods, memory_order_relaxed);
  if (missed + hole > 0) {
    passed += (missed + hole) / cycle->period_frames;
    atomic_store_explicit(&desk->shared->missed_periods, passed, memory_order_relaxed);
  }
  desk->last_cycle = *cycle;
  struct rt_cycle counted = *cycle;
  counted.count = atomic_load_explicit(&desk->shared->callbacks, memory_order_relaxed) + 1 + passed;
  rt_cycle_publish(&desk->shared->cycle, &counted);
  account(desk, began_nanoseconds);
}

void rt_engine_process(struct rt_engine *engine, const float *mic, const float *const *inputs, float *mix_left,
                       float *mix_right, float *const *outputs, const struct rt_cycle *cycle) RT_NONBLOCKING {
  const struct buffers buffers = {mic, inputs, mix_left, mix_right, outputs};
  run_callback(&engine->desk, &buffers, cycle, rt_clock_nanoseconds());
  wake_if_due(&engine->desk);
}

static struct rt_cycle cycle_now(struct rt_engine *engine, uint32_t period_frames) RT_NONBLOCKING;
static struct rt_cycle cycle_now(struct rt_engine *engine, uint32_t period_frames) RT_NONBLOCKING {
  const jack_client_t *client = atomic_load_explicit(&engine->rt_client, memory_order_relaxed);
  struct rt_cycle cycle = {
      .period_frames = period_frames,
      .sample_rate = atomic_load_explicit(&engine->sample_rate, memory_order_relaxed),
  };
  jack_nframes_t frame_time = 0;
  jack_time_t start_microseconds = 0, next_microseconds = 0;
  float period_microseconds = 0.0f;
  if (jack_get_cycle_times(client, &frame_time, &start_microseconds, &next_microseconds, &period_microseconds) == 0) {
    cycle.frame_time = frame_time;
    const int64_t offset_nanoseconds = rt_clock_nanoseconds() - (int64_t)jack_get_time() * 1000;
    cycle.start_nanoseconds = (int64_t)start_microseconds * 1000 + offset_nanoseconds;
    cycle.next_nanoseconds = (int64_t)next_microseconds * 1000 + offset_nanoseconds;
    return cycle;
  }
  /* The server's timer is not running yet, or was reset: the best that can be said is now. */
  const int64_t rate = cycle.sample_rate;
  const int64_t period_nanoseconds = rate > 0 ? period_frames * INT64_C(1000000000) / rate : 0;
  cycle.frame_time = jack_last_frame_time(client);
  cycle.start_nanoseconds = rt_clock_nanoseconds();
  cycle.next_nanoseconds = cycle.start_nanoseconds + period_nanoseconds;
  return cycle;
}

static float *buffer_of(_Atomic(jack_port_t *) *published, uint32_t period_frames) RT_NONBLOCKING;
static float *buffer_of(_Atomic(jack_port_t *) *published, uint32_t period_frames) RT_NONBLOCKING {
  jack_port_t *port = atomic_load_explicit(published, memory_order_seq_cst);
  return port != NULL ? jack_port_get_buffer(port, period_frames) : NULL;
}

/** Messages in and out; of a server that freewheels none. */
static void move_midi(struct rt_engine *engine, uint32_t period_frames) RT_NONBLOCKING;
static void move_midi(struct rt_engine *engine, uint32_t period_frames) RT_NONBLOCKING {
  void *in = buffer_of(&engine->midi.in_port, period_frames);
  void *out = buffer_of(&engine->midi.out_port, period_frames);
  const bool is_freewheeling = atomic_load_explicit(&engine->is_freewheeling, memory_order_relaxed);
  rt_midi_run(&engine->midi, is_freewheeling ? NULL : in, out);
}

static void silence_spares(struct rt_engine *engine, uint32_t period_frames) RT_NONBLOCKING;
static void silence_spares(struct rt_engine *engine, uint32_t period_frames) RT_NONBLOCKING {
  if (atomic_load_explicit(&engine->spare_count, memory_order_relaxed) == 0) return;
  for (uint32_t i = 0; i < RT_MAX_OUTPUTS; i++) {
    float *spare = buffer_of(&engine->spare_ports[i], period_frames);
    if (spare != NULL) memset(spare, 0, period_frames * sizeof(float));
  }
}

/** Counts an xrun since the last period, by the delay that JACK keeps of it.
 *
 *  Not by JACK's callback for xruns: of those jackd tells its clients one by one, a period each while one of them
 *  stands still, until a message to itself is cut for want of room;
 *  from then on it leaves calls without an answer (1.9.21). */
static void notice_xrun(struct rt_engine *engine) RT_NONBLOCKING;
static void notice_xrun(struct rt_engine *engine) RT_NONBLOCKING {
  jack_client_t *client = atomic_load_explicit(&engine->rt_client, memory_order_relaxed);
  const float delay_microseconds = jack_get_xrun_delayed_usecs(client);
  if (delay_microseconds == engine->xrun_delay_microseconds) return;
  engine->xrun_delay_microseconds = delay_microseconds;
  const uint64_t xruns = atomic_load_explicit(&engine->xruns, memory_order_relaxed);
  atomic_store_explicit(&engine->xruns, xruns + 1, memory_order_relaxed);
}

/** Counts a cycle that came a period or more too late after one that did not, where JACK tells of none such.
 *
 *  PipeWire keeps a delay for xruns of a card only: that its own thread, or a client before us, stood still is seen by
 *  the clock alone. */
static void notice_late_cycle(struct rt_engine *engine, const struct rt_cycle *cycle) RT_NONBLOCKING;
static void notice_late_cycle(struct rt_engine *engine, const struct rt_cycle *cycle) RT_NONBLOCKING {
  if (!engine->judges_cycles) return;
  const bool was_late = engine->was_late;
  engine->was_late = cycle->callback_nanoseconds >= cycle->next_nanoseconds;
  if (was_late || !engine->was_late) return;
  const uint64_t xruns = atomic_load_explicit(&engine->xruns, memory_order_relaxed);
  atomic_store_explicit(&engine->xruns, xruns + 1, memory_order_relaxed);
}

/** Adds what JACK reported since the last period. */
static void tell_reports(const struct rt_engine *engine, struct rt_desk *desk) RT_NONBLOCKING;
static void tell_reports(const struct rt_engine *engine, struct rt_desk *desk) RT_NONBLOCKING {
  const struct rt_reports now = rt_reports_now(engine);
  if (now.xruns == desk->told.xruns && now.period_changes == desk->told.period_changes &&
      now.rate_changes == desk->told.rate_changes) {
    return;
  }
  struct rt_shared *shared = desk->shared;
  atomic_fetch_add_explicit(&shared->xruns, now.xruns - desk->told.xruns, memory_order_relaxed);
  atomic_fetch_add_explicit(&shared->period_changes, now.period_changes - desk->told.period_changes,
                            memory_order_relaxed);
  atomic_fetch_add_explicit(&shared->rate_changes, now.rate_changes - desk->told.rate_changes, memory_order_relaxed);
  desk->told = now;
}

/** A period of a server that freewheels, as fast as its slowest client: none of ours. */
static void sit_out(struct rt_desk *desk) RT_NONBLOCKING;
static void sit_out(struct rt_desk *desk) RT_NONBLOCKING {
  /* JACK's frame time counts these periods, and they are not missed. */
  desk->last_cycle.period_frames = 0;
  desk->suspected_frames = 0;
  atomic_store_explicit(&desk->shared->is_freewheeling, 1, memory_order_relaxed);
}

/** Runs the desk if there is one and its ports are, and the server does not freewheel. */
static void run_engine(struct rt_engine *engine, const struct buffers *buffers, uint32_t period_frames,
                       int64_t began_nanoseconds) RT_NONBLOCKING;
static void run_engine(struct rt_engine *engine, const struct buffers *buffers, uint32_t period_frames,
                       int64_t began_nanoseconds) RT_NONBLOCKING {
  struct rt_desk *desk = atomic_load_explicit(&engine->published_desk, memory_order_seq_cst);
  if (desk == NULL || buffers->mic == NULL || buffers->mix_left == NULL || buffers->mix_right == NULL) {
    silence(buffers, period_frames);
    return;
  }
  if (atomic_load_explicit(&engine->is_freewheeling, memory_order_relaxed)) {
    silence(buffers, period_frames);
    sit_out(desk);
    return;
  }
  atomic_store_explicit(&desk->shared->is_freewheeling, 0, memory_order_relaxed);
  struct rt_cycle cycle = cycle_now(engine, period_frames);
  cycle.callback_nanoseconds = began_nanoseconds;
  notice_late_cycle(engine, &cycle);
  tell_reports(engine, desk);
  run_callback(desk, buffers, &cycle, began_nanoseconds);
}

void rt_run_period(struct rt_engine *engine, jack_nframes_t period_frames) RT_NONBLOCKING {
  const int64_t began_nanoseconds = rt_clock_nanoseconds();
  atomic_store_explicit(&engine->is_in_callback, true, memory_order_seq_cst);
  float *outputs[RT_MAX_OUTPUTS];
  for (uint32_t output = 0; output < RT_MAX_OUTPUTS; output++) {
    outputs[output] = buffer_of(&engine->output_ports[output], period_frames);
  }
  const float *inputs[RT_MAX_INPUTS];
  for (uint32_t i = 0; i < RT_MAX_INPUTS; i++) inputs[i] = buffer_of(&engine->input_ports[i], period_frames);
  const struct buffers buffers = {
      .mic = buffer_of(&engine->mic_port, period_frames),
      .inputs = inputs,
      .mix_left = buffer_of(&engine->mix_left_port, period_frames),
      .mix_right = buffer_of(&engine->mix_right_port, period_frames),
      .outputs = outputs,
  };
  /* First: a port on its way from there to a peer is found in both places. */
  silence_spares(engine, period_frames);
  notice_xrun(engine);
  run_engine(engine, &buffers, period_frames, began_nanoseconds);
  move_midi(engine, period_frames);
  const uint32_t ended = atomic_load_explicit(&engine->callbacks_ended, memory_order_relaxed);
  /* Who waits for this callback to leave something may take this for its end; see rt_ports_wait. */
  atomic_store_explicit(&engine->callbacks_ended, ended + 1, memory_order_seq_cst);
  atomic_store_explicit(&engine->is_in_callback, false, memory_order_release);
}

void rt_wake_if_due(struct rt_engine *engine) RT_NONBLOCKING {
  /* As in a callback: the desk may be withdrawn meanwhile. */
  atomic_store_explicit(&engine->is_in_callback, true, memory_order_seq_cst);
  struct rt_desk *desk = atomic_load_explicit(&engine->published_desk, memory_order_seq_cst);
  const bool is_freewheeling = atomic_load_explicit(&engine->is_freewheeling, memory_order_relaxed);
  if (desk != NULL && !is_freewheeling) wake_if_due(desk);
  if (desk != NULL && engine->midi.has_news) {
    engine->midi.has_news = false;
    rt_wake_untimed(desk);
  }
  atomic_store_explicit(&engine->is_in_callback, false, memory_order_release);
}

int rt_on_process(jack_nframes_t period_frames, void *argument) RT_NONBLOCKING {
  struct rt_engine *engine = argument;
  rt_run_period(engine, period_frames);
  rt_wake_if_due(engine);
  return 0;
}
