/* The event loop's side of the ear, and its set-up. */
#include "rt_state.h"

static bool is_rank(uint32_t rank) {
  return rank < RT_RANKS;
}

void rt_ear_init(struct rt_ear_shared *ear) {
  for (uint32_t rank = 0; rank < RT_RANKS; rank++) {
    for (uint32_t other = 0; other < RT_RANKS; other++) {
      atomic_store_explicit(&ear->dims[rank][other], 1.0f, memory_order_relaxed);
    }
    atomic_store_explicit(&ear->talk_dims[rank], 1.0f, memory_order_relaxed);
  }
  atomic_store_explicit(&ear->volume, 1.0f, memory_order_relaxed);
  atomic_store_explicit(&ear->ceiling, 1.0f, memory_order_relaxed);
}

void rt_peer_set_rank(struct rt_engine *engine, int32_t slot, uint32_t rank) {
  if (!rt_slot_exists(slot) || !is_rank(rank)) return;
  atomic_store_explicit(&engine->desk.shared->peers[slot].rank, rank, memory_order_relaxed);
}

void rt_ear_set_dim(struct rt_engine *engine, uint32_t rank, uint32_t sounding, float gain) {
  if (!is_rank(rank) || !is_rank(sounding)) return;
  atomic_store_explicit(&engine->desk.shared->ear.dims[rank][sounding], rt_bounded(gain, 1.0f), memory_order_relaxed);
}

void rt_ear_set_talk_dim(struct rt_engine *engine, uint32_t rank, float gain) {
  if (!is_rank(rank)) return;
  atomic_store_explicit(&engine->desk.shared->ear.talk_dims[rank], rt_bounded(gain, 1.0f), memory_order_relaxed);
}

void rt_ear_set_talking(struct rt_engine *engine, bool is_talking) {
  atomic_store_explicit(&engine->desk.shared->ear.is_talking, is_talking, memory_order_relaxed);
}

void rt_ear_set_volume(struct rt_engine *engine, float gain) {
  atomic_store_explicit(&engine->desk.shared->ear.volume, rt_bounded(gain, RT_MAX_VOLUME), memory_order_relaxed);
}

void rt_ear_set_tracking(struct rt_engine *engine, bool is_tracking) {
  atomic_store_explicit(&engine->desk.shared->ear.is_tracking, is_tracking, memory_order_relaxed);
}

void rt_ear_set_ceiling(struct rt_engine *engine, float ceiling) {
  atomic_store_explicit(&engine->desk.shared->ear.ceiling, rt_bounded(ceiling, 1.0f), memory_order_relaxed);
}
