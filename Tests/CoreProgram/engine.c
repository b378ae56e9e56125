/* What the process callback does, period by period on buffers of our own: capture, mixer, buses,
 * limiter, meters. */
#include "CRealtime.h"
#include "core_test.h"

#include <math.h>
#include <stddef.h>

enum { PERIOD = 64, RATE = 48000 };

static float left[PERIOD], right[PERIOD];

static void run(rt_engine *engine, float mic_level) {
  float mic[PERIOD];
  for (int i = 0; i < PERIOD; i++) mic[i] = mic_level;
  const struct rt_cycle cycle = {.period_frames = PERIOD, .sample_rate = RATE};
  rt_engine_process(engine, mic, NULL, left, right, NULL, &cycle);
}

/** A period in which the peer says this. */
static void say(rt_engine *engine, rt_slot slot, float level) {
  float frames[PERIOD];
  for (int i = 0; i < PERIOD; i++) frames[i] = level;
  EXPECT(rt_peer_write(engine, slot, frames, PERIOD) == PERIOD);
  run(engine, 0);
}

static rt_engine *with_peer(float gain, float pan) {
  rt_engine *engine = rt_engine_create(-1);
  EXPECT(engine != NULL);
  rt_peer_set_gain(engine, 0, gain);
  rt_peer_set_pan(engine, 0, pan);
  EXPECT(rt_peer_attach(engine, 0) == 0);
  rt_peer_set_playing(engine, 0, true);
  return engine;
}

static void test_mixer(void) {
  rt_engine *engine = with_peer(0.5f, -1);
  for (int i = 0; i < 20; i++) say(engine, 0, 0.5f);
  EXPECT(left[PERIOD - 1] == 0.25f);
  EXPECT(fabsf(right[PERIOD - 1]) < 1e-6f);
  EXPECT(rt_peer_meter(engine, 0).peak == 0.5f);
  rt_peer_set_pan(engine, 0, 0);
  for (int i = 0; i < 40; i++) say(engine, 0, 0.5f);
  /* Equal power: both sides 3 dB below. */
  EXPECT(fabsf(left[PERIOD - 1] - 0.25f * sqrtf(0.5f)) < 1e-3f);
  EXPECT(left[PERIOD - 1] == right[PERIOD - 1]);
  rt_peer_detach(engine, 0);
  for (int i = 0; i < 4; i++) run(engine, 0);
  EXPECT(rt_peer_is_idle(engine, 0));
  EXPECT(left[PERIOD - 1] == 0);
  rt_engine_destroy(engine);
}

static void test_underrun(void) {
  rt_engine *engine = with_peer(1, -1);
  for (int i = 0; i < 4; i++) say(engine, 0, 0.5f);
  EXPECT(rt_peer_underrun_frames(engine, 0) == 0);
  run(engine, 0);
  EXPECT(rt_peer_underrun_frames(engine, 0) == PERIOD);
  rt_engine_destroy(engine);
}

static void test_limiter(void) {
  rt_engine *engine = with_peer(8, -1);
  float loudest = 0;
  for (int i = 0; i < 100; i++) {
    say(engine, 0, i % 2 == 0 ? 10.0f : -10.0f);
    for (int frame = 0; frame < PERIOD; frame++) loudest = fmaxf(loudest, fabsf(left[frame]));
  }
  EXPECT(loudest < 1);
  EXPECT(loudest > 0.891f);
  EXPECT(rt_bus_meter(engine, RT_MAIN_BUS).peak == loudest);
  /* It lets go, and is transparent again. */
  for (int i = 0; i < 1500; i++) say(engine, 0, 0.03125f);
  EXPECT(left[PERIOD - 1] == 0.25f);
  rt_engine_destroy(engine);
}

static void test_buses(void) {
  rt_engine *engine = with_peer(1, 0);
  EXPECT(rt_bus_open(engine, RT_MAIN_BUS, 2, true) != 0);
  rt_bus_set_gain(engine, 3, 0, 0.5f);
  EXPECT(rt_bus_open(engine, 3, 2, true) == 0);
  EXPECT(rt_bus_open(engine, 3, 2, true) != 0);
  for (int i = 0; i < 20; i++) say(engine, 0, 0.5f);
  EXPECT(rt_bus_available(engine, 3) == 20 * PERIOD);
  float samples[2 * 20 * PERIOD];
  EXPECT(rt_bus_read(engine, 3, samples, 20 * PERIOD) == 20 * PERIOD);
  /* Half of what the main bus has, on both sides. */
  EXPECT(fabsf(samples[2 * 20 * PERIOD - 2] - 0.5f * left[PERIOD - 1]) < 1e-6f);
  EXPECT(fabsf(samples[2 * 20 * PERIOD - 1] - 0.5f * right[PERIOD - 1]) < 1e-6f);
  EXPECT(rt_bus_meter(engine, 3).peak > 0.17f);
  rt_bus_close(engine, 3);
  for (int i = 0; i < 4; i++) run(engine, 0);
  EXPECT(rt_bus_available(engine, 3) == 0 && rt_bus_meter(engine, 3).peak == 0);
  EXPECT(rt_bus_open(engine, 3, 1, false) == 0);
  rt_engine_destroy(engine);
}

static void test_sidetone(void) {
  rt_engine *engine = rt_engine_create(-1);
  run(engine, 0.5f);
  EXPECT(left[PERIOD - 1] == 0);
  rt_set_sidetone(engine, 1);
  for (int i = 0; i < 10; i++) run(engine, 0.5f);
  /* In the same period, in the middle. */
  run(engine, 0.25f);
  EXPECT(fabsf(left[0] - 0.25f * sqrtf(0.5f)) < 1e-6f && left[0] == right[0]);
  rt_set_sidetone(engine, 0);
  for (int i = 0; i < 10; i++) run(engine, 0.5f);
  EXPECT(left[PERIOD - 1] == 0);
  rt_engine_destroy(engine);
}

/** A programme on the left gives way to a voice on the right: what is left of it, and the largest step on the way. */
static float dimmed(rt_engine *engine, float voice, int periods, float *step) {
  float before = left[PERIOD - 1];
  for (int i = 0; i < periods; i++) {
    float frames[PERIOD];
    for (int frame = 0; frame < PERIOD; frame++) frames[frame] = voice;
    EXPECT(rt_peer_write(engine, 1, frames, PERIOD) == PERIOD);
    say(engine, 0, 0.8f);
    for (int frame = 0; frame < PERIOD; frame++) {
      *step = fmaxf(*step, fabsf(left[frame] - before));
      before = left[frame];
    }
  }
  return left[PERIOD - 1];
}

static void test_ear(void) {
  rt_engine *engine = with_peer(1, -1);
  rt_peer_set_rank(engine, 0, RT_RANK_PROGRAMME);
  rt_ear_set_dim(engine, RT_RANK_PROGRAMME, RT_FIRST_RANK, 0.25f);
  rt_peer_set_pan(engine, 1, 1);
  EXPECT(rt_peer_attach(engine, 1) == 0);
  float step = 0;
  (void)dimmed(engine, 0, 4, &step);
  step = 0;
  EXPECT(fabsf(dimmed(engine, 0.009f, 20, &step) - 0.8f) < 1e-5f && step < 1e-5f);
  /* 20 ms and a period. */
  EXPECT(fabsf(dimmed(engine, 0.1f, 17, &step) - 0.2f) < 1e-5f);
  /* 0.3 s beyond the last word. */
  EXPECT(fabsf(dimmed(engine, 0, 220, &step) - 0.2f) < 1e-5f);
  EXPECT(fabsf(dimmed(engine, 0, 400, &step) - 0.8f) < 1e-4f);
  EXPECT(step <= 0.001f);
  rt_ear_set_volume(engine, 0.5f);
  rt_ear_set_talk_dim(engine, RT_RANK_PROGRAMME, 0.5f);
  rt_ear_set_talking(engine, true);
  EXPECT(fabsf(dimmed(engine, 0, 40, &step) - 0.2f) < 1e-4f);
  rt_ear_set_ceiling(engine, 0.125f);
  EXPECT(dimmed(engine, 0, 40, &step) < 0.125f);
  EXPECT(step <= 0.001f);
  rt_engine_destroy(engine);
}

static void test_capture(void) {
  rt_engine *engine = rt_engine_create(-1);
  EXPECT(rt_input_add(engine, "program") == 0 && rt_input_add(engine, "program") < 0);
  EXPECT(rt_capture_channels(engine) == 5);
  float samples[5 * PERIOD];
  /* Two seconds: the meter averages over 300 ms. */
  for (int i = 0; i < 1501; i++) {
    run(engine, 0.5f);
    EXPECT(rt_capture_read(engine, samples, PERIOD) == PERIOD);
  }
  for (int i = 0; i < PERIOD; i++) {
    EXPECT(samples[5 * i + RT_CAPTURE_MICROPHONE] == 0.5f);
    EXPECT(samples[5 * i + RT_CAPTURE_INSERT] == 0 && samples[5 * i + RT_CAPTURE_INPUTS] == 0);
    EXPECT(samples[5 * i + 3] == left[i] && samples[5 * i + 4] == right[i]);
  }
  const struct rt_meter meter = rt_mic_meter(engine);
  EXPECT(meter.peak == 0.5f);
  EXPECT(fabsf(meter.rms - 0.5f) < 0.005f);
  /* Reading changes nothing. */
  EXPECT(rt_mic_meter(engine).peak == 0.5f && rt_mic_meter(engine).sequence == meter.sequence);
  EXPECT(meter.sequence == 7);
  struct rt_counters counters;
  rt_engine_counters(engine, &counters);
  EXPECT(counters.callbacks == 1501);
  EXPECT(counters.ring_errors == 0);
  struct rt_cycle cycle;
  EXPECT(rt_engine_cycle(engine, &cycle) && cycle.count == 1501 && cycle.period_frames == PERIOD);
  rt_engine_destroy(engine);
}

void test_engine(void) {
  test_mixer();
  test_underrun();
  test_limiter();
  test_buses();
  test_sidetone();
  test_ear();
  test_capture();
}
