#pragma once
/** What the doctor and the daemon ask of the system that Swift's Glibc module cannot: structures and macros it does not import. */

#include <stdint.h>

/**
 * Whether the system's clock is disciplined by a time service, as adjtimex(2) tells: 1 yes, 0 no, or -errno.
 *
 * [control]
 */
int32_t kernel_clock_is_synchronised(void);

/**
 * The power save of a radio's interface (nl80211, GET_POWER_SAVE): 1 on, 0 off, or -errno: -ENOENT where the kernel has no nl80211.
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
 * Gives each block of memory of 16 KiB and more pages of its own from now on, which go back to the system when it is freed,
 * whichever thread does that: 0, or -EINVAL.
 *
 * [control] Before there are threads.
 */
int32_t kernel_part_large_memory(void);
