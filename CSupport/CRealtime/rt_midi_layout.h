/** MIDI as the callback has it: ports, two rings of words, counters. */
#ifndef RT_MIDI_LAYOUT_H
#define RT_MIDI_LAYOUT_H

#include "rt_midi.h"
#include "rt_ring_layout.h"

#include <jack/types.h>

/** A message as a ring of frames keeps it, which copies bytes and never reads them as a number. */
union rt_midi_word {
  struct rt_midi_message message;
  float frame;
};
_Static_assert(sizeof(union rt_midi_word) == sizeof(float), "a message fills a frame");

struct rt_midi {
  /* From control to the callback; withdrawn as other ports are, see rt_process.h. */
  _Alignas(RT_CACHE_LINE_BYTES) _Atomic(jack_port_t *) in_port;
  _Atomic(jack_port_t *) out_port;
  struct rt_ring in, out; /**< never written after rt_midi_init */
  bool are_wanted;        /**< control's own */

  /* From the callback to others. */
  _Alignas(RT_CACHE_LINE_BYTES) _Atomic uint64_t received;
  _Atomic uint64_t lost, oversize, sent, unsent;
  bool has_news; /**< the callback's own: the loop is to be woken */

  /* From JACK's notification thread to others. */
  _Alignas(RT_CACHE_LINE_BYTES) _Atomic uint64_t unplugged;

  struct rt_ring_indices in_indices, out_indices;
  float in_words[RT_MIDI_RING_MESSAGES], out_words[RT_MIDI_RING_MESSAGES];
};

/** Two empty rings and no ports; the memory is all zeros. [control] */
void rt_midi_init(struct rt_midi *midi);
/** Moves a period's messages. NULL: there is no such port. [rt] */
void rt_midi_run(struct rt_midi *midi, void *in_buffer, void *out_buffer) RT_NONBLOCKING;

#endif
