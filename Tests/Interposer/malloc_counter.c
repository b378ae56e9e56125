/*
 * Counts allocations per thread, for LD_PRELOAD into a program under test.
 *
 * The file named by COMLINK_MALLOC_FILE is mapped and shared with the observer, who opens a window by
 * storing a number other than 0 in `window` and closes it with 0. A thread claims a slot at its first
 * call inside a window and reads its name anew in each, since threads name themselves late.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

enum { SLOTS = 256, NAME_BYTES = 16 };

typedef struct slot {
  char name[NAME_BYTES];
  _Atomic uint64_t allocations;
  _Atomic uint64_t frees;
} slot;

typedef struct board {
  _Atomic uint32_t window;
  _Atomic uint32_t used;
  slot slots[SLOTS];
} board;

static board *shared;
static __thread slot *own __attribute__((tls_model("initial-exec")));
static __thread uint32_t seen __attribute__((tls_model("initial-exec")));

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);
extern void __libc_free(void *);

__attribute__((constructor)) static void map_board(void) {
  const char *path = getenv("COMLINK_MALLOC_FILE");
  int file = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
  if (file < 0) return;
  void *memory = mmap(NULL, sizeof(board), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  if (memory != MAP_FAILED) shared = memory;
}

static slot *slot_of_this_thread(void) {
  if (!shared) return NULL;
  uint32_t window = atomic_load_explicit(&shared->window, memory_order_relaxed);
  if (window == 0) return NULL;
  if (!own) {
    uint32_t index = atomic_fetch_add_explicit(&shared->used, 1, memory_order_relaxed);
    own = &shared->slots[index < SLOTS ? index : SLOTS - 1];
  }
  if (seen != window) {
    int error = errno;
    prctl(PR_GET_NAME, own->name);
    errno = error;
    seen = window;
  }
  return own;
}

static void count_allocation(void) {
  slot *mine = slot_of_this_thread();
  if (mine) atomic_fetch_add_explicit(&mine->allocations, 1, memory_order_relaxed);
}

void *malloc(size_t size) {
  count_allocation();
  return __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
  count_allocation();
  return __libc_calloc(count, size);
}

void *realloc(void *memory, size_t size) {
  count_allocation();
  return __libc_realloc(memory, size);
}

void *memalign(size_t alignment, size_t size) {
  count_allocation();
  return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
  count_allocation();
  return __libc_memalign(alignment, size);
}

int posix_memalign(void **memory, size_t alignment, size_t size) {
  count_allocation();
  *memory = __libc_memalign(alignment, size);
  return *memory || size == 0 ? 0 : ENOMEM;
}

void free(void *memory) {
  slot *mine = memory ? slot_of_this_thread() : NULL;
  if (mine) atomic_fetch_add_explicit(&mine->frees, 1, memory_order_relaxed);
  __libc_free(memory);
}
