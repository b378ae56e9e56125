/**
 * The calls into libjack that the process callback makes, and no others. JACK documents them as safe there, or they
 * read a field of the server's memory; their own headers do not say so in a way the compiler knows, so they are
 * declared again with RT_NONBLOCKING.
 */
#ifndef RT_JACK_RT_H
#define RT_JACK_RT_H

#include "rt_nonblocking.h"

#include <jack/jack.h>
#include <jack/midiport.h>
#include <jack/statistics.h>

void *jack_port_get_buffer(jack_port_t *port, jack_nframes_t frame_count) RT_NONBLOCKING;
int jack_get_cycle_times(const jack_client_t *client, jack_nframes_t *current_frames, jack_time_t *current_usecs,
                         jack_time_t *next_usecs, float *period_usecs) RT_NONBLOCKING;
jack_time_t jack_get_time(void) RT_NONBLOCKING;
jack_nframes_t jack_last_frame_time(const jack_client_t *client) RT_NONBLOCKING;
float jack_get_xrun_delayed_usecs(jack_client_t *client) RT_NONBLOCKING;
uint32_t jack_midi_get_event_count(void *port_buffer) RT_NONBLOCKING;
int jack_midi_event_get(jack_midi_event_t *event, void *port_buffer, uint32_t event_index) RT_NONBLOCKING;
void jack_midi_clear_buffer(void *port_buffer) RT_NONBLOCKING;
int jack_midi_event_write(void *port_buffer, jack_nframes_t time, const jack_midi_data_t *data,
                          size_t data_size) RT_NONBLOCKING;

#endif
