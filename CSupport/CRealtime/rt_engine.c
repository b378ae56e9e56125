/* Set-up: the engine's memory. */
#define _GNU_SOURCE
#include "rt_engine.h"

#include "rt_jack_messages.h"
#include "rt_shared_memory.h"
#include "rt_state.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

/** Whole pages, all zeros. */
static void *allocate_pages(size_t wanted_bytes) {
  const size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE);
  const size_t bytes = (wanted_bytes + page_bytes - 1) / page_bytes * page_bytes;
  void *memory = aligned_alloc(page_bytes, bytes);
  if (memory != NULL) memset(memory, 0, bytes);
  return memory;
}

struct rt_engine *rt_engine_allocate(void) {
  const int notice_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  struct rt_engine *engine = notice_fd >= 0 ? allocate_pages(sizeof *engine) : NULL;
  if (engine == NULL) {
    if (notice_fd >= 0) close(notice_fd);
    return NULL;
  }
  engine->is_locked = mlock(engine, sizeof *engine) == 0;
  engine->notice_fd = notice_fd;
  engine->memory_fd = engine->watch_fd = engine->link_fd = -1;
  pthread_mutex_init(&engine->control, NULL);
  rt_midi_init(&engine->midi);
  return engine;
}

/** Gives a new engine its desk. NULL and no engine, if there is no memory for it. */
static struct rt_engine *furnish(struct rt_engine *engine, struct rt_shared *shared, int wake_fd) {
  if (shared == NULL) {
    rt_engine_destroy(engine);
    return NULL;
  }
  engine->is_locked = mlock2(shared, sizeof *shared, MLOCK_ONFAULT) == 0 && engine->is_locked;
  rt_shared_init(shared);
  rt_desk_init(&engine->desk, shared, wake_fd);
  rt_jack_messages_install();
  atomic_store_explicit(&engine->published_desk, &engine->desk, memory_order_release);
  return engine;
}

/** All zeros and touched, but for the frames of peers and buses: five megabytes, which rt_peer_attach and rt_bus_open
 *  touch one by one. */
static struct rt_shared *map_shared(void) {
  void *memory = mmap(NULL, sizeof(struct rt_shared), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return NULL;
  memset(memory, 0, offsetof(struct rt_shared, peer_frames));
  return memory;
}

struct rt_engine *rt_engine_create(int wake_fd) {
  struct rt_engine *engine = rt_engine_allocate();
  if (engine == NULL) return NULL;
  return furnish(engine, map_shared(), wake_fd);
}

struct rt_engine *rt_engine_create_shared(int wake_fd) {
  struct rt_engine *engine = rt_engine_allocate();
  if (engine == NULL) return NULL;
  struct rt_shared *shared = NULL;
  engine->memory_fd = rt_shared_create(&shared);
  engine->watch_fd = epoll_create1(EPOLL_CLOEXEC);
  engine->answer = malloc(sizeof *engine->answer + RT_LINK_TEXT_BYTES);
  struct epoll_event notices = {.events = EPOLLIN};
  if (engine->answer == NULL || epoll_ctl(engine->watch_fd, EPOLL_CTL_ADD, engine->notice_fd, &notices) != 0) {
    rt_shared_unmap(shared);
    shared = NULL;
  }
  return furnish(engine, shared, wake_fd);
}

void rt_engine_destroy(struct rt_engine *engine) {
  if (engine == NULL) return;
  rt_engine_close(engine);
  struct rt_shared *shared = engine->desk.shared;
  if (engine->plugin == NULL) rt_shared_unmap(shared);
  if (engine->memory_fd >= 0) close(engine->memory_fd);
  free(engine->answer);
  if (engine->watch_fd >= 0) close(engine->watch_fd);
  close(engine->notice_fd);
  pthread_mutex_destroy(&engine->control);
  munlock(engine, sizeof *engine);
  free(engine);
}

bool rt_engine_is_locked(const struct rt_engine *engine) {
  return engine->is_locked;
}
