/* The event loop's side of the engine: no allocation and no lock, but not under the callback's rules either. */
#include "rt_source.h"
#include "rt_state.h"

#include <errno.h>
#include <math.h>
#include <string.h>

enum { MOST_TRIES = 20000 };

bool rt_engine_cycle(const struct rt_engine *engine, struct rt_cycle *cycle) {
  const struct rt_cycle_lock *lock = &engine->desk.shared->cycle;
  uint32_t before, after, tries = 0;
  do {
    /* More than any callback takes for it: its process was killed in between. */
    if (tries++ > MOST_TRIES) return false;
    before = atomic_load_explicit(&lock->sequence, memory_order_acquire);
    cycle->count = atomic_load_explicit(&lock->count, memory_order_acquire);
    cycle->start_nanoseconds = atomic_load_explicit(&lock->start_nanoseconds, memory_order_acquire);
    cycle->next_nanoseconds = atomic_load_explicit(&lock->next_nanoseconds, memory_order_acquire);
    cycle->callback_nanoseconds = atomic_load_explicit(&lock->callback_nanoseconds, memory_order_acquire);
    cycle->frame_time = atomic_load_explicit(&lock->frame_time, memory_order_acquire);
    cycle->period_frames = atomic_load_explicit(&lock->period_frames, memory_order_acquire);
    cycle->sample_rate = atomic_load_explicit(&lock->sample_rate, memory_order_acquire);
    after = atomic_load_explicit(&lock->sequence, memory_order_relaxed);
  } while (before != after || (before & 1) != 0);
  return cycle->count > 0;
}

uint32_t rt_capture_channels(const struct rt_engine *engine) {
  return engine->desk.capture_channels;
}

uint32_t rt_capture_available(const struct rt_engine *engine) {
  return rt_ring_fill(&engine->desk.capture) / engine->desk.capture_channels;
}

/** As many of so many frames as wait. */
static uint32_t at_most(const struct rt_engine *engine, uint32_t frames) {
  const uint32_t available = rt_capture_available(engine);
  return frames < available ? frames : available;
}

uint32_t rt_capture_read(struct rt_engine *engine, float *samples_out, uint32_t frames) {
  const uint32_t channels = engine->desk.capture_channels;
  return rt_ring_read(&engine->desk.capture, samples_out, channels * at_most(engine, frames)) / channels;
}

uint32_t rt_capture_skip(struct rt_engine *engine, uint32_t frames) {
  const uint32_t channels = engine->desk.capture_channels;
  return rt_ring_skip(&engine->desk.capture, channels * at_most(engine, frames)) / channels;
}

uint32_t rt_capture_take_hole(struct rt_engine *engine) {
  const uint64_t hole = atomic_load_explicit(&engine->desk.shared->capture_hole, memory_order_relaxed);
  const uint32_t read_index = atomic_load_explicit(&engine->desk.capture.indices->read_index, memory_order_relaxed);
  const uint32_t frames = (uint32_t)hole - engine->hole_frames;
  const bool is_passed = (int32_t)(read_index - (uint32_t)(hole >> 32)) > 0;
  if (frames == 0 || !is_passed) return 0;
  engine->hole_frames = (uint32_t)hole;
  return frames;
}

void rt_set_wake_threshold(struct rt_engine *engine, uint32_t frames) {
  atomic_store_explicit(&engine->desk.shared->wake_threshold_frames, frames, memory_order_relaxed);
}

int64_t rt_take_wake_nanoseconds(struct rt_engine *engine) {
  return atomic_exchange_explicit(&engine->desk.shared->wake_nanoseconds, 0, memory_order_relaxed);
}

int rt_set_source(struct rt_engine *engine, enum rt_source source, rt_slot slot) {
  if (source != RT_SOURCE_MICROPHONE && !rt_slot_exists(slot)) return -EINVAL;
  const uint32_t word = source == RT_SOURCE_MICROPHONE ? 0 : rt_source_word(source, slot);
  if (source == RT_SOURCE_SIGNAL) {
    const uint32_t wanted = atomic_load_explicit(&engine->desk.shared->wanted_source, memory_order_relaxed);
    /* Acquire: the callback's last use of the rings is over. */
    const uint32_t present = atomic_load_explicit(&engine->desk.shared->present_source, memory_order_acquire);
    if (rt_source_of(wanted) == RT_SOURCE_SIGNAL || rt_source_of(present) == RT_SOURCE_SIGNAL) return -EBUSY;
    rt_ring_clear(&engine->desk.signal);
    rt_ring_clear(&engine->desk.record);
    atomic_store_explicit(&engine->desk.shared->signal_lost, 0, memory_order_relaxed);
  }
  /* Release: the callback finds the rings empty. */
  atomic_store_explicit(&engine->desk.shared->wanted_source, word, memory_order_release);
  return 0;
}

uint32_t rt_signal_write(struct rt_engine *engine, const float *frames_in, uint32_t frames) {
  return rt_ring_write(&engine->desk.signal, frames_in, frames);
}

uint32_t rt_record_read(struct rt_engine *engine, float *frames_out, uint32_t frames) {
  return rt_ring_read(&engine->desk.record, frames_out, frames);
}

uint64_t rt_signal_lost(const struct rt_engine *engine) {
  return atomic_load_explicit(&engine->desk.shared->signal_lost, memory_order_relaxed);
}

int rt_peer_attach(struct rt_engine *engine, rt_slot slot) {
  if (!rt_slot_exists(slot)) return -EINVAL;
  struct rt_peer *peer = &engine->desk.shared->peers[slot];
  /* Acquire: the callback's last reads of this ring are over. */
  if (atomic_load_explicit(&peer->state, memory_order_acquire) != RT_PEER_IDLE) return -EBUSY;
  rt_ring_clear(&engine->desk.voices[slot].ring);
  /* The callback is never the first to touch a page. */
  memset(engine->desk.shared->peer_frames[slot], 0, sizeof engine->desk.shared->peer_frames[slot]);
  atomic_store_explicit(&peer->is_playing, 0, memory_order_relaxed);
  atomic_store_explicit(&peer->side, 0, memory_order_relaxed);
  engine->desk.voices[slot].side = NULL;
  atomic_store_explicit(&peer->state, RT_PEER_ATTACHED, memory_order_release);
  atomic_fetch_or_explicit(&engine->desk.shared->active_slots, UINT64_C(1) << slot, memory_order_release);
  return 0;
}

void rt_peer_detach(struct rt_engine *engine, rt_slot slot) {
  if (!rt_slot_exists(slot)) return;
  struct rt_peer *peer = &engine->desk.shared->peers[slot];
  uint32_t state = atomic_load_explicit(&peer->state, memory_order_relaxed);
  while (state == RT_PEER_ATTACHED || state == RT_PEER_SOUNDING) {
    const uint32_t next = state == RT_PEER_ATTACHED ? RT_PEER_IDLE : RT_PEER_LEAVING;
    /* Acquire: an ATTACHED slot may have sounded in a JACK session that is closed now, see rt_session.c. */
    if (!atomic_compare_exchange_weak_explicit(&peer->state, &state, next, memory_order_acquire,
                                               memory_order_relaxed)) {
      continue;
    }
    if (next == RT_PEER_IDLE) {
      atomic_fetch_and_explicit(&engine->desk.shared->active_slots, ~(UINT64_C(1) << slot), memory_order_relaxed);
    }
    return;
  }
}

bool rt_peer_is_idle(const struct rt_engine *engine, rt_slot slot) {
  if (!rt_slot_exists(slot)) return false;
  return atomic_load_explicit(&engine->desk.shared->peers[slot].state, memory_order_acquire) == RT_PEER_IDLE;
}

uint32_t rt_peer_write(struct rt_engine *engine, rt_slot slot, const float *frames_in, uint32_t frames) {
  if (!rt_slot_exists(slot)) return 0;
  struct rt_voice *voice = &engine->desk.voices[slot];
  if (voice->side == NULL) return rt_ring_write(&voice->ring, frames_in, frames);
  /* One that has a side, and is silent there. */
  const float silence[64] = {0};
  uint32_t done = 0;
  while (done < frames) {
    const uint32_t piece = frames - done < 64 ? frames - done : 64;
    const uint32_t count = rt_ring_write_pair(&voice->ring, voice->side, frames_in + done, silence, piece);
    done += count;
    if (count < piece) break;
  }
  return done;
}

/** The place of a side that no slot has; RT_MAX_STEREO_PEERS: there is none. One that has faded out has it no more. */
static uint32_t free_side(struct rt_engine *engine) {
  const struct rt_desk *desk = &engine->desk;
  uint32_t used = 0;
  for (rt_slot slot = 0; slot < RT_MAX_PEERS; slot++) {
    const float *side = desk->voices[slot].side;
    if (side == NULL || rt_peer_is_idle(engine, slot)) continue;
    used |= 1u << ((side - desk->shared->side_frames[0]) / RT_PEER_RING_FRAMES);
  }
  uint32_t place = 0;
  while (place < RT_MAX_STEREO_PEERS && (used >> place & 1) != 0) place++;
  return place;
}

int rt_peer_add_side(struct rt_engine *engine, rt_slot slot) {
  if (!rt_slot_exists(slot) || rt_peer_is_idle(engine, slot)) return -EINVAL;
  struct rt_voice *voice = &engine->desk.voices[slot];
  if (voice->side != NULL) return 0;
  const uint32_t place = free_side(engine);
  if (place == RT_MAX_STEREO_PEERS) return -EBUSY;
  voice->side = engine->desk.shared->side_frames[place];
  memset(voice->side, 0, RT_PEER_RING_FRAMES * sizeof(float));
  atomic_store_explicit(&voice->peer->side, place + 1, memory_order_release);
  return 0;
}

uint32_t rt_peer_write_stereo(struct rt_engine *engine, rt_slot slot, const float *mean_in, const float *side_in,
                              uint32_t frames) {
  if (!rt_slot_exists(slot)) return 0;
  struct rt_voice *voice = &engine->desk.voices[slot];
  return rt_ring_write_pair(&voice->ring, voice->side, mean_in, side_in, frames);
}

uint32_t rt_peer_fill(const struct rt_engine *engine, rt_slot slot) {
  return rt_slot_exists(slot) ? rt_ring_fill(&engine->desk.voices[slot].ring) : 0;
}

void rt_peer_set_playing(struct rt_engine *engine, rt_slot slot, bool playing) {
  if (!rt_slot_exists(slot)) return;
  atomic_store_explicit(&engine->desk.shared->peers[slot].is_playing, playing, memory_order_relaxed);
}

void rt_peer_set_gain(struct rt_engine *engine, rt_slot slot, float gain) {
  if (!rt_slot_exists(slot)) return;
  const float bounded = gain > 0.0f ? fminf(gain, RT_MAX_GAIN) : 0.0f; /* NaN is silence */
  atomic_store_explicit(&engine->desk.shared->peers[slot].gain, bounded, memory_order_relaxed);
}

/** Equal power. */
static struct rt_sides sides_of(float pan) {
  const float quarter_turn = 1.57079633f;
  const float bounded = isnan(pan) ? 0.0f : fminf(fmaxf(pan, -1.0f), 1.0f);
  const float angle = 0.5f * (bounded + 1.0f) * quarter_turn;
  /* fmaxf: the cosine of a rounded quarter turn is a hair below 0. */
  return (struct rt_sides){.left = fmaxf(cosf(angle), 0.0f), .right = sinf(angle)};
}

void rt_peer_set_pan(struct rt_engine *engine, rt_slot slot, float pan) {
  if (!rt_slot_exists(slot)) return;
  const struct rt_sides sides = sides_of(pan);
  const union rt_pan packed = {.factors = {.left = sides.left, .right = sides.right}};
  atomic_store_explicit(&engine->desk.shared->peers[slot].pan, packed.word, memory_order_relaxed);
}
