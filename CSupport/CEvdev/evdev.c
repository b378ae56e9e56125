#include <errno.h>
#include <linux/input.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>

#include "CEvdev.h"

_Static_assert(sizeof(struct input_event) == EVDEV_EVENT_BYTES, "an event of a 64-bit kernel");
_Static_assert(EVDEV_KEY_COUNT == KEY_CNT, "the kernel's number of keys");

struct evdev_event evdev_decode(const uint8_t *bytes) {
  struct input_event event;
  memcpy(&event, bytes, sizeof event);
  // Of a device that lies about the time nothing overflows.
  int64_t seconds = (int64_t)((uint64_t)event.input_event_sec & 0xFFFFFFFF);
  int64_t microseconds = (int64_t)((uint64_t)event.input_event_usec % 1000000);
  return (struct evdev_event){
    .nanoseconds = seconds * 1000000000 + microseconds * 1000,
    .type = event.type,
    .code = event.code,
    .value = event.value,
  };
}

void evdev_encode(struct evdev_event event, uint8_t *bytes_out) {
  struct input_event written = {.type = event.type, .code = event.code, .value = event.value};
  written.input_event_sec = event.nanoseconds / 1000000000;
  written.input_event_usec = event.nanoseconds % 1000000000 / 1000;
  memcpy(bytes_out, &written, sizeof written);
}

static int32_t outcome(int result) { return result < 0 ? -errno : result; }

int32_t evdev_name(int32_t descriptor, char *name_out, uint32_t size) {
  int32_t length = outcome(ioctl(descriptor, EVIOCGNAME(size), name_out));
  if (length >= 0 && size > 0) name_out[size - 1] = 0;
  return length;
}

int32_t evdev_keys(int32_t descriptor, uint8_t *bits_out) {
  memset(bits_out, 0, KEY_CNT / 8);
  int32_t length = outcome(ioctl(descriptor, EVIOCGBIT(EV_KEY, KEY_CNT / 8), bits_out));
  return length < 0 ? length : 0;
}

int32_t evdev_keys_down(int32_t descriptor, uint8_t *bits_out) {
  memset(bits_out, 0, KEY_CNT / 8);
  int32_t length = outcome(ioctl(descriptor, EVIOCGKEY(KEY_CNT / 8), bits_out));
  return length < 0 ? length : 0;
}

int32_t evdev_grab(int32_t descriptor, int32_t is_taken) {
  return outcome(ioctl(descriptor, EVIOCGRAB, (intptr_t)is_taken));
}

int32_t evdev_use_monotonic_clock(int32_t descriptor) {
  int clock = CLOCK_MONOTONIC;
  return outcome(ioctl(descriptor, EVIOCSCLOCKID, &clock));
}
