/**
 * What Linux says in macros and GNU extensions only: network namespaces, raw packet sockets with the kernel's
 * time stamps, a device's offloads, signals as a descriptor, waiting by the nanosecond.
 *
 * All functions may be called on any thread, tagged [any]; those about namespaces mean the calling thread's. All
 * return -errno when they fail.
 */
#pragma once

#include <poll.h>
#include <stdint.h>

/** Largest frame that link_packet_receive gives: nothing is merged, so no more than a large MTU. */
#define LINK_FRAME_BYTES 16384

/** [any] Moves the thread into a new network namespace without a name; it lives as long as anything is in it. */
int link_namespace_leave(void);

/** [any] Moves the thread into the network namespace that a descriptor stands for. */
int link_namespace_enter(int descriptor);

/**
 * [any] Makes a device of the thread's namespace compute its checksums and cut its packets before it sends, as a wire
 * needs it, and merge nothing that it receives.
 */
int link_device_make_plain(const char *name);

/**
 * [any] Opens a socket for all frames that come in from a device of the thread's namespace, and none that go out.
 *
 * Non-blocking, promiscuous, with the kernel's receive time stamps. Returns the descriptor, which the caller closes.
 */
int link_packet_open(const char *name);

/**
 * [any] Takes a frame from a packet socket.
 *
 * @param frame room for LINK_FRAME_BYTES.
 * @param realtime_nanoseconds when the kernel received it, CLOCK_REALTIME; 0 if it did not say.
 * @return its bytes, -EAGAIN when there is none, -EMSGSIZE for one that was too large and is gone.
 */
int link_packet_receive(int descriptor, uint8_t *frame, int64_t *realtime_nanoseconds);

/** [any] How many frames the kernel dropped since the last call because a packet socket was full. */
int link_packet_take_drops(int descriptor);

/** [any] Blocks SIGINT, SIGTERM, SIGHUP and SIGCHLD for the thread and returns a descriptor that tells them. */
int link_signals_open(void);

/** [any] Takes a signal from such a descriptor: its number, -EAGAIN when there is none. */
int link_signals_take(int descriptor);

/** [any] Lets the thread run before all others below a SCHED_FIFO priority; what it starts runs as usual. */
int link_thread_make_realtime(int priority);

/** [any] Like poll(2), with a timeout in nanoseconds; -EINTR leaves `revents` as it was. */
int link_wait(struct pollfd *polls, unsigned count, int64_t nanoseconds);
