#include <errno.h>
#include <malloc.h>

#include "CKernel.h"

/** A peer's stream is of blocks from 24 KiB on, what TLS holds of a connection from 16 KiB on. */
enum { LARGE_BYTES = 16 * 1024 };

int32_t kernel_keep_heap_small(void) {
  /*
   * Else each thread takes small blocks from an arena of its own (M_ARENA_MAX in mallopt(3)), and what any thread of a
   * pool can do has to be done once on each before the memory stops growing.
   */
  const int has_one_arena = mallopt(M_ARENA_MAX, 1);
  /*
   * Else malloc takes the first large block that is freed for a sign that more come, and keeps them from then on in the
   * arena (M_MMAP_THRESHOLD).
   */
  const int parts_large_blocks = mallopt(M_MMAP_THRESHOLD, LARGE_BYTES);
  return has_one_arena == 1 && parts_large_blocks == 1 ? 0 : -EINVAL;
}
