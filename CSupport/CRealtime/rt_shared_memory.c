/* Control: shared memory. */
#define _GNU_SOURCE
#include "rt_shared_memory.h"

#include <errno.h>
#include <stddef.h>
#include <sys/mman.h>
#include <unistd.h>

/** Place and size of all that is shared. */
static const size_t parts[] = {
    sizeof(struct rt_shared),
    sizeof(struct rt_peer),
    sizeof(struct rt_level),
    offsetof(struct rt_shared, input_count),
    offsetof(struct rt_shared, wake_threshold_frames),
    offsetof(struct rt_shared, active_slots),
    offsetof(struct rt_shared, wanted_source),
    offsetof(struct rt_shared, sidetone),
    offsetof(struct rt_shared, open_buses),
    offsetof(struct rt_shared, place_changes),
    offsetof(struct rt_shared, places),
    sizeof(struct rt_place_shared),
    offsetof(struct rt_shared, ear),
    offsetof(struct rt_ear_shared, talk_dims),
    offsetof(struct rt_ear_shared, volume),
    offsetof(struct rt_ear_shared, ceiling),
    offsetof(struct rt_ear_shared, is_talking),
    offsetof(struct rt_ear_shared, is_tracking),
    offsetof(struct rt_shared, cycle),
    offsetof(struct rt_cycle_lock, count),
    offsetof(struct rt_cycle_lock, start_nanoseconds),
    offsetof(struct rt_cycle_lock, next_nanoseconds),
    offsetof(struct rt_cycle_lock, callback_nanoseconds),
    offsetof(struct rt_cycle_lock, frame_time),
    offsetof(struct rt_cycle_lock, period_frames),
    offsetof(struct rt_cycle_lock, sample_rate),
    offsetof(struct rt_shared, callbacks),
    offsetof(struct rt_shared, capture_overruns),
    offsetof(struct rt_shared, refused_periods),
    offsetof(struct rt_shared, missed_periods),
    offsetof(struct rt_shared, callback_total_nanoseconds),
    offsetof(struct rt_shared, callback_max_nanoseconds),
    offsetof(struct rt_shared, xruns),
    offsetof(struct rt_shared, period_changes),
    offsetof(struct rt_shared, rate_changes),
    offsetof(struct rt_shared, is_freewheeling),
    offsetof(struct rt_shared, present_source),
    offsetof(struct rt_shared, signal_lost),
    offsetof(struct rt_shared, capture_hole),
    offsetof(struct rt_shared, mic_level),
    offsetof(struct rt_level, mean_square),
    offsetof(struct rt_level, sequence),
    offsetof(struct rt_level, window_peak),
    offsetof(struct rt_shared, wake_nanoseconds),
    offsetof(struct rt_shared, wakes),
    offsetof(struct rt_shared, capture),
    offsetof(struct rt_shared, signal),
    offsetof(struct rt_shared, record),
    offsetof(struct rt_ring_indices, write_index),
    offsetof(struct rt_ring_indices, read_index),
    offsetof(struct rt_ring_indices, errors),
    offsetof(struct rt_shared, peers),
    offsetof(struct rt_peer, state),
    offsetof(struct rt_peer, is_playing),
    offsetof(struct rt_peer, gain),
    offsetof(struct rt_peer, pan),
    offsetof(struct rt_peer, rank),
    offsetof(struct rt_peer, side),
    offsetof(struct rt_peer, underrun_frames),
    offsetof(struct rt_peer, level),
    offsetof(struct rt_shared, buses),
    sizeof(struct rt_bus_shared),
    offsetof(struct rt_bus_shared, state),
    offsetof(struct rt_bus_shared, gains),
    offsetof(struct rt_bus_shared, level),
    offsetof(struct rt_bus_shared, lost_frames),
    offsetof(struct rt_shared, signal_frames),
    offsetof(struct rt_shared, record_frames),
    offsetof(struct rt_shared, capture_samples),
    offsetof(struct rt_shared, peer_frames),
    offsetof(struct rt_shared, bus_samples),
    offsetof(struct rt_shared, side_frames),
};

uint64_t rt_shared_layout(void) {
  /* FNV-1a, a word at a time. */
  uint64_t layout = UINT64_C(0xcbf29ce484222325);
  for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
    layout = (layout ^ parts[i]) * UINT64_C(0x100000001b3);
  }
  return layout;
}

static struct rt_shared *map(int memory_fd) {
  void *memory = mmap(NULL, sizeof(struct rt_shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, memory_fd, 0);
  return memory != MAP_FAILED ? memory : NULL;
}

int rt_shared_create(struct rt_shared **shared) {
  const int memory_fd = memfd_create("comlink-audio", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (memory_fd < 0) return -errno;
  const bool is_sealed =
      ftruncate(memory_fd, sizeof(struct rt_shared)) == 0 && fcntl(memory_fd, F_ADD_SEALS, RT_SHARED_SEALS) == 0;
  *shared = is_sealed ? map(memory_fd) : NULL;
  if (*shared == NULL) {
    const int error = errno;
    close(memory_fd);
    return -error;
  }
  return memory_fd;
}

struct rt_shared *rt_shared_map(int memory_fd) {
  struct rt_shared *shared = map(memory_fd);
  if (shared != NULL) (void)mlock(shared, sizeof *shared);
  return shared;
}

void rt_shared_unmap(struct rt_shared *shared) {
  if (shared != NULL) munmap(shared, sizeof *shared);
}
