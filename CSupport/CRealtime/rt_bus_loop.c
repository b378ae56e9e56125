/* The event loop's side of the buses. */
#include "rt_state.h"

#include <errno.h>
#include <math.h>
#include <string.h>

/** One that is opened and closed; NULL: it is none. */
static struct rt_bus_desk *find(struct rt_engine *engine, rt_bus bus) {
  return rt_bus_opens(bus) ? &engine->desk.buses[bus - RT_MAIN_BUS - 1] : NULL;
}

/** 0 of one that is closed, or has no ring. */
static uint32_t channels_of(const struct rt_bus_desk *bus) {
  const uint32_t word = atomic_load_explicit(&bus->shared->state, memory_order_relaxed);
  if ((word & RT_BUS_STATES) == RT_BUS_CLOSED || (word & RT_BUS_RING) == 0) return 0;
  return (word & RT_BUS_STEREO) != 0 ? 2 : 1;
}

int rt_bus_open(struct rt_engine *engine, rt_bus bus, uint32_t channels, bool has_ring) {
  struct rt_bus_desk *own = find(engine, bus);
  if (own == NULL || channels < 1 || channels > 2) return -EINVAL;
  /* Acquire: the callback's last writes to this ring are over. */
  if (atomic_load_explicit(&own->shared->state, memory_order_acquire) != RT_BUS_CLOSED) return -EBUSY;
  if (has_ring) {
    rt_ring_clear(&own->ring);
    /* The callback is never the first to touch a page. */
    memset(own->ring.frames, 0, RT_BUS_RING_SAMPLES * sizeof(float));
  }
  const uint32_t form = (channels == 2 ? RT_BUS_STEREO : 0) | (has_ring ? RT_BUS_RING : 0);
  atomic_store_explicit(&own->shared->state, form | RT_BUS_OPENED, memory_order_release);
  atomic_fetch_or_explicit(&engine->desk.shared->open_buses, 1u << bus, memory_order_release);
  return 0;
}

void rt_bus_close(struct rt_engine *engine, rt_bus bus) {
  struct rt_bus_desk *own = find(engine, bus);
  if (own == NULL) return;
  uint32_t word = atomic_load_explicit(&own->shared->state, memory_order_relaxed);
  for (;;) {
    const uint32_t state = word & RT_BUS_STATES;
    if (state != RT_BUS_OPENED && state != RT_BUS_RUNNING) return;
    const uint32_t leaving = (word & ~(uint32_t)RT_BUS_STATES) | RT_BUS_LEAVING;
    const uint32_t next = state == RT_BUS_OPENED ? RT_BUS_CLOSED : leaving;
    if (atomic_compare_exchange_weak_explicit(&own->shared->state, &word, next, memory_order_acq_rel,
                                              memory_order_relaxed)) {
      break;
    }
  }
  if ((word & RT_BUS_STATES) == RT_BUS_OPENED) {
    atomic_fetch_and_explicit(&engine->desk.shared->open_buses, ~(1u << bus), memory_order_relaxed);
  }
}

void rt_bus_set_gain(struct rt_engine *engine, rt_bus bus, rt_slot slot, float gain) {
  if (bus == RT_MAIN_BUS) {
    rt_peer_set_gain(engine, slot, gain);
    return;
  }
  struct rt_bus_desk *own = find(engine, bus);
  if (own == NULL || !rt_slot_exists(slot)) return;
  const float bounded = gain > 0.0f ? fminf(gain, RT_MAX_GAIN) : 0.0f; /* NaN is silence */
  atomic_store_explicit(&own->shared->gains[slot], bounded, memory_order_relaxed);
}

uint32_t rt_bus_available(const struct rt_engine *engine, rt_bus bus) {
  if (!rt_bus_opens(bus)) return 0;
  const struct rt_bus_desk *own = &engine->desk.buses[bus - RT_MAIN_BUS - 1];
  const uint32_t channels = channels_of(own);
  return channels != 0 ? rt_ring_fill(&own->ring) / channels : 0;
}

uint32_t rt_bus_read(struct rt_engine *engine, rt_bus bus, float *frames_out, uint32_t frames) {
  struct rt_bus_desk *own = find(engine, bus);
  if (own == NULL) return 0;
  const uint32_t channels = channels_of(own);
  const uint32_t available = rt_bus_available(engine, bus);
  const uint32_t count = frames < available ? frames : available;
  if (count == 0) return 0;
  return rt_ring_read(&own->ring, frames_out, channels * count) / channels;
}

uint64_t rt_bus_lost_frames(const struct rt_engine *engine, rt_bus bus) {
  if (!rt_bus_opens(bus)) return 0;
  return atomic_load_explicit(&engine->desk.buses[bus - RT_MAIN_BUS - 1].shared->lost_frames, memory_order_relaxed);
}

void rt_set_sidetone(struct rt_engine *engine, float gain) {
  const float bounded = gain > 0.0f ? fminf(gain, 1.0f) : 0.0f;
  atomic_store_explicit(&engine->desk.shared->sidetone, bounded, memory_order_relaxed);
}
