/* What the process callback does, period by period on buffers of our own: microphone, mixer, limiter, meters. */
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
  rt_engine_process(engine, mic, left, right, NULL, &cycle);
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
  EXPECT(rt_take_peer_meter(engine, 0).peak == 0.5f);
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
  EXPECT(rt_take_mix_meter(engine).peak == loudest);
  /* It lets go, and is transparent again. */
  for (int i = 0; i < 1500; i++) say(engine, 0, 0.03125f);
  EXPECT(left[PERIOD - 1] == 0.25f);
  rt_engine_destroy(engine);
}

static void test_microphone(void) {
  rt_engine *engine = rt_engine_create(-1);
  float frames[PERIOD];
  run(engine, 0.5f);
  EXPECT(rt_capture_read(engine, frames, PERIOD) == PERIOD);
  EXPECT(frames[PERIOD - 1] == 0);
  rt_set_talk(engine, true);
  /* Two seconds: the meter averages over 300 ms. */
  for (int i = 0; i < 1500; i++) {
    run(engine, 0.5f);
    EXPECT(rt_capture_read(engine, frames, PERIOD) == PERIOD);
  }
  EXPECT(frames[PERIOD - 1] == 0.5f);
  const struct rt_meter meter = rt_take_mic_meter(engine);
  EXPECT(meter.peak == 0.5f);
  EXPECT(fabsf(meter.rms - 0.5f) < 0.005f);
  EXPECT(rt_take_mic_meter(engine).peak == 0);
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
  test_microphone();
}
