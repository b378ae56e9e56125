/** rt_shared in memory that another process can map, and what it looks at before it does. */
#ifndef RT_SHARED_MEMORY_H
#define RT_SHARED_MEMORY_H

#include "rt_shared.h"

#include <fcntl.h>

/** No change of its size, for good. Needs _GNU_SOURCE. */
#define RT_SHARED_SEALS (F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL)

/** A number made of the place and size of everything in rt_shared: builds that differ in one cannot share it. */
uint64_t rt_shared_layout(void);
/** Makes a memfd of rt_shared's size, all zeros, sealed against every change of it; mapped at *shared.
 *  The descriptor or
 *  -errno. [control] */
int rt_shared_create(struct rt_shared **shared);
/** Maps what another process handed over and rt_link_check_descriptors approved, touched and, if that may be, locked;
 *  NULL: no memory, or not to be written to. [control] */
struct rt_shared *rt_shared_map(int memory_fd);
/** NULL is allowed. [control] */
void rt_shared_unmap(struct rt_shared *shared);

#endif
