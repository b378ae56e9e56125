/** A JACK client's beginning, wherever the client comes from. */
#ifndef RT_SESSION_H
#define RT_SESSION_H

#include <stdbool.h>
#include <stdint.h>

struct rt_engine;

/** Sets rt_engine.client's callbacks, registers the ports and activates. 0 or -EPROTO. [control] */
int rt_session_start(struct rt_engine *engine);
/** After a start that failed, on a client that is somebody else's to close: JACK knows the engine no more. [control] */
void rt_session_undo(struct rt_engine *engine);
/** Whether sound of that rate can be converted to and from the codec's. [control] */
bool rt_session_takes_rate(uint32_t sample_rate);
/** Slots the callback has left behind become what the loop can work with: it will never end their fades. [control] */
void rt_session_settle(struct rt_engine *engine);
/** Lets the control thread know that there is something to look at. Any thread. */
void rt_give_notice(const struct rt_engine *engine);

#endif
