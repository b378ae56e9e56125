/** An engine before it has a desk. */
#ifndef RT_ENGINE_H
#define RT_ENGINE_H

struct rt_engine;

/** An engine without a desk, which plays silence until one is published. NULL: out of memory or descriptors.
 *  [control] */
struct rt_engine *rt_engine_allocate(void);

#endif
