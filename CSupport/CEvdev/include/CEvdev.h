#pragma once
/** Input devices of the kernel (linux/input.h, Documentation/input/input.rst): foot switches, macro pads, headsets. */

#include <stdint.h>

/** An event of a device, as read(2) delivers it. */
struct evdev_event {
  /** When it happened, on the device's clock, nanoseconds. */
  int64_t nanoseconds;
  uint16_t type;
  uint16_t code;
  int32_t value;
};

/** The types and codes that matter here (input-event-codes.h). */
enum {
  EVDEV_SYNC = 0x00,
  EVDEV_KEY = 0x01,
  EVDEV_SYNC_REPORT = 0,
  EVDEV_SYNC_DROPPED = 3,
  /** One more than the highest code of a key. */
  EVDEV_KEY_COUNT = 0x300,
  /** The octets of an event. */
  EVDEV_EVENT_BYTES = 24,
};

/** The event in EVDEV_EVENT_BYTES octets as the kernel writes them. [loop] */
struct evdev_event evdev_decode(const uint8_t *bytes);

/** An event as the kernel would write it, in EVDEV_EVENT_BYTES octets; for tests. [control] */
void evdev_encode(struct evdev_event event, uint8_t *bytes_out);

/** A device's name, ended by a zero, in `size` octets: its length, or -errno. [control] */
int32_t evdev_name(int32_t descriptor, char *name_out, uint32_t size);

/** Which keys a device has, a bit each, in EVDEV_KEY_COUNT / 8 octets: 0, or -errno. [control] */
int32_t evdev_keys(int32_t descriptor, uint8_t *bits_out);

/** Which keys of a device are down, a bit each, in EVDEV_KEY_COUNT / 8 octets: 0, or -errno. [loop] */
int32_t evdev_keys_down(int32_t descriptor, uint8_t *bits_out);

/** Takes a device for this process alone (1), or gives it back (0): 0, or -errno (-EBUSY: another has it). [control] */
int32_t evdev_grab(int32_t descriptor, int32_t is_taken);

/** Has events counted by CLOCK_MONOTONIC: 0, or -errno. [control] */
int32_t evdev_use_monotonic_clock(int32_t descriptor);

/** The name of a key, such as KEY_PLAYPAUSE; NULL: it has none here. [control] */
const char *evdev_key_name(uint16_t code);
