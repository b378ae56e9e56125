#include "ring.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static const unsigned mode_flags[] = {
    [URING_MODE_DEFERRED] = IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN,
    [URING_MODE_COOPERATIVE] = IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_COOP_TASKRUN,
    [URING_MODE_PLAIN] = 0,
};

/**
 * Orders one ring's last use before the first use of a later one at the same address. The kernel does so anyway, but
 * liburing maps and unmaps by bare system calls, which ThreadSanitizer does not see.
 */
static _Atomic unsigned rings_destroyed;

/** R_DISABLED lets one thread create the ring and another, its single issuer, take it over. */
static int set_up_ring(uring *ring, enum uring_mode mode) {
  int error = -EINVAL;
  for (; mode <= URING_MODE_PLAIN && error == -EINVAL; mode++) {
    struct io_uring_params parameters = {
        .flags = mode_flags[mode] | IORING_SETUP_R_DISABLED | IORING_SETUP_SUBMIT_ALL,
    };
    error = io_uring_queue_init_params(URING_SENDS, &ring->ring, &parameters);
    ring->mode = mode;
  }
  (void)atomic_load_explicit(&rings_destroyed, memory_order_acquire);
  return error;
}

/** There is no probe for multishot recvmsg; SEND_ZC came with the same kernel, 6.0. */
static int check_multishot(uring *ring) {
  struct io_uring_probe *probe = io_uring_get_probe_ring(&ring->ring);
  if (!probe) return -ENOSYS;
  bool has_multishot = io_uring_opcode_supported(probe, IORING_OP_SEND_ZC);
  io_uring_free_probe(probe);
  return has_multishot ? 0 : -ENOSYS;
}

static int map_memory(uring *ring) {
  size_t buffer_bytes = URING_RECEIVE_SLOTS * sizeof(struct io_uring_buf);
  size_t receive_bytes = (size_t)URING_RECEIVE_SLOTS * RING_RECEIVE_STRIDE;
  size_t packet_bytes = (size_t)URING_PACKET_SLOTS * RING_PACKET_STRIDE;
  ring->memory_bytes = buffer_bytes + receive_bytes + packet_bytes + URING_SENDS * sizeof(struct ring_send);
  void *memory = mmap(NULL, ring->memory_bytes, PROT_READ | PROT_WRITE, MAP_ANONYMOUS | MAP_PRIVATE | MAP_POPULATE, -1, 0);
  if (memory == MAP_FAILED) return -errno;
  memset(memory, 0, ring->memory_bytes);
  ring->memory = memory;
  ring->buffers = memory;
  ring->receive_slots = (uint8_t *)memory + buffer_bytes;
  ring->packets = ring->receive_slots + receive_bytes;
  ring->sends = (struct ring_send *)(void *)(ring->packets + packet_bytes);
  return 0;
}

/** io_uring_setup_buf_ring is not in liburing 2.3: registers by hand. */
static int register_buffers(uring *ring) {
  struct io_uring_buf_reg registration = {
      .ring_addr = (uint64_t)(uintptr_t)ring->buffers,
      .ring_entries = URING_RECEIVE_SLOTS,
  };
  int error = io_uring_register_buf_ring(&ring->ring, &registration, 0);
  if (error < 0) return error;
  io_uring_buf_ring_init(ring->buffers);
  for (uint32_t slot = 0; slot < URING_RECEIVE_SLOTS; slot++) uring_return_slot(ring, slot);
  return 0;
}

static int set_up(uring *ring, enum uring_mode mode, enum uring_step *step_out) {
  *step_out = URING_STEP_MEMORY;
  int error = map_memory(ring);
  if (error < 0) return error;
  *step_out = URING_STEP_SETUP;
  if ((error = set_up_ring(ring, mode)) < 0) {
    ring->ring.ring_fd = -1;
    return error;
  }
  *step_out = URING_STEP_MULTISHOT;
  if ((error = check_multishot(ring)) < 0) return error;
  *step_out = URING_STEP_BUFFER_RING;
  return register_buffers(ring);
}

int uring_create(uring **ring_out, const uring_inbox *inbox, enum uring_mode mode, enum uring_step *step_out) {
  *step_out = URING_STEP_MEMORY;
  uring *ring = calloc(1, sizeof *ring);
  if (!ring) return -ENOMEM;
  ring->ring.ring_fd = -1;
  ring->socket_fd = -1;
  ring->held_slot = -1;
  ring->wake_fd = uring_inbox_wake_fd(inbox);
  ring->receive_header = (struct msghdr){.msg_namelen = RING_NAME_BYTES, .msg_controllen = RING_CONTROL_BYTES};
  int error = set_up(ring, mode, step_out);
  if (error < 0) {
    uring_destroy(ring);
    return error;
  }
  *ring_out = ring;
  return 0;
}

void uring_destroy(uring *ring) {
  if (!ring) return;
  atomic_fetch_add_explicit(&rings_destroyed, 1, memory_order_release);
  if (ring->ring.ring_fd >= 0) io_uring_queue_exit(&ring->ring);
  if (ring->socket_fd >= 0) close(ring->socket_fd);
  if (ring->memory) munmap(ring->memory, ring->memory_bytes);
  free(ring);
}

int uring_attach(uring *ring) {
  /* io_uring_enable_rings is declared by liburing 2.3 but not in its shared library. */
  int error = io_uring_register((unsigned)ring->ring.ring_fd, IORING_REGISTER_ENABLE_RINGS, NULL, 0);
  if (error < 0) return error;
  ring->has_registered_ring = io_uring_register_ring_fd(&ring->ring) == 1;
  return 0;
}

void uring_detach(uring *ring) {
  /* What was made in the last wake-up, farewells above all, has not been handed over yet. */
  io_uring_submit(&ring->ring);
  struct io_uring_sync_cancel_reg everything = {
      .fd = -1,
      .flags = IORING_ASYNC_CANCEL_ANY | IORING_ASYNC_CANCEL_ALL,
      .timeout = {.tv_sec = -1, .tv_nsec = -1},
  };
  io_uring_register_sync_cancel(&ring->ring, &everything);
  if (ring->has_registered_ring) io_uring_unregister_ring_fd(&ring->ring);
}

enum uring_mode uring_mode_in_use(const uring *ring) { return ring->mode; }

bool uring_has_registered_ring(const uring *ring) { return ring->has_registered_ring; }
