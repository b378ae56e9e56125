#include <errno.h>
#include <malloc.h>

#include "CKernel.h"

/** A peer's stream is of blocks from 24 KiB on, what TLS holds of a connection from 16 KiB on. */
enum { LARGE_BYTES = 16 * 1024 };

int32_t kernel_part_large_memory(void) {
  /*
   * Else malloc takes the first large block that is freed for a sign that more come, and keeps them from then on in the arena of the
   * thread that asked (M_MMAP_THRESHOLD in mallopt(3)): what is made by whichever thread of a pool stays once in each of theirs.
   */
  return mallopt(M_MMAP_THRESHOLD, LARGE_BYTES) == 1 ? 0 : -EINVAL;
}
