/* Set-up: the engine's memory. */
#include "rt_jack_messages.h"
#include "rt_state.h"

#include <stdlib.h>
#include <string.h>
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

struct rt_engine *rt_engine_create(int wake_fd) {
  const int notice_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  struct rt_engine *engine = allocate_pages(sizeof *engine);
  struct rt_shared *shared = allocate_pages(sizeof *shared);
  if (notice_fd < 0 || engine == NULL || shared == NULL) {
    free(shared);
    free(engine);
    if (notice_fd >= 0) close(notice_fd);
    return NULL;
  }
  engine->is_locked = mlock(engine, sizeof *engine) == 0 && mlock(shared, sizeof *shared) == 0;
  engine->notice_fd = notice_fd;
  pthread_mutex_init(&engine->control, NULL);
  rt_shared_init(shared);
  rt_desk_init(&engine->desk, shared, wake_fd);
  atomic_store_explicit(&engine->published_desk, &engine->desk, memory_order_release);
  rt_jack_messages_install();
  return engine;
}

void rt_engine_destroy(struct rt_engine *engine) {
  if (engine == NULL) return;
  rt_engine_close(engine);
  close(engine->notice_fd);
  pthread_mutex_destroy(&engine->control);
  munlock(engine->desk.shared, sizeof *engine->desk.shared);
  free(engine->desk.shared);
  munlock(engine, sizeof *engine);
  free(engine);
}

bool rt_engine_is_locked(const struct rt_engine *engine) {
  return engine->is_locked;
}
