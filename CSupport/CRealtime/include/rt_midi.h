/**
 * MIDI: short messages between the ports keys_in and tally_out and the loop, a ring each way.
 *
 * The ports are there when they are wanted, and only of an engine that is a JACK client of its own: the plugin in jackd
 * has none. The callback only moves bytes, so many a period and no more; what they mean is judged elsewhere.
 */
#ifndef RT_MIDI_H
#define RT_MIDI_H

#include <stdbool.h>
#include <stdint.h>

struct rt_engine;

enum { RT_MIDI_MESSAGE_BYTES = 3, RT_MIDI_RING_MESSAGES = 256 };
/** The most that the callback takes from a port, or gives to one, in a period. */
enum { RT_MIDI_PERIOD_MESSAGES = 64 };

/** One to three bytes, the first a status byte where the sender is right. */
struct rt_midi_message {
  uint8_t bytes[RT_MIDI_MESSAGE_BYTES];
  uint8_t count;
};

/** All since the engine was made. */
struct rt_midi_counters {
  uint64_t received; /**< put in the ring */
  uint64_t lost;     /**< had no room there, or were more than a period's */
  uint64_t oversize; /**< longer than three bytes (system exclusive), or of none */
  uint64_t sent;     /**< given to JACK */
  uint64_t unsent;   /**< JACK had no room for them */
  uint64_t unplugged; /**< times that a connection of the port that plays into ours was cut */
};

/** Whether there are to be ports: registers both while running, else at the next open, or unregisters them. 0,
 *  -ENOTSUP where the plugin plays, -EPROTO when JACK refuses. [control] */
int rt_midi_set_ports(struct rt_engine *engine, bool are_wanted);
/** Takes up to so many messages that came, in their order; returns how many. One thread at a time. [loop] */
uint32_t rt_midi_read(struct rt_engine *engine, struct rt_midi_message *messages, uint32_t count);
/** Messages that wait to be read. Any thread. */
uint32_t rt_midi_waiting(const struct rt_engine *engine);
/** Adds messages that go out from the next period on; returns how many fitted. One thread at a time. [loop] */
uint32_t rt_midi_write(struct rt_engine *engine, const struct rt_midi_message *messages, uint32_t count);
/** Any thread. */
void rt_midi_count(const struct rt_engine *engine, struct rt_midi_counters *counters);

#endif
