/* Set-up: the engine's memory. */
#include "rt_jack_messages.h"
#include "rt_state.h"

#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

/** The whole pages an engine takes. */
static size_t engine_bytes(size_t page_bytes) {
  return (sizeof(struct rt_engine) + page_bytes - 1) / page_bytes * page_bytes;
}

static void init_peer(struct rt_engine *engine, rt_slot slot) {
  /* The rings are 64 KiB apart and read in step: were their indices the same, all would compete for the same cache
     sets. Starting each at another place spreads them, and stays so. */
  const uint32_t first_index = (uint32_t)slot * (RT_PEER_RING_FRAMES / RT_MAX_PEERS);
  rt_ring_init(&engine->peers[slot].ring, engine->peer_frames[slot], RT_PEER_RING_FRAMES, first_index);
  rt_peer_set_gain(engine, slot, 1.0f);
  rt_peer_set_pan(engine, slot, 0.0f);
}

struct rt_engine *rt_engine_create(int wake_fd) {
  const size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE);
  const size_t bytes = engine_bytes(page_bytes);
  const int notice_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (notice_fd < 0) return NULL;
  struct rt_engine *engine = aligned_alloc(page_bytes, bytes);
  if (engine == NULL) {
    close(notice_fd);
    return NULL;
  }
  memset(engine, 0, bytes);
  engine->is_locked = mlock(engine, bytes) == 0;
  engine->wake_fd = wake_fd;
  engine->notice_fd = notice_fd;
  pthread_mutex_init(&engine->control, NULL);
  rt_ring_init(&engine->capture, engine->capture_frames, RT_CAPTURE_RING_FRAMES, 0);
  rt_ring_init(&engine->signal, engine->signal_frames, RT_SIGNAL_RING_FRAMES, 0);
  rt_ring_init(&engine->record, engine->record_frames, RT_SIGNAL_RING_FRAMES, 0);
  for (rt_slot slot = 0; slot < RT_MAX_PEERS; slot++) init_peer(engine, slot);
  rt_jack_messages_install();
  return engine;
}

void rt_engine_destroy(struct rt_engine *engine) {
  if (engine == NULL) return;
  rt_engine_close(engine);
  close(engine->notice_fd);
  pthread_mutex_destroy(&engine->control);
  if (engine->is_locked) munlock(engine, engine_bytes((size_t)sysconf(_SC_PAGESIZE)));
  free(engine);
}

bool rt_engine_is_locked(const struct rt_engine *engine) {
  return engine->is_locked;
}
