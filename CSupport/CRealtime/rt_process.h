/**
 * JACK's process callback; of a client of its own in two parts, see rt_audio_thread.h.
 *
 * How control takes something from it, a port, the desk or the whole engine: it withdraws the pointer, then waits until
 * is_in_callback was false once. The callback sets that before it loads any pointer; both sides use sequentially
 * consistent order, so either control sees the callback inside, or the callback sees the pointer gone. Without a desk
 * or the microphone's port it plays silence and touches nothing: control needs that before it closes the client,
 * because libjack then cancels the audio thread asynchronously, wherever it is.
 */
#ifndef RT_PROCESS_H
#define RT_PROCESS_H

#include "rt_nonblocking.h"

#include <jack/types.h>

struct rt_engine;

/** A period's sound, from ports to ports; wakes nobody. [rt] */
void rt_run_period(struct rt_engine *engine, jack_nframes_t period_frames) RT_NONBLOCKING;

/** Wakes the loop if a codec frame has been captured: after rt_run_period, on the same thread. [rt] */
void rt_wake_if_due(struct rt_engine *engine) RT_NONBLOCKING;

/** Both, for jack_set_process_callback; argument is the engine. Always 0. [rt] */
int rt_on_process(jack_nframes_t period_frames, void *argument) RT_NONBLOCKING;

#endif
