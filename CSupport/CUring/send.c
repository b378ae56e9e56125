#include "ring.h"

uint8_t *uring_packet_memory(uring *ring) {
  if (ring->packet_count == URING_PACKET_SLOTS) {
    ring_count(&ring->counters.packet_shortages, 1);
    return NULL;
  }
  return ring->packets + (size_t)ring->packet_count * RING_PACKET_STRIDE;
}

uint32_t uring_packet_commit(uring *ring, uint32_t byte_count) {
  ring->packet_bytes[ring->packet_count] = byte_count;
  return ring->packet_count++;
}

uint64_t uring_generation(const uring *ring) { return ring->generation; }

void uring_send(uring *ring, uint32_t packet, const struct uring_address *to) {
  struct io_uring_sqe *sqe = uring_next_sqe(ring, 1);
  if (!sqe) {
    ring_count(&ring->counters.sends_full, 1);
    return;
  }
  uint32_t number = ring->send_number++;
  struct ring_send *send = &ring->sends[number % URING_SENDS];
  send->number = number;
  send->vector.iov_base = ring->packets + (size_t)packet * RING_PACKET_STRIDE;
  send->vector.iov_len = ring->packet_bytes[packet];
  send->header = (struct msghdr){
      .msg_name = &send->name,
      .msg_namelen = uring_name_from_address(&send->name, to, ring->socket_is_ipv6),
      .msg_iov = &send->vector,
      .msg_iovlen = 1,
  };
  io_uring_prep_sendmsg(sqe, ring->socket_fd, &send->header, MSG_DONTWAIT | MSG_NOSIGNAL);
  sqe->flags |= IOSQE_CQE_SKIP_SUCCESS;
  sqe->user_data = TAG_SEND | number;
  ring_count(&ring->counters.sends, 1);
  ring_count(&ring->counters.send_bytes, send->vector.iov_len);
}

static _Atomic uint64_t *send_failure_counter(uring *ring, int32_t error) {
  switch (error) {
    case EAGAIN: case ENOBUFS: case ENOMEM: return &ring->counters.sends_full;
    case ECONNREFUSED: case ENETUNREACH: case EHOSTUNREACH: case ENETDOWN: case EHOSTDOWN:
      return &ring->counters.sends_unreachable;
    default: return &ring->counters.sends_refused;
  }
}

bool uring_read_send_failure(uring *ring, uint32_t number, int32_t error, struct uring_event *event_out) {
  struct ring_send *send = &ring->sends[number % URING_SENDS];
  ring_count(send_failure_counter(ring, error), 1);
  ring_count(&ring->counters.sends_failed, 1);
  if (send->number != number) return false;
  ring_count(&ring->counters.failed_bytes, send->vector.iov_len);
  event_out->kind = URING_EVENT_SEND_FAILED;
  event_out->error = error;
  event_out->bytes = NULL;
  event_out->byte_count = 0;
  event_out->arrival_nanoseconds = ring->now_nanoseconds;
  event_out->address = uring_address_from_name(&send->name);
  return true;
}
