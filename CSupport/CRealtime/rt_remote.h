/** comlinkd's end of the link: what it wants of JACK, said to the plugin. All under rt_engine.control, with a link. */
#ifndef RT_REMOTE_H
#define RT_REMOTE_H

#include "CRealtime.h"
#include "rt_ports.h"

/** As the functions of CRealtime.h that they stand for; -ENOTCONN when the plugin has gone. [control] */
int rt_remote_set_port(struct rt_engine *engine, rt_output output, const char *port_name);
void rt_remote_clear_port(struct rt_engine *engine, rt_output output);
int rt_remote_connect(struct rt_engine *engine, const char *source, const char *destination);
/** kind: RT_LINK_CONNECTIONS, RT_LINK_CAPTURE_PORTS or RT_LINK_PLAYBACK_PORTS. */
int rt_remote_list(struct rt_engine *engine, uint32_t kind, char *text, uint32_t capacity);
/** Leaves the plugin, which then plays silence; without a link nothing. [control] */
void rt_remote_close(struct rt_engine *engine);
/** Takes what the plugin noticed, and its end; takes the lock itself. [control] */
void rt_remote_take_notices(struct rt_engine *engine);

#endif
