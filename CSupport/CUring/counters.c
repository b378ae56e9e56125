#include "ring.h"

static uint64_t read_relaxed(const _Atomic uint64_t *counter) {
  return atomic_load_explicit(counter, memory_order_relaxed);
}

void uring_read_counters(const uring *ring, struct uring_counters *counters_out) {
  const struct ring_counters *from = &ring->counters;
  *counters_out = (struct uring_counters){
      .wakes = read_relaxed(&from->wakes),
      .beats = read_relaxed(&from->beats),
      .signals = read_relaxed(&from->signals),
      .deadlines = read_relaxed(&from->deadlines),
      .alerts = read_relaxed(&from->alerts),
      .enters = read_relaxed(&from->enters),
      .extra_enters = read_relaxed(&from->extra_enters),
      .early_submits = read_relaxed(&from->early_submits),
      .datagrams_in = read_relaxed(&from->datagrams_in),
      .bytes_in = read_relaxed(&from->bytes_in),
      .datagrams_out = read_relaxed(&from->sends) - read_relaxed(&from->sends_failed),
      .bytes_out = read_relaxed(&from->send_bytes) - read_relaxed(&from->failed_bytes),
      .oversized = read_relaxed(&from->oversized),
      .truncated = read_relaxed(&from->truncated),
      .malformed = read_relaxed(&from->malformed),
      .kernel_drops = read_relaxed(&from->kernel_drops),
      .receive_errors = read_relaxed(&from->receive_errors),
      .buffer_shortages = read_relaxed(&from->buffer_shortages),
      .sends_full = read_relaxed(&from->sends_full),
      .sends_unreachable = read_relaxed(&from->sends_unreachable),
      .sends_refused = read_relaxed(&from->sends_refused),
      .packet_shortages = read_relaxed(&from->packet_shortages),
  };
}
