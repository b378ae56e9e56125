#include <errno.h>
#include <linux/gpio.h>
#include <string.h>
#include <sys/ioctl.h>

#include "CGPIO.h"

_Static_assert(GPIO_NAME_BYTES == GPIO_MAX_NAME_SIZE, "the kernel's length of names");
_Static_assert(sizeof(struct gpio_v2_line_event) == GPIO_EVENT_BYTES, "the kernel's event");

static const struct {
  uint64_t flag;
  uint32_t bit;
} bits_of_flags[] = {
  {GPIO_V2_LINE_FLAG_USED, GPIO_IS_USED},
  {GPIO_V2_LINE_FLAG_OUTPUT, GPIO_IS_OUTPUT},
  {GPIO_V2_LINE_FLAG_ACTIVE_LOW, GPIO_IS_ACTIVE_LOW},
  {GPIO_V2_LINE_FLAG_BIAS_PULL_UP, GPIO_PULL_UP},
  {GPIO_V2_LINE_FLAG_BIAS_PULL_DOWN, GPIO_PULL_DOWN},
  {GPIO_V2_LINE_FLAG_BIAS_DISABLED, GPIO_PULL_NONE},
};

enum { FLAG_COUNT = sizeof bits_of_flags / sizeof bits_of_flags[0] };

static int32_t outcome(int result) { return result < 0 ? -errno : 0; }

int32_t gpio_chip(int32_t chip, struct gpio_chip *chip_out) {
  struct gpiochip_info info = {0};
  int32_t result = outcome(ioctl(chip, GPIO_GET_CHIPINFO_IOCTL, &info));
  *chip_out = (struct gpio_chip){.line_count = info.lines};
  memcpy(chip_out->label, info.label, GPIO_NAME_BYTES - 1);
  return result;
}

int32_t gpio_line(int32_t chip, uint32_t offset, struct gpio_line *line_out) {
  struct gpio_v2_line_info info = {.offset = offset};
  int32_t result = outcome(ioctl(chip, GPIO_V2_GET_LINEINFO_IOCTL, &info));
  *line_out = (struct gpio_line){0};
  memcpy(line_out->name, info.name, GPIO_NAME_BYTES - 1);
  memcpy(line_out->consumer, info.consumer, GPIO_NAME_BYTES - 1);
  for (int i = 0; i < FLAG_COUNT; i++) {
    if (info.flags & bits_of_flags[i].flag) line_out->bits |= bits_of_flags[i].bit;
  }
  return result;
}

int32_t gpio_request(int32_t chip, uint32_t offset, uint32_t bits, const char *consumer) {
  struct gpio_v2_line_request request = {.num_lines = 1, .offsets = {offset}};
  strncpy(request.consumer, consumer, GPIO_NAME_BYTES - 1);
  for (int i = 0; i < FLAG_COUNT; i++) {
    if (bits & bits_of_flags[i].bit) request.config.flags |= bits_of_flags[i].flag;
  }
  request.config.flags &= ~(uint64_t)GPIO_V2_LINE_FLAG_USED;
  if (!(bits & GPIO_IS_OUTPUT)) {
    request.config.flags |=
      GPIO_V2_LINE_FLAG_INPUT | GPIO_V2_LINE_FLAG_EDGE_RISING | GPIO_V2_LINE_FLAG_EDGE_FALLING;
  }
  int32_t result = outcome(ioctl(chip, GPIO_V2_GET_LINE_IOCTL, &request));
  return result < 0 ? result : request.fd;
}

int32_t gpio_is_active(int32_t line) {
  struct gpio_v2_line_values values = {.mask = 1};
  int32_t result = outcome(ioctl(line, GPIO_V2_LINE_GET_VALUES_IOCTL, &values));
  return result < 0 ? result : (int32_t)(values.bits & 1);
}

int32_t gpio_set(int32_t line, int32_t is_active) {
  struct gpio_v2_line_values values = {.mask = 1, .bits = is_active != 0};
  return outcome(ioctl(line, GPIO_V2_LINE_SET_VALUES_IOCTL, &values));
}

struct gpio_edge gpio_decode(const uint8_t *bytes) {
  struct gpio_v2_line_event event;
  memcpy(&event, bytes, sizeof event);
  // The kernel calls the edge to active rising, also of a line that is active low.
  int32_t is_active = event.id == GPIO_V2_LINE_EVENT_RISING_EDGE    ? 1
                      : event.id == GPIO_V2_LINE_EVENT_FALLING_EDGE ? 0
                                                                    : -1;
  return (struct gpio_edge){
    .nanoseconds = (int64_t)(event.timestamp_ns & INT64_MAX),
    .is_active = is_active,
    .number = event.line_seqno,
  };
}

void gpio_encode(struct gpio_edge edge, uint8_t *bytes_out) {
  struct gpio_v2_line_event event = {
    .timestamp_ns = (uint64_t)edge.nanoseconds,
    .id = edge.is_active == 1   ? GPIO_V2_LINE_EVENT_RISING_EDGE
          : edge.is_active == 0 ? GPIO_V2_LINE_EVENT_FALLING_EDGE
                                : 0,
    .seqno = edge.number,
    .line_seqno = edge.number,
  };
  memcpy(bytes_out, &event, sizeof event);
}
