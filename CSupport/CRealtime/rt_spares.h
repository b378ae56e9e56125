/**
 * Spare ports, in jackd: those of outputs whose comlinkd is gone. They play silence and keep their connections until a
 * comlinkd has an output of the name again. When there is no place for more, the oldest goes;
 * when JACK has no port left, all.
 */
#ifndef RT_SPARES_H
#define RT_SPARES_H

#include "CRealtime.h"
#include "rt_ports.h"

/** Makes every output's port a spare one, and no output named. [control] */
void rt_spares_keep(struct rt_engine *engine);
bool rt_spares_has(const struct rt_engine *engine, const char *port_name); /* [control] */
/** Makes the spare port of that name, which is there, the port of an output that has none. [control] */
void rt_spares_take(struct rt_engine *engine, rt_output output, const char *port_name);
/** Unregisters all; whether there were any. [control] */
bool rt_spares_drop(struct rt_engine *engine);

#endif
