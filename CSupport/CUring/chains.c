#include "ring.h"

#include <poll.h>

/*
 * What ends a wait. Two chains are always armed:
 *   BEAT      READ(eventfd)      -LINK-> drain
 *   DEADLINE  TIMEOUT(absolute)  -LINK-> drain
 * and a third when asked for, once:
 *   ALERT     POLL(socket)       -LINK-> drain
 * A drain is a multishot RECVMSG with MSG_DONTWAIT: it posts one completion a datagram and a last one without F_MORE,
 * inline and at once. As it starts only when its chain fires, arriving datagrams wake nobody.
 */
enum { DEADLINE_SLACK_NANOSECONDS = 20000, SUBMIT_TRIES = 3 };

struct io_uring_sqe *uring_next_sqe(uring *ring, unsigned wanted) {
  for (unsigned tries = 0; io_uring_sq_space_left(&ring->ring) < wanted; tries++) {
    ring->is_stuck = ring->is_stuck || tries == SUBMIT_TRIES;
    if (ring->is_stuck) return NULL;
    io_uring_submit(&ring->ring);
    ring_count(&ring->counters.enters, 1);
    ring_count(&ring->counters.early_submits, 1);
  }
  return io_uring_get_sqe(&ring->ring);
}

bool uring_queue_drain(uring *ring, uint64_t tag) {
  struct io_uring_sqe *sqe = uring_next_sqe(ring, 1);
  if (!sqe) return false;
  if (ring->socket_fd < 0) {
    io_uring_prep_nop(sqe);
  } else {
    io_uring_prep_recvmsg_multishot(sqe, ring->socket_fd, &ring->receive_header, MSG_DONTWAIT);
    sqe->flags |= IOSQE_BUFFER_SELECT;
    sqe->buf_group = 0;
  }
  sqe->user_data = tag;
  return true;
}

static void arm_beat(uring *ring) {
  struct io_uring_sqe *sqe = uring_next_sqe(ring, 2);
  if (!sqe) return;
  io_uring_prep_read(sqe, ring->wake_fd, &ring->wake_value, sizeof ring->wake_value, 0);
  sqe->flags |= IOSQE_IO_LINK;
  sqe->user_data = TAG_BEAT;
  ring->is_beat_armed = uring_queue_drain(ring, TAG_BEAT_DRAIN);
}

static void arm_alert(uring *ring) {
  struct io_uring_sqe *sqe = uring_next_sqe(ring, 2);
  if (!sqe) return;
  io_uring_prep_poll_add(sqe, ring->socket_fd, POLLIN);
  sqe->flags |= IOSQE_IO_LINK;
  sqe->user_data = TAG_ALERT;
  ring->is_alert_armed = uring_queue_drain(ring, TAG_ALERT_DRAIN);
}

/** INT64_MAX is some 292 years after boot: the timer stays armed when there is no deadline. */
static void set_deadline(uring *ring, int64_t nanoseconds) {
  int64_t positive = nanoseconds > 0 ? nanoseconds : 1;
  ring->deadline_nanoseconds = nanoseconds;
  ring->deadline_time.tv_sec = positive / 1000000000;
  ring->deadline_time.tv_nsec = positive % 1000000000;
}

static void arm_deadline(uring *ring, int64_t nanoseconds) {
  struct io_uring_sqe *sqe = uring_next_sqe(ring, 2);
  if (!sqe) return;
  set_deadline(ring, nanoseconds);
  io_uring_prep_timeout(sqe, &ring->deadline_time, 0, IORING_TIMEOUT_ABS | IORING_TIMEOUT_ETIME_SUCCESS);
  sqe->flags |= IOSQE_IO_LINK;
  sqe->user_data = TAG_DEADLINE;
  ring->is_deadline_armed = uring_queue_drain(ring, TAG_DEADLINE_DRAIN);
}

/** Fails with ENOENT or EALREADY when the timer has just fired: then its own completions are on the way. */
static void move_deadline(uring *ring, int64_t nanoseconds) {
  struct io_uring_sqe *sqe = uring_next_sqe(ring, 1);
  if (!sqe) return;
  set_deadline(ring, nanoseconds);
  io_uring_prep_timeout_update(sqe, &ring->deadline_time, TAG_DEADLINE, IORING_TIMEOUT_ABS);
  sqe->flags |= IOSQE_CQE_SKIP_SUCCESS;
  sqe->user_data = TAG_DEADLINE_UPDATE;
}

/** Moving a timer costs a system's timer twice, and now and then comes too late: not for less than it is exact to. */
static bool is_apart(int64_t nanoseconds, int64_t other_nanoseconds) {
  int64_t low = nanoseconds < other_nanoseconds ? nanoseconds : other_nanoseconds;
  int64_t high = nanoseconds < other_nanoseconds ? other_nanoseconds : nanoseconds;
  return (uint64_t)high - (uint64_t)low > DEADLINE_SLACK_NANOSECONDS;
}

/** Arms the alert if it is wanted and may come; returns until when to wait at most. */
static int64_t follow_alert(uring *ring, int64_t deadline_nanoseconds) {
  const bool is_wanted = ring->is_alert_wanted && !ring->is_alert_armed && ring->socket_fd >= 0;
  ring->is_alert_wanted = false;
  if (!is_wanted) return deadline_nanoseconds;
  const int64_t earliest = ring->next_alert_nanoseconds;
  if (ring->now_nanoseconds < earliest) return deadline_nanoseconds < earliest ? deadline_nanoseconds : earliest;
  arm_alert(ring);
  return deadline_nanoseconds;
}

void uring_wake_on_datagram(uring *ring) { ring->is_alert_wanted = true; }

bool uring_arm(uring *ring, int64_t deadline_nanoseconds) {
  if (!ring->is_beat_armed) arm_beat(ring);
  deadline_nanoseconds = follow_alert(ring, deadline_nanoseconds);
  if (!ring->is_deadline_armed) {
    arm_deadline(ring, deadline_nanoseconds);
  } else if (is_apart(deadline_nanoseconds, ring->deadline_nanoseconds)) {
    move_deadline(ring, deadline_nanoseconds);
  }
  return !ring->is_stuck;
}
