/* Set-up, and the loop's side of MIDI. */
#include "rt_state.h"

void rt_midi_init(struct rt_midi *midi) {
  rt_ring_indices_init(&midi->in_indices, 0);
  rt_ring_indices_init(&midi->out_indices, 0);
  rt_ring_view(&midi->in, &midi->in_indices, midi->in_words, RT_MIDI_RING_MESSAGES);
  rt_ring_view(&midi->out, &midi->out_indices, midi->out_words, RT_MIDI_RING_MESSAGES);
}

uint32_t rt_midi_read(struct rt_engine *engine, struct rt_midi_message *messages, uint32_t count) {
  uint32_t taken = 0;
  union rt_midi_word word;
  while (taken < count && rt_ring_read(&engine->midi.in, &word.frame, 1) == 1) messages[taken++] = word.message;
  return taken;
}

uint32_t rt_midi_waiting(const struct rt_engine *engine) {
  return rt_ring_fill(&engine->midi.in);
}

uint32_t rt_midi_write(struct rt_engine *engine, const struct rt_midi_message *messages, uint32_t count) {
  for (uint32_t written = 0; written < count; written++) {
    const union rt_midi_word word = {.message = messages[written]};
    if (rt_ring_write(&engine->midi.out, &word.frame, 1) == 0) return written;
  }
  return count;
}

void rt_midi_count(const struct rt_engine *engine, struct rt_midi_counters *counters) {
  const struct rt_midi *midi = &engine->midi;
  *counters = (struct rt_midi_counters){
      .received = atomic_load_explicit(&midi->received, memory_order_relaxed),
      .lost = atomic_load_explicit(&midi->lost, memory_order_relaxed),
      .oversize = atomic_load_explicit(&midi->oversize, memory_order_relaxed),
      .sent = atomic_load_explicit(&midi->sent, memory_order_relaxed),
      .unsent = atomic_load_explicit(&midi->unsent, memory_order_relaxed),
      .unplugged = atomic_load_explicit(&midi->unplugged, memory_order_relaxed),
  };
}
