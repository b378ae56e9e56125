/** The ports of an open client; all under rt_engine.control. */
#ifndef RT_PORTS_H
#define RT_PORTS_H

#include <stdbool.h>

struct rt_engine;

/** Registers and publishes mic, mix_left, mix_right and a port per named slot. 0 or -EPROTO. [control] */
int rt_ports_register(struct rt_engine *engine);
/** Withdraws the microphone, after which the callback does nothing any more; returns when it is out. [control] */
void rt_ports_quiesce(struct rt_engine *engine);
/** Waits until a callback that may have seen a pointer withdrawn just now has ended; see rt_process.h. False: it hangs.
 *  [control] */
bool rt_ports_wait(const struct rt_engine *engine);
/** Withdraws all; the client is closed. [control] */
void rt_ports_forget(struct rt_engine *engine);

#endif
