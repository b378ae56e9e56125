#include "ring.h"

#include <time.h>

/*
 * A chain (chains.c) that fires posts its head and the drain's end, hence the wait for two completions. Two chains at
 * once end it with their heads: they are two wake-ups, and an enter each. Whatever else ends the wait (failed sends,
 * the timer and its update at cross purposes) leaves an end expected or no cause, and costs an extra enter. (Heads that
 * post nothing, and a wait for one completion, do not do: a timer ends any wait, before its drain has begun.)
 *
 * The kernel stops a drain after 33 datagrams (32 retries), or when the receive slots run out: then drain again.
 */
enum { CHAIN_COMPLETIONS = 2, DRAIN_LIMIT_DATAGRAMS = 32, DRAIN_ROUNDS = 16 };
enum { ALERT_PAUSE_NANOSECONDS = 5000000, ALERTS_AT_ONCE = 4 };
enum { SAMPLE_LIMIT_NANOSECONDS = 5000, SAMPLE_ATTEMPTS = 4 };
enum { PAUSE_NANOSECONDS = 1000000 };

static int64_t read_clock(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

/** CLOCK_REALTIME is read between two readings of CLOCK_MONOTONIC, again if the thread was interrupted meanwhile. */
static void sample_clocks(uring *ring) {
  int64_t before, after, realtime;
  unsigned attempts = 0;
  do {
    before = read_clock(CLOCK_MONOTONIC);
    realtime = read_clock(CLOCK_REALTIME);
    after = read_clock(CLOCK_MONOTONIC);
  } while (after - before > SAMPLE_LIMIT_NANOSECONDS && ++attempts < SAMPLE_ATTEMPTS);
  ring->now_nanoseconds = after;
  ring->realtime_offset_nanoseconds = before + (after - before) / 2 - realtime;
}

/** The loop may run at SCHED_FIFO: whoever is to find the kernel some memory needs the processor. */
static void pause_briefly(void) {
  const struct timespec pause = {.tv_nsec = PAUSE_NANOSECONDS};
  nanosleep(&pause, NULL);
}

/** The one place that waits. EINTR is retried here; a lack of kernel memory passes, so the caller just goes round. */
static int enter(uring *ring, unsigned completions) {
  int result;
  do {
    result = io_uring_submit_and_wait(&ring->ring, completions);
    ring_count(&ring->counters.enters, 1);
    if (result == -EINTR) ring_count(&ring->counters.extra_enters, 1);
  } while (result == -EINTR);
  if (result == -EAGAIN) pause_briefly();
  sample_clocks(ring);
  return result == -EAGAIN || result == -EBUSY ? 0 : result;
}

int uring_wait(uring *ring, int64_t deadline_nanoseconds) {
  ring->is_stuck = false;
  bool is_armed = uring_arm(ring, deadline_nanoseconds);
  int result = enter(ring, is_armed ? CHAIN_COMPLETIONS : 0);
  if (result < 0) return result;
  ring->woken_nanoseconds = ring->now_nanoseconds;
  ring->causes = 0;
  ring->drain_rounds = 0;
  ring->is_second_wake = false;
  ring->is_wake_open = true;
  if (io_uring_sq_ready(&ring->ring) == 0) {
    ring->packet_count = 0;
    ring->generation++;
  }
  return 0;
}

static int take_beat(uring *ring, int32_t result) {
  ring->is_beat_armed = false;
  ring->ends_expected++;
  if (result != sizeof ring->wake_value) return result == -ECANCELED || result == -EINTR ? 0 : -EIO;
  uint32_t beats = (uint32_t)ring->wake_value;
  uint32_t signals = (uint32_t)(ring->wake_value >> 32);
  ring_count(&ring->counters.beats, beats);
  ring_count(&ring->counters.signals, signals);
  if (beats > 0) ring->causes |= URING_WOKE_BEAT;
  if (signals > 0) ring->causes |= URING_WOKE_SIGNAL;
  return 0;
}

static void take_deadline(uring *ring) {
  ring->is_deadline_armed = false;
  ring->ends_expected++;
  ring->causes |= URING_WOKE_DEADLINE;
  ring_count(&ring->counters.deadlines, 1);
}

static void take_alert(uring *ring) {
  ring->is_alert_armed = false;
  const int64_t least = ring->now_nanoseconds - (int64_t)(ALERTS_AT_ONCE - 1) * ALERT_PAUSE_NANOSECONDS;
  if (ring->next_alert_nanoseconds < least) ring->next_alert_nanoseconds = least;
  ring->next_alert_nanoseconds += ALERT_PAUSE_NANOSECONDS;
  ring->ends_expected++;
  ring->causes |= URING_WOKE_DATAGRAM;
  ring_count(&ring->counters.alerts, 1);
}

static void end_drain(uring *ring, int32_t result) {
  bool is_cut_short = ring->drained_datagrams >= DRAIN_LIMIT_DATAGRAMS;
  ring->ends_expected--;
  ring->drained_datagrams = 0;
  if (ring->socket_fd < 0 || result == -ECANCELED) return;
  if (result == -ENOBUFS) ring_count(&ring->counters.buffer_shortages, 1);
  if (result < 0 && result != -EAGAIN && result != -ENOBUFS) ring_count(&ring->counters.receive_errors, 1);
  if (is_cut_short || result != -EAGAIN) ring->must_drain_again = true;
}

static bool take_drained(uring *ring, const struct io_uring_cqe *cqe, struct uring_event *event_out) {
  bool is_event = false;
  if (cqe->flags & IORING_CQE_F_BUFFER) {
    uint32_t slot = cqe->flags >> IORING_CQE_BUFFER_SHIFT;
    if (cqe->res >= 0) {
      ring->drained_datagrams++;
      is_event = uring_read_datagram(ring, slot, cqe->res, event_out);
    }
    if (is_event) {
      ring->held_slot = (int32_t)slot;
    } else {
      uring_return_slot(ring, slot);
    }
  }
  if (!(cqe->flags & IORING_CQE_F_MORE)) end_drain(ring, cqe->res);
  return is_event;
}

/** 1: event_out is filled, 0: nothing for the caller, or -errno. */
static int take_completion(uring *ring, const struct io_uring_cqe *cqe, struct uring_event *event_out) {
  if (cqe->user_data >= TAG_SEND) return uring_read_send_failure(ring, (uint32_t)cqe->user_data, -cqe->res, event_out);
  switch (cqe->user_data) {
    case TAG_BEAT: return take_beat(ring, cqe->res);
    case TAG_DEADLINE: take_deadline(ring); return 0;
    case TAG_DEADLINE_UPDATE: return 0;
    case TAG_ALERT: take_alert(ring); return 0;
    default: return take_drained(ring, cqe, event_out);
  }
}

/** Goes to the kernel for what is still to come of this wake-up; false: nothing is. */
static bool must_enter_again(uring *ring) {
  if (ring->ends_expected > 0) return true;
  if (!ring->must_drain_again || ring->drain_rounds == DRAIN_ROUNDS) return false;
  ring->must_drain_again = false;
  ring->drain_rounds++;
  if (!uring_queue_drain(ring, TAG_DRAIN)) return false;
  ring->ends_expected++;
  return true;
}

/** How many chains have fired in this wake-up; a beat and a signal are one. */
static int fired_chains(const uring *ring) {
  return (ring->causes & (URING_WOKE_BEAT | URING_WOKE_SIGNAL) ? 1 : 0) +
         (ring->causes & URING_WOKE_DEADLINE ? 1 : 0) + (ring->causes & URING_WOKE_DATAGRAM ? 1 : 0);
}

/** Counts an enter within a wake-up: the first for two chains that fired at once is the second one's own. */
static void count_further_enter(uring *ring) {
  bool has_fired_twice = fired_chains(ring) > 1;
  if (has_fired_twice && ring->drain_rounds == 0 && !ring->is_second_wake) {
    ring->is_second_wake = true;
    ring_count(&ring->counters.wakes, 1);
  } else {
    ring_count(&ring->counters.extra_enters, 1);
  }
}

static void close_wake(uring *ring) {
  if (!ring->is_wake_open) return;
  ring->is_wake_open = false;
  ring->must_drain_again = false;
  ring_count(ring->causes ? &ring->counters.wakes : &ring->counters.extra_enters, 1);
}

int uring_next_event(uring *ring, struct uring_event *event_out) {
  if (ring->held_slot >= 0) uring_return_slot(ring, (uint32_t)ring->held_slot);
  ring->held_slot = -1;
  for (;;) {
    while (io_uring_cq_ready(&ring->ring) > 0) {
      struct io_uring_cqe *cqe;
      if (io_uring_peek_cqe(&ring->ring, &cqe) < 0) break;
      int result = take_completion(ring, cqe, event_out);
      io_uring_cqe_seen(&ring->ring, cqe);
      if (result != 0) return result;
    }
    if (!must_enter_again(ring)) break;
    count_further_enter(ring);
    int result = enter(ring, 1);
    if (result < 0) return result;
  }
  close_wake(ring);
  return 0;
}

uint32_t uring_causes(const uring *ring) { return ring->causes; }

int64_t uring_woken_nanoseconds(const uring *ring) { return ring->woken_nanoseconds; }
