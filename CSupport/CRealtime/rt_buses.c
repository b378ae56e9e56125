#include "rt_bus_layout.h"

#include "rt_desk.h"
#include "rt_fade.h"

#include <string.h>

/* The fade of a bus that opens or closes: 5 ms. */
enum { CHANGES_PER_SECOND = 200 };
/* What a stereo bus' ring is written by. */
enum { PIECE_FRAMES = 64 };

/** Its state and form now. */
static uint32_t word_of(const struct rt_bus_desk *bus) RT_NONBLOCKING;
static uint32_t word_of(const struct rt_bus_desk *bus) RT_NONBLOCKING {
  return atomic_load_explicit(&bus->shared->state, memory_order_acquire);
}

/** What a slot is to give to a bus: the peer's pan on a stereo one. */
static struct rt_sides wanted_sides(const struct rt_desk *desk, const struct rt_bus_desk *bus,
                                    uint32_t slot) RT_NONBLOCKING;
static struct rt_sides wanted_sides(const struct rt_desk *desk, const struct rt_bus_desk *bus,
                                    uint32_t slot) RT_NONBLOCKING {
  const float gain =
      rt_bounded(atomic_load_explicit(&bus->shared->gains[slot], memory_order_relaxed), RT_MAX_GAIN);
  if (!bus->is_stereo) return (struct rt_sides){gain, 0.0f};
  const struct rt_sides pan = rt_peer_pan(desk->voices[slot].peer);
  return (struct rt_sides){gain * pan.left, gain * pan.right};
}

/** Takes over a bus that the loop opened. False: it closed it in this moment. */
static bool claim(struct rt_desk *desk, struct rt_bus_desk *bus, uint32_t word) RT_NONBLOCKING;
static bool claim(struct rt_desk *desk, struct rt_bus_desk *bus, uint32_t word) RT_NONBLOCKING {
  const uint32_t running = (word & ~(uint32_t)RT_BUS_STATES) | RT_BUS_RUNNING;
  if (!atomic_compare_exchange_strong_explicit(&bus->shared->state, &word, running, memory_order_acquire,
                                               memory_order_relaxed)) {
    return false;
  }
  bus->is_stereo = (running & RT_BUS_STEREO) != 0;
  bus->has_ring = (running & RT_BUS_RING) != 0;
  bus->fade = 0.0f;
  bus->limiter.reduction = 0.0f;
  for (uint32_t slot = 0; slot < RT_MAX_PEERS; slot++) {
    rt_crosspoint_jump(&bus->crosspoints[slot], wanted_sides(desk, bus, slot));
  }
  return true;
}

void rt_buses_begin(struct rt_desk *desk, uint32_t period_frames) RT_NONBLOCKING {
  desk->running_buses = 0;
  const uint32_t open = atomic_load_explicit(&desk->shared->open_buses, memory_order_acquire);
  if (open == 0) return;
  for (uint32_t i = 0; i < RT_OPENED_BUSES; i++) {
    if ((open >> (RT_MAIN_BUS + 1 + i) & 1) == 0) continue;
    struct rt_bus_desk *bus = &desk->buses[i];
    const uint32_t word = word_of(bus);
    const uint32_t state = word & RT_BUS_STATES;
    if (state == RT_BUS_CLOSED) continue;
    if (state == RT_BUS_OPENED && !claim(desk, bus, word)) continue;
    desk->running_buses |= 1u << i;
    memset(bus->left, 0, period_frames * sizeof(float));
    if (bus->is_stereo) memset(bus->right, 0, period_frames * sizeof(float));
  }
}

void rt_buses_join(struct rt_desk *desk, uint32_t slot) RT_NONBLOCKING {
  for (uint32_t i = 0; i < RT_OPENED_BUSES; i++) {
    if ((desk->running_buses >> i & 1) == 0) continue;
    struct rt_bus_desk *bus = &desk->buses[i];
    rt_crosspoint_jump(&bus->crosspoints[slot], wanted_sides(desk, bus, slot));
  }
}

void rt_buses_add(struct rt_desk *desk, uint32_t slot, const struct rt_mix *mix) RT_NONBLOCKING {
  for (uint32_t i = 0; i < RT_OPENED_BUSES; i++) {
    if ((desk->running_buses >> i & 1) == 0) continue;
    struct rt_bus_desk *bus = &desk->buses[i];
    struct rt_crosspoint *crosspoint = &bus->crosspoints[slot];
    rt_crosspoint_aim(crosspoint, wanted_sides(desk, bus, slot), mix->sample_rate);
    if (rt_crosspoint_is_silent(crosspoint)) continue;
    float *right = bus->is_stereo ? bus->right : NULL;
    if (right != NULL && mix->side != NULL) {
      struct rt_crosspoint sides = rt_crosspoint_of_side(crosspoint);
      rt_crosspoint_add(&sides, mix->side, bus->left, right, mix->period_frames);
    }
    rt_crosspoint_add(crosspoint, mix->scratch, bus->left, right, mix->period_frames);
  }
}

/** Adds whole frames to a bus' ring; from NULL silent ones. What it has no room for is lost. */
static void hand_over(struct rt_bus_desk *bus, const float *left, const float *right,
                      uint32_t frame_count) RT_NONBLOCKING;
static void hand_over(struct rt_bus_desk *bus, const float *left, const float *right,
                      uint32_t frame_count) RT_NONBLOCKING {
  float piece[2 * PIECE_FRAMES] = {0};
  const uint32_t channels = bus->is_stereo ? 2 : 1;
  /* The reader only ever makes more room, so that a frame is written whole. */
  const uint32_t room = (RT_BUS_RING_SAMPLES - rt_ring_fill(&bus->ring)) / channels;
  const uint32_t count = frame_count < room ? frame_count : room;
  for (uint32_t done = 0; done < count; done += PIECE_FRAMES) {
    const uint32_t left_over = count - done;
    const uint32_t frames = left_over < PIECE_FRAMES ? left_over : PIECE_FRAMES;
    for (uint32_t i = 0; left != NULL && i < frames; i++) {
      piece[channels * i] = left[done + i];
      if (channels == 2) piece[2 * i + 1] = right[done + i];
    }
    (void)rt_ring_write(&bus->ring, piece, channels * frames);
  }
  if (count < frame_count) {
    atomic_fetch_add_explicit(&bus->shared->lost_frames, frame_count - count, memory_order_relaxed);
  }
}

void rt_bus_master(struct rt_limiter *limiter, struct rt_level *level, float *left, float *right,
                   const struct rt_mix *mix) RT_NONBLOCKING {
  const uint32_t frames = mix->period_frames;
  const struct rt_measure silence = {0};
  struct rt_measure first = rt_measure_clean(left, frames);
  struct rt_measure second = right != NULL ? rt_measure_clean(right, frames) : silence;
  const float peak = first.peak > second.peak ? first.peak : second.peak;
  rt_limiter_apply(limiter, left, right, frames, peak, mix->sample_rate);
  if (limiter->reduction > 0.0f) {
    first = rt_measure_clean(left, frames);
    if (right != NULL) second = rt_measure_clean(right, frames);
  }
  const struct rt_measure both = {
      .peak = first.peak > second.peak ? first.peak : second.peak,
      .square_sum = right != NULL ? 0.5f * (first.square_sum + second.square_sum) : first.square_sum,
  };
  rt_level_feed(level, both, frames, mix->sample_rate);
}

/** Fades, limits, meters and hands over a period of a bus that runs. */
static void end_bus(struct rt_desk *desk, uint32_t place, const struct rt_mix *mix, float *bus_out) RT_NONBLOCKING;
static void end_bus(struct rt_desk *desk, uint32_t place, const struct rt_mix *mix, float *bus_out) RT_NONBLOCKING {
  struct rt_bus_desk *bus = &desk->buses[place];
  const uint32_t frames = mix->period_frames;
  const bool is_leaving = (word_of(bus) & RT_BUS_STATES) == RT_BUS_LEAVING;
  float *right = bus->is_stereo ? bus->right : NULL;
  const float way = (is_leaving ? -1.0f : 1.0f) * (float)CHANGES_PER_SECOND / (float)mix->sample_rate;
  float fade = bus->fade;
  rt_fade_apply(bus->left, frames, &fade, way);
  if (right != NULL) rt_fade_apply(right, frames, &bus->fade, way);
  bus->fade = fade;
  rt_bus_master(&bus->limiter, &bus->shared->level, bus->left, right, mix);
  if (bus->has_ring) {
    if (mix->missed_frames > 0) hand_over(bus, NULL, NULL, mix->missed_frames);
    hand_over(bus, bus->left, right, frames);
  }
  if (bus_out != NULL && right == NULL) memcpy(bus_out, bus->left, frames * sizeof(float));
  if (bus_out != NULL && right != NULL) memset(bus_out, 0, frames * sizeof(float));
  if (!is_leaving || bus->fade > 0.0f) return;
  rt_level_rest(&bus->shared->level);
  /* The bit first: after CLOSED the loop may open it anew and set it again. */
  const uint32_t bit = 1u << (RT_MAIN_BUS + 1 + place);
  atomic_fetch_and_explicit(&desk->shared->open_buses, ~bit, memory_order_relaxed);
  atomic_store_explicit(&bus->shared->state, RT_BUS_CLOSED, memory_order_release);
}

void rt_buses_end(struct rt_desk *desk, const struct rt_mix *mix, float *const *buses_out) RT_NONBLOCKING {
  for (uint32_t i = 0; i < RT_OPENED_BUSES; i++) {
    float *bus_out = buses_out != NULL ? buses_out[RT_MAIN_BUS + 1 + i] : NULL;
    if ((desk->running_buses >> i & 1) != 0) {
      end_bus(desk, i, mix, bus_out);
    } else if (bus_out != NULL) {
      memset(bus_out, 0, mix->period_frames * sizeof(float));
    }
  }
}
