/** Waking the event loop. */
#ifndef RT_WAKE_H
#define RT_WAKE_H

#include "rt_nonblocking.h"

struct rt_desk;

/** Notes the time and writes the eventfd: the one system call of the process callback. [rt] [control] */
void rt_wake(struct rt_desk *desk) RT_NONBLOCKING;
/** Writes the eventfd for what is not sound: wake-ups and their times are the sound's. [rt] */
void rt_wake_untimed(const struct rt_desk *desk) RT_NONBLOCKING;

#endif
