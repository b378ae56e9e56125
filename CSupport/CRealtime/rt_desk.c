/* Set-up: the desk. */
#include "rt_desk.h"

#include <string.h>

void rt_desk_init(struct rt_desk *desk, struct rt_shared *shared, int wake_fd) {
  memset(desk, 0, sizeof *desk);
  desk->shared = shared;
  desk->wake_fd = wake_fd;
  rt_ring_view(&desk->capture, &shared->capture, shared->capture_frames, RT_CAPTURE_RING_FRAMES);
  rt_ring_view(&desk->signal, &shared->signal, shared->signal_frames, RT_SIGNAL_RING_FRAMES);
  rt_ring_view(&desk->record, &shared->record, shared->record_frames, RT_SIGNAL_RING_FRAMES);
  for (uint32_t slot = 0; slot < RT_MAX_PEERS; slot++) {
    struct rt_voice *voice = &desk->voices[slot];
    voice->peer = &shared->peers[slot];
    rt_ring_view(&voice->ring, &voice->peer->ring, shared->peer_frames[slot], RT_PEER_RING_FRAMES);
  }
}
