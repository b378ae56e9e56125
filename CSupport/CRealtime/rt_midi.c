/* The callback's side of MIDI: bounded loops over a period's messages. */
#include "rt_jack_rt.h"
#include "rt_midi_layout.h"

#include <string.h>

static void count(_Atomic uint64_t *counter, uint64_t more) RT_NONBLOCKING;
static void count(_Atomic uint64_t *counter, uint64_t more) RT_NONBLOCKING {
  if (more == 0) return;
  const uint64_t before = atomic_load_explicit(counter, memory_order_relaxed);
  atomic_store_explicit(counter, before + more, memory_order_relaxed);
}

static void receive(struct rt_midi *midi, void *buffer) RT_NONBLOCKING;
static void receive(struct rt_midi *midi, void *buffer) RT_NONBLOCKING {
  const uint32_t events = jack_midi_get_event_count(buffer);
  const uint32_t taken = events < RT_MIDI_PERIOD_MESSAGES ? events : RT_MIDI_PERIOD_MESSAGES;
  uint64_t received = 0, oversize = 0, lost = events - taken;
  for (uint32_t i = 0; i < taken; i++) {
    jack_midi_event_t event;
    if (jack_midi_event_get(&event, buffer, i) != 0 || event.size == 0 || event.size > RT_MIDI_MESSAGE_BYTES) {
      oversize++;
      continue;
    }
    union rt_midi_word word = {.message = {.count = (uint8_t)event.size}};
    memcpy(word.message.bytes, event.buffer, event.size);
    if (rt_ring_write(&midi->in, &word.frame, 1) == 1) {
      received++;
    } else {
      lost++;
    }
  }
  count(&midi->received, received);
  count(&midi->lost, lost);
  count(&midi->oversize, oversize);
  if (received + lost > 0) midi->has_news = true;
}

static void send(struct rt_midi *midi, void *buffer) RT_NONBLOCKING;
static void send(struct rt_midi *midi, void *buffer) RT_NONBLOCKING {
  uint64_t sent = 0, unsent = 0;
  for (uint32_t i = 0; i < RT_MIDI_PERIOD_MESSAGES; i++) {
    union rt_midi_word word;
    if (rt_ring_read(&midi->out, &word.frame, 1) == 0) break;
    const struct rt_midi_message *message = &word.message;
    const bool is_whole = message->count > 0 && message->count <= RT_MIDI_MESSAGE_BYTES;
    if (is_whole && jack_midi_event_write(buffer, 0, message->bytes, message->count) == 0) {
      sent++;
    } else {
      unsent++;
    }
  }
  count(&midi->sent, sent);
  count(&midi->unsent, unsent);
}

void rt_midi_run(struct rt_midi *midi, void *in_buffer, void *out_buffer) RT_NONBLOCKING {
  if (in_buffer != NULL) receive(midi, in_buffer);
  if (out_buffer == NULL) return;
  /* JACK leaves the last period's there. */
  jack_midi_clear_buffer(out_buffer);
  send(midi, out_buffer);
}
