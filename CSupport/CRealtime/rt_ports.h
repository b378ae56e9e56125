/** The ports of an open client; all under rt_engine.control. */
#ifndef RT_PORTS_H
#define RT_PORTS_H

#include <stdbool.h>
#include <stdint.h>

struct rt_engine;

/** What plays at a port of its own: slots by their numbers, then buses by theirs. */
typedef int32_t rt_output;

/** (Re)names an output's port, as rt_peer_set_port. [control] */
int rt_output_set_port(struct rt_engine *engine, rt_output output, const char *port_name);
/** Unregisters an output's port, after the callback has left it. [control] */
void rt_output_clear_port(struct rt_engine *engine, rt_output output);
/** Names an input's port, or takes it away where port_name is empty: in jackd, where ports outlast their comlinkd. One
 *  that has the name already keeps its connections. 0 or as rt_input_add, -EPROTO when JACK refuses. [control] */
int rt_input_set_port(struct rt_engine *engine, int32_t input, const char *port_name);
/** Registers and publishes mic, mix_left, mix_right and a port per named input and output. 0 or -EPROTO. [control] */
int rt_ports_register(struct rt_engine *engine);
/** Withdraws the microphone, after which the callback does nothing any more; returns when it is out. [control] */
void rt_ports_quiesce(struct rt_engine *engine);
/** Waits until a callback that may have seen a pointer withdrawn just now has ended; see rt_process.h. False: it hangs.
 *  [control] */
bool rt_ports_wait(const struct rt_engine *engine);
/** Withdraws all; the client is closed. [control] */
void rt_ports_forget(struct rt_engine *engine);

#endif
