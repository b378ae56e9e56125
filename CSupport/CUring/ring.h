/** What the files of CUring share: the ring's memory and state. Not for Swift: it needs liburing.h. */
#ifndef CURING_RING_H
#define CURING_RING_H

#define _GNU_SOURCE
#include <errno.h>
#include <liburing.h>
#include <netinet/in.h>
#include <stdatomic.h>
#include <sys/socket.h>

#include "CUring.h"

enum {
  RING_PACKET_STRIDE = 1536,
  RING_RECEIVE_STRIDE = 2048,
  RING_NAME_BYTES = 32,   /* a sockaddr_in6 is 28; 32 keeps the control data aligned */
  RING_CONTROL_BYTES = 64 /* one SCM_TIMESTAMPNS (32) and one SO_RXQ_OVFL (24) */
};

/** What a completion belongs to (its user_data). Sends are TAG_SEND plus their number. */
enum { TAG_BEAT = 1, TAG_BEAT_DRAIN, TAG_DEADLINE, TAG_DEADLINE_DRAIN, TAG_DEADLINE_UPDATE, TAG_DRAIN, TAG_ALERT, TAG_ALERT_DRAIN };
#define TAG_SEND ((uint64_t)1 << 32)

union ring_name {
  struct sockaddr any;
  struct sockaddr_in v4;
  struct sockaddr_in6 v6;
};

/** A send's arguments, which must stay in place until its SQE was submitted. */
struct ring_send {
  struct msghdr header;
  struct iovec vector;
  union ring_name name;
  uint32_t number; /* tells a late failure that the place was taken by another send */
};

/** Written by the loop thread only, read by any: relaxed. */
struct ring_counters {
  _Atomic uint64_t wakes, beats, signals, deadlines, alerts, enters, extra_enters, early_submits;
  _Atomic uint64_t datagrams_in, bytes_in, sends, send_bytes, sends_failed, failed_bytes;
  _Atomic uint64_t oversized, truncated, malformed, kernel_drops, receive_errors, buffer_shortages;
  _Atomic uint64_t sends_full, sends_unreachable, sends_refused, packet_shortages;
};

struct uring {
  struct io_uring ring;
  enum uring_mode mode;
  bool has_registered_ring;
  int wake_fd, socket_fd;
  bool socket_is_ipv6;

  /* one mapping: buffer ring, receive slots, packets, sends */
  void *memory;
  size_t memory_bytes;
  struct io_uring_buf_ring *buffers;
  uint8_t *receive_slots, *packets;
  struct ring_send *sends;

  /* wake state; see chains.c and wait.c */
  bool is_beat_armed, is_deadline_armed, is_alert_armed, is_alert_wanted;
  bool is_stuck; /* the kernel took nothing of a full queue: not asked again before the next wait */
  int64_t next_alert_nanoseconds; /* no alert is armed before; lags behind by what may come at once */
  uint64_t wake_value; /* where the kernel reads the eventfd to */
  struct __kernel_timespec deadline_time;
  int64_t deadline_nanoseconds;
  uint32_t causes;
  int64_t woken_nanoseconds;
  int64_t now_nanoseconds, realtime_offset_nanoseconds;

  /* drain state */
  struct msghdr receive_header;
  int32_t ends_expected;     /* drains whose chain fired but whose last completion is not seen yet */
  uint32_t drained_datagrams; /* by the drain under way */
  uint32_t drain_rounds;
  bool must_drain_again, is_wake_open, is_second_wake;
  int32_t held_slot; /* receive slot the caller still reads, or -1 */
  uint32_t overflow_seen;

  /* sending */
  uint64_t generation;
  uint32_t packet_count, send_number;
  uint32_t packet_bytes[URING_PACKET_SLOTS];

  struct ring_counters counters;
};

static inline void ring_count(_Atomic uint64_t *counter, uint64_t amount) {
  uint64_t value = atomic_load_explicit(counter, memory_order_relaxed);
  atomic_store_explicit(counter, value + amount, memory_order_relaxed);
}

/** An SQE with room for `wanted` in a row: a link must not be cut by a submit. NULL: the queue is full and the kernel,
 *  asked some times since the last wait, takes none of it. */
struct io_uring_sqe *uring_next_sqe(uring *ring, unsigned wanted);
/** Arms what is to end a wait; false: the queue is full, and that is not all in it. */
bool uring_arm(uring *ring, int64_t deadline_nanoseconds);
/** Queues a drain; false: the kernel takes nothing more. */
bool uring_queue_drain(uring *ring, uint64_t tag);
/** Gives a receive slot back to the kernel. */
void uring_return_slot(uring *ring, uint32_t slot);
/** Fills event_out from a datagram in a slot; false: dropped and counted. */
bool uring_read_datagram(uring *ring, uint32_t slot, int32_t bytes, struct uring_event *event_out);
/** Counts a failed send; false: its address is no longer known. */
bool uring_read_send_failure(uring *ring, uint32_t number, int32_t error, struct uring_event *event_out);

struct uring_address uring_address_from_name(const union ring_name *name);
/** Returns the name's length. IPv4 becomes IPv4-mapped for an IPv6 socket. */
socklen_t uring_name_from_address(union ring_name *name, const struct uring_address *address, bool for_ipv6);

#endif
