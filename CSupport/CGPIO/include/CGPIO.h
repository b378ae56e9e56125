#pragma once
/** Lines of GPIO chips by the kernel's character devices (linux/gpio.h, version 2, Linux 5.10). */

#include <stdint.h>

enum {
  /** The octets of a name, its final zero among them (GPIO_MAX_NAME_SIZE). */
  GPIO_NAME_BYTES = 32,
  /** The octets of an event. */
  GPIO_EVENT_BYTES = 48,
};

/** What is told of a line, and how it is asked for: bits. */
enum {
  GPIO_IS_USED = 1 << 0,
  GPIO_IS_OUTPUT = 1 << 1,
  GPIO_IS_ACTIVE_LOW = 1 << 2,
  GPIO_PULL_UP = 1 << 3,
  GPIO_PULL_DOWN = 1 << 4,
  GPIO_PULL_NONE = 1 << 5,
};

/** A chip. */
struct gpio_chip {
  /** Such as pinctrl-bcm2835. */
  char label[GPIO_NAME_BYTES];
  uint32_t line_count;
};

/** A line of a chip. */
struct gpio_line {
  /** Such as GPIO17; empty: it has none. */
  char name[GPIO_NAME_BYTES];
  /** Who uses it; empty: nobody, or nobody who gave a name. */
  char consumer[GPIO_NAME_BYTES];
  /** GPIO_IS_ and GPIO_PULL_ bits. */
  uint32_t bits;
};

/** An edge of a line. */
struct gpio_edge {
  /** When, by CLOCK_MONOTONIC, nanoseconds. */
  int64_t nanoseconds;
  /** 1: the line is active from then on; 0: it is not; -1: no edge at all. */
  int32_t is_active;
  /** The number of the edge among those of its line: a gap tells that some were lost. */
  uint32_t number;
};

/** What a chip is: 0, or -errno. [control] */
int32_t gpio_chip(int32_t chip, struct gpio_chip *chip_out);

/** What a line of a chip is: 0, or -errno. [control] */
int32_t gpio_line(int32_t chip, uint32_t offset, struct gpio_line *line_out);

/**
 * Asks for a line as an input with both edges, or as an output that is not active: a descriptor, or -errno (-EBUSY:
 * it is used, -EINVAL: the chip has no such pull).
 *
 * [control] `bits` are GPIO_IS_OUTPUT, GPIO_IS_ACTIVE_LOW and one of GPIO_PULL_. `consumer` is what others see.
 */
int32_t gpio_request(int32_t chip, uint32_t offset, uint32_t bits, const char *consumer);

/** Whether a line that was asked for is active: 1, 0, or -errno. [loop] */
int32_t gpio_is_active(int32_t line);

/** Makes an output active or not: 0, or -errno. [loop] */
int32_t gpio_set(int32_t line, int32_t is_active);

/** The edge in GPIO_EVENT_BYTES octets as the kernel writes them. [loop] */
struct gpio_edge gpio_decode(const uint8_t *bytes);

/** An edge as the kernel would write it, in GPIO_EVENT_BYTES octets; for tests. [control] */
void gpio_encode(struct gpio_edge edge, uint8_t *bytes_out);
