#pragma once
/** What the doctor and the daemon ask of the system that Swift's Glibc module cannot:
 *  structures and macros it does not import. */

#include <stdint.h>

/**
 * Whether the system's clock is disciplined by a time service, as adjtimex(2) tells: 1 yes, 0 no, or -errno.
 *
 * [control]
 */
int32_t kernel_clock_is_synchronised(void);

/**
 * The power save of a radio's interface (nl80211, GET_POWER_SAVE): 1 on, 0 off, or -errno:
 * -ENOENT where the kernel has no nl80211.
 *
 * [control] Waits at most a second.
 */
int32_t kernel_wifi_power_save(uint32_t interface_index);

/**
 * Switches the power save of a radio's interface: 0 done, or -errno (-EPERM without CAP_NET_ADMIN).
 *
 * [control] Waits at most a second.
 */
int32_t kernel_wifi_set_power_save(uint32_t interface_index, int32_t is_on);

/**
 * Keeps the heap no larger than what is in use at most: all threads share one arena from now on, and a block of 16 KiB
 * or more has pages of its own, which go back to the system when it is freed: 0, or -EINVAL.
 *
 * malloc may wait for another thread's call, then. The media loop calls it only when somebody comes or goes, or asks
 * for the status, and the others hold the arena no longer than a call takes; only one that is preempted just then, on a
 * machine with more to do than it can, makes the loop late.
 *
 * [control] Before there are threads.
 */
int32_t kernel_keep_heap_small(void);
