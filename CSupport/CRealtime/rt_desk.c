/* Set-up: the desk. */
#include "rt_desk.h"

#include <string.h>

void rt_desk_init(struct rt_desk *desk, struct rt_shared *shared, int wake_fd) {
  memset(desk, 0, sizeof *desk);
  desk->shared = shared;
  desk->wake_fd = wake_fd;
  rt_ring_view(&desk->capture, &shared->capture, shared->capture_samples, RT_CAPTURE_RING_SAMPLES);
  const uint32_t inputs = atomic_load_explicit(&shared->input_count, memory_order_relaxed);
  desk->capture_channels = RT_CAPTURE_INPUTS + (inputs < RT_MAX_INPUTS ? inputs : RT_MAX_INPUTS) + 2;
  rt_ring_view(&desk->signal, &shared->signal, shared->signal_frames, RT_SIGNAL_RING_FRAMES);
  rt_ring_view(&desk->record, &shared->record, shared->record_frames, RT_SIGNAL_RING_FRAMES);
  for (uint32_t slot = 0; slot < RT_MAX_PEERS; slot++) {
    struct rt_voice *voice = &desk->voices[slot];
    voice->peer = &shared->peers[slot];
    voice->place.sound = &desk->place_sounds[slot];
    voice->place.sound->shared = &shared->places[slot];
    voice->conceal.past = &desk->conceal_pasts[slot];
    rt_ring_view(&voice->ring, &voice->peer->ring, shared->peer_frames[slot], RT_PEER_RING_FRAMES);
  }
  for (uint32_t i = 0; i < RT_OPENED_BUSES; i++) {
    struct rt_bus_desk *bus = &desk->buses[i];
    bus->shared = &shared->buses[RT_MAIN_BUS + 1 + i];
    rt_ring_view(&bus->ring, &bus->shared->ring, shared->bus_samples[i], RT_BUS_RING_SAMPLES);
  }
}
