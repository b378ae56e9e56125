/**
 * CUring: the event loop's share of the kernel, over liburing: one ring, one UDP socket, one eventfd, one thread.
 *
 * [control] any thread, may block and allocate   [loop] the event-loop thread   [any] any thread, never blocks
 * Functions return a count or 0, or -errno. Times are CLOCK_MONOTONIC nanoseconds. All memory is allocated and
 * touched in the create functions. liburing.h stays out of this header: Swift cannot import it beside Glibc.
 */
#ifndef CURING_H
#define CURING_H

#include <stdbool.h>
#include <stdint.h>

enum {
  URING_PACKET_SLOTS = 128,    /**< outgoing packets that one wake-up can make */
  URING_PACKET_BYTES = 1500,   /**< size of each */
  URING_RECEIVE_SLOTS = 256,   /**< incoming datagrams the kernel can hand over before it must wait for a free slot */
  URING_PAYLOAD_BYTES = 1500,  /**< longer incoming datagrams are counted and dropped */
  URING_SENDS = 1024           /**< sends one io_uring_enter takes; more cost a further one */
};

/** Adds to wake_fd: a beat of the audio thread, and a signal of any other thread. One read returns the sums of both. */
#define URING_BEAT ((uint64_t)1)
#define URING_SIGNAL ((uint64_t)1 << 32)

/** An IPv4 or IPv6 address; IPv4 lies in the low 32 bits of low. Numbers in host order; never IPv4-mapped IPv6. */
struct uring_address {
  uint64_t high, low;
  uint32_t scope;
  uint16_t port;
  bool is_ipv6;
};

/* --- inbox: the eventfd that wakes the loop, and the queue of jobs other threads leave there --- */

typedef struct uring_inbox uring_inbox;

/** Capacity (a power of two) is what other threads can leave before uring_inbox_push refuses. 0 or -errno. [control] */
int uring_inbox_create(uring_inbox **inbox_out, uint32_t capacity);
/** Closes the eventfd; no thread may use it any more. [control] */
void uring_inbox_destroy(uring_inbox *inbox);
/** The eventfd; the audio thread writes URING_BEAT to it. [any] */
int uring_inbox_wake_fd(const uring_inbox *inbox);
/** Leaves a job and wakes the loop if nobody did since it last looked. On the loop thread it goes to a ring that grows
 *  and is never full. False: full, nothing left. Lock-free: releases the slot's sequence to pop. [any] */
bool uring_inbox_push(uring_inbox *inbox, uint64_t job);
/** Takes a job; false: none. Turns between the loop's own and the others' so that neither starves. [loop] */
bool uring_inbox_pop(uring_inbox *inbox, uint64_t *job_out);
/** Whether the loop's own jobs wait: they came without a signal. [loop] */
bool uring_inbox_has_own(const uring_inbox *inbox);
/** Wakes the loop unless a signal is already under way. Pairs (acquire-release) with uring_inbox_open. [any] */
void uring_inbox_signal(uring_inbox *inbox);
/** Lets the next push signal again; call it before a wake-up's pops. Whether one did since the last time. [loop] */
bool uring_inbox_open(uring_inbox *inbox);
/** Makes the calling thread the inbox's loop thread, or with NULL that of none. Returns what it was. [loop] */
uring_inbox *uring_inbox_enter(uring_inbox *inbox);
/** Whether the calling thread is the inbox's loop thread. [any] */
bool uring_inbox_is_current(const uring_inbox *inbox);

/* --- ring --- */

typedef struct uring uring;

/** What uring_create or uring_attach was doing when it failed. */
enum uring_step {
  URING_STEP_MEMORY = 1,
  URING_STEP_SETUP,       /**< io_uring_setup */
  URING_STEP_MULTISHOT,   /**< multishot recvmsg, Linux 6.0 */
  URING_STEP_BUFFER_RING, /**< provided buffer ring, Linux 5.19 */
  URING_STEP_ENABLE       /**< taking the ring over on the loop thread */
};

/** How completions reach the loop thread, best first; each falls back to the next where the kernel lacks it. */
enum uring_mode {
  URING_MODE_DEFERRED = 0, /**< SINGLE_ISSUER | DEFER_TASKRUN, Linux 6.1 */
  URING_MODE_COOPERATIVE,  /**< SINGLE_ISSUER | COOP_TASKRUN, Linux 6.0 */
  URING_MODE_PLAIN
};

/** A disabled ring that reads the inbox's eventfd, in the first mode from `mode` on that the kernel has. [control] */
int uring_create(uring **ring_out, const uring_inbox *inbox, enum uring_mode mode, enum uring_step *step_out);
/** Frees the ring and closes its socket; after uring_detach when it was attached. [control] */
void uring_destroy(uring *ring);
/** Enables the ring for the calling thread, the only one to use the [loop] functions from now on. [loop] */
int uring_attach(uring *ring);
/** Cancels everything under way; nothing touches the ring's memory any more. [loop] */
void uring_detach(uring *ring);
enum uring_mode uring_mode_in_use(const uring *ring); /* [control] */
/** Whether io_uring_enter goes by a registered ring descriptor; known after uring_attach. [control] */
bool uring_has_registered_ring(const uring *ring);

/** Submits all that is queued, re-arms what fired, moves the timer to the deadline (INT64_MAX: none; exact to 20 µs)
 *  and waits for a beat, a signal or the deadline; datagrams alone do not end the wait, unless uring_wake_on_datagram
 *  was called. Then packets and sends may be made anew. [loop] */
int uring_wait(uring *ring, int64_t deadline_nanoseconds);
/** Lets a datagram end the next wait, or one that already waits in the socket; but on average at most once in 5 ms, and
 *  four at once, so that a flood cannot keep the loop awake. If that is known too late, a later one. [loop] */
void uring_wake_on_datagram(uring *ring);

enum uring_event_kind { URING_EVENT_DATAGRAM = 1, URING_EVENT_SEND_FAILED = 2 };

struct uring_event {
  enum uring_event_kind kind;
  int32_t error;               /**< SEND_FAILED: a positive errno */
  uint32_t byte_count;         /**< DATAGRAM */
  const uint8_t *bytes;        /**< DATAGRAM: valid until the next call */
  int64_t arrival_nanoseconds; /**< DATAGRAM: the kernel's receive stamp */
  struct uring_address address;
};

/** The next event of this wake-up: 1, or 0 when there is no more, or -errno. Must be called until it returns 0; drains
 *  the socket further where the kernel stopped early (at most 16 times a wake-up, against floods). [loop] */
int uring_next_event(uring *ring, struct uring_event *event_out);

enum { URING_WOKE_BEAT = 1, URING_WOKE_SIGNAL = 2, URING_WOKE_DEADLINE = 4, URING_WOKE_DATAGRAM = 8 };
/** Why the wake-up came (URING_WOKE_…); 0: only failed sends. Known once uring_next_event returned 0. [loop] */
uint32_t uring_causes(const uring *ring);
/** When the last uring_wait ended: this thread ran again, and had not taken anything yet. [loop] */
int64_t uring_woken_nanoseconds(const uring *ring);

/* --- sending --- */

/** A free slot's memory of URING_PACKET_BYTES, or NULL when this wake-up has used them all. [loop] */
uint8_t *uring_packet_memory(uring *ring);
/** Makes that slot a packet; returns its number, good until the next uring_wait. [loop] */
uint32_t uring_packet_commit(uring *ring, uint32_t byte_count);
/** Queues a committed packet to go with the next uring_wait; when the queue is full, first submits what it holds,
 *  and where the kernel does not take that, counts the packet in sends_full and drops it. [loop] */
void uring_send(uring *ring, uint32_t packet, const struct uring_address *to);
/** Counts the waits so far: a packet number belongs to one of them. [loop] */
uint64_t uring_generation(const uring *ring);

/* --- socket --- */

enum uring_socket_step {
  URING_SOCKET_OPEN = 1,
  URING_SOCKET_OPTIONS,
  URING_SOCKET_BIND
};

struct uring_socket_settings {
  struct uring_address address; /**< :: takes IPv4 too where the system lets it */
  int32_t receive_buffer_bytes, send_buffer_bytes;
  int32_t priority;             /**< SO_PRIORITY, 0 … 6 */
  uint8_t traffic_class;        /**< IP_TOS and IPV6_TCLASS */
};

/** Binds the socket, before uring_attach; waits 1 s for a taken port. 0, -errno (-EEXIST: has one), step. [control] */
int uring_socket_open(uring *ring, const struct uring_socket_settings *settings, enum uring_socket_step *step_out);
/** The bound address, with the port the system chose for 0. [control] */
struct uring_address uring_socket_address(const uring *ring);
/** What the kernel granted (it counts its own overhead in: twice what was asked). [control] */
int32_t uring_socket_receive_buffer_bytes(const uring *ring);
/** The value in force of SO_PRIORITY, IP_TOS and IPV6_TCLASS; -errno where the socket's family lacks it. [control] */
int uring_socket_priority(const uring *ring);
int uring_socket_traffic_class(const uring *ring, bool ipv6);

/* --- counters: relaxed atomics, [any] --- */

struct uring_counters {
  uint64_t wakes, beats, signals, deadlines, alerts; /**< alerts: of datagrams; beat and deadline: two if two enters */
  uint64_t enters, extra_enters, early_submits; /**< enters == wakes + extra_enters + early_submits */
  uint64_t datagrams_in, bytes_in, datagrams_out, bytes_out;
  uint64_t oversized, truncated, malformed;     /**< incoming, dropped */
  uint64_t kernel_drops;                        /**< SO_RXQ_OVFL: known with the next datagram that got through */
  uint64_t receive_errors, buffer_shortages;
  uint64_t sends_full, sends_unreachable, sends_refused; /**< no room, no way there, any other errno */
  uint64_t packet_shortages;                    /**< uring_packet_memory had none */
};
void uring_read_counters(const uring *ring, struct uring_counters *counters_out);

/* --- thread, memory and clock --- */

struct uring_thread_settings {
  const char *name;      /**< at most 15 bytes */
  uint64_t stack_bytes;
  int32_t fifo_priority; /**< 1 … 99, or 0 for ordinary scheduling */
};
#define URING_SENDABLE __attribute__((swift_attr("@Sendable")))

/** Starts a thread that takes no signals. It first calls begin, with a positive errno where SCHED_FIFO was refused (the
 *  thread goes on without), and then, if that returned 0, body. Returns what begin returned, or -errno. [control] */
int uring_thread_start(uint64_t *thread_out, const struct uring_thread_settings *settings,
                       int (*begin)(void *context, int32_t scheduling_error) URING_SENDABLE,
                       void (*body)(void *context) URING_SENDABLE, void *context);
/** Changes a running thread's SCHED_FIFO priority: 0 or -errno. [control] */
int uring_thread_set_priority(uint64_t thread, int32_t fifo_priority);
/** Waits for the thread's end, except on that thread itself; once per thread. [control] */
void uring_thread_join(uint64_t thread);
/** mlockall of pages as they are touched from now on, not of code that only the start needed: 0, -errno. [control] */
int uring_lock_memory(void);
/** Lets go of code that ran up to now; what runs again comes back, locked if all is. For a start's end. [control] */
void uring_forget_start(bool is_locked);
int64_t uring_now(void);        /* [any] */
int64_t uring_thread_cpu(void); /**< how long the calling thread has run, not what it waited; a system call [any] */
/** Returns its argument, unknown to the optimiser. [any] */
void *uring_same(void *pointer);
void uring_yield(void);  /**< sched_yield [any] */

#endif
