#include "rt_state.h"

#include <math.h>

static struct rt_meter read(const struct rt_level *level) {
  return (struct rt_meter){
      .peak = atomic_load_explicit(&level->peak, memory_order_relaxed),
      .rms = sqrtf(atomic_load_explicit(&level->mean_square, memory_order_relaxed)),
      .sequence = atomic_load_explicit(&level->sequence, memory_order_relaxed),
  };
}

struct rt_meter rt_mic_meter(const struct rt_engine *engine) {
  return read(&engine->desk.shared->mic_level);
}

struct rt_meter rt_bus_meter(const struct rt_engine *engine, rt_bus bus) {
  const bool exists = bus == RT_MAIN_BUS || rt_bus_opens(bus);
  return exists ? read(&engine->desk.shared->buses[bus].level) : (struct rt_meter){0};
}

struct rt_meter rt_peer_meter(const struct rt_engine *engine, rt_slot slot) {
  return rt_slot_exists(slot) ? read(&engine->desk.shared->peers[slot].level) : (struct rt_meter){0};
}

static uint64_t ring_errors(const struct rt_engine *engine) {
  uint64_t errors = rt_ring_errors(&engine->desk.capture);
  for (rt_slot slot = 0; slot < RT_MAX_PEERS; slot++) errors += rt_ring_errors(&engine->desk.voices[slot].ring);
  for (uint32_t bus = 0; bus < RT_OPENED_BUSES; bus++) errors += rt_ring_errors(&engine->desk.buses[bus].ring);
  return errors;
}

void rt_engine_counters(const struct rt_engine *engine, struct rt_counters *counters) {
  *counters = (struct rt_counters){
      .callbacks = atomic_load_explicit(&engine->desk.shared->callbacks, memory_order_relaxed),
      .xruns = atomic_load_explicit(&engine->desk.shared->xruns, memory_order_relaxed),
      .capture_overruns = atomic_load_explicit(&engine->desk.shared->capture_overruns, memory_order_relaxed),
      .wakes = atomic_load_explicit(&engine->desk.shared->wakes, memory_order_relaxed),
      .callback_total_nanoseconds = atomic_load_explicit(&engine->desk.shared->callback_total_nanoseconds, memory_order_relaxed),
      .callback_max_nanoseconds = atomic_load_explicit(&engine->desk.shared->callback_max_nanoseconds, memory_order_relaxed),
      .period_changes = atomic_load_explicit(&engine->desk.shared->period_changes, memory_order_relaxed),
      .rate_changes = atomic_load_explicit(&engine->desk.shared->rate_changes, memory_order_relaxed),
      .missed_periods = atomic_load_explicit(&engine->desk.shared->missed_periods, memory_order_relaxed),
      .refused_periods = atomic_load_explicit(&engine->desk.shared->refused_periods, memory_order_relaxed),
      .ring_errors = ring_errors(engine),
  };
}

void rt_reset_callback_max(struct rt_engine *engine) {
  atomic_store_explicit(&engine->desk.shared->callback_max_nanoseconds, 0, memory_order_relaxed);
}

uint64_t rt_peer_underrun_frames(const struct rt_engine *engine, rt_slot slot) {
  if (!rt_slot_exists(slot)) return 0;
  return atomic_load_explicit(&engine->desk.shared->peers[slot].underrun_frames, memory_order_relaxed);
}
