#include "ring.h"

#include <string.h>
#include <time.h>

void uring_return_slot(uring *ring, uint32_t slot) {
  uint8_t *memory = ring->receive_slots + (size_t)slot * RING_RECEIVE_STRIDE;
  io_uring_buf_ring_add(ring->buffers, memory, RING_RECEIVE_STRIDE, (unsigned short)slot,
                        io_uring_buf_ring_mask(URING_RECEIVE_SLOTS), 0);
  io_uring_buf_ring_advance(ring->buffers, 1);
}

/** The kernel stamps with CLOCK_REALTIME. A stamp that cannot be (the clock was set meanwhile) becomes now. */
static int64_t arrival_from_stamp(const uring *ring, const struct timespec *stamp) {
  int64_t oldest = ring->now_nanoseconds - (int64_t)10 * 1000000000;
  int64_t realtime = (int64_t)stamp->tv_sec * 1000000000 + stamp->tv_nsec;
  int64_t arrival = realtime + ring->realtime_offset_nanoseconds;
  return arrival > ring->now_nanoseconds || arrival < oldest ? ring->now_nanoseconds : arrival;
}

static void read_control(uring *ring, struct io_uring_recvmsg_out *header, struct uring_event *event_out) {
  struct msghdr *layout = &ring->receive_header;
  struct cmsghdr *item = io_uring_recvmsg_cmsg_firsthdr(header, layout);
  for (; item; item = io_uring_recvmsg_cmsg_nexthdr(header, layout, item)) {
    if (item->cmsg_level != SOL_SOCKET) continue;
    if (item->cmsg_type == SCM_TIMESTAMPNS) {
      struct timespec stamp;
      memcpy(&stamp, CMSG_DATA(item), sizeof stamp);
      event_out->arrival_nanoseconds = arrival_from_stamp(ring, &stamp);
    } else if (item->cmsg_type == SO_RXQ_OVFL) {
      uint32_t overflow;
      memcpy(&overflow, CMSG_DATA(item), sizeof overflow);
      ring_count(&ring->counters.kernel_drops, overflow - ring->overflow_seen);
      ring->overflow_seen = overflow;
    }
  }
}

bool uring_read_datagram(uring *ring, uint32_t slot, int32_t bytes, struct uring_event *event_out) {
  struct msghdr *layout = &ring->receive_header;
  uint8_t *memory = ring->receive_slots + (size_t)slot * RING_RECEIVE_STRIDE;
  struct io_uring_recvmsg_out *header = io_uring_recvmsg_validate(memory, bytes, layout);
  union ring_name name;
  if (!header || header->namelen > sizeof name) {
    ring_count(&ring->counters.malformed, 1);
    return false;
  }
  event_out->arrival_nanoseconds = ring->now_nanoseconds;
  read_control(ring, header, event_out);
  uint32_t byte_count = io_uring_recvmsg_payload_length(header, bytes, layout);
  if (header->flags & MSG_TRUNC) {
    ring_count(&ring->counters.truncated, 1);
    return false;
  }
  if (byte_count > URING_PAYLOAD_BYTES) {
    ring_count(&ring->counters.oversized, 1);
    return false;
  }
  memset(&name, 0, sizeof name);
  memcpy(&name, io_uring_recvmsg_name(header), header->namelen);
  event_out->kind = URING_EVENT_DATAGRAM;
  event_out->error = 0;
  event_out->bytes = io_uring_recvmsg_payload(header, layout);
  event_out->byte_count = byte_count;
  event_out->address = uring_address_from_name(&name);
  ring_count(&ring->counters.datagrams_in, 1);
  ring_count(&ring->counters.bytes_in, byte_count);
  return true;
}
