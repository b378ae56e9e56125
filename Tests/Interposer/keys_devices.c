/*
 * Input devices and a GPIO chip that are files, for LD_PRELOAD: what the kernel would answer comes from a folder.
 *
 * COMLINK_FAKE names it. Below it dev/input/eventN and lines/N (inputs) are FIFOs that a test writes events into;
 * names/eventN is a device's name, grabbed/eventN appears when it is taken, lines/N of an output gets a digit each time
 * it is set, level/N is what an input says when it is asked, and level/eventN the code of the key that is down.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/gpio.h>
#include <linux/input.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/** A path below the folder. */
static void place(char *path, size_t size, const char *folder, const char *name) {
  snprintf(path, size, "%s/%s/%s", getenv("COMLINK_FAKE"), folder, name);
}

static int read_text(const char *folder, const char *name, char *text, size_t size) {
  char path[512];
  place(path, sizeof path, folder, name);
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return -1;
  ssize_t count = read(file, text, size - 1);
  close(file);
  text[count < 0 ? 0 : count] = 0;
  return count < 0 ? -1 : (int)count;
}

/** The last part of a descriptor's path. */
static const char *name_of(int descriptor, char *path, size_t size) {
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  ssize_t count = readlink(link, path, size - 1);
  if (count < 0) return "";
  path[count] = 0;
  const char *slash = strrchr(path, '/');
  return slash == NULL ? path : slash + 1;
}

static int input(const char *device, unsigned long request, void *argument) {
  unsigned number = _IOC_NR(request), size = _IOC_SIZE(request);
  char path[512];
  switch (number) {
  case 0x06: return read_text("names", device, argument, size);
  case 0x18: {
    char text[16];
    // Unplugged, though its FIFO is open still.
    if (strstr(device, " (deleted)") != NULL) {
      errno = ENODEV;
      return -1;
    }
    memset(argument, 0, size);
    int code = read_text("level", device, text, sizeof text) > 0 ? atoi(text) : 0;
    if (code > 0 && (unsigned)code / 8 < size) ((unsigned char *)argument)[code / 8] |= 1 << code % 8;
    return (int)size;
  }
  case 0x21: memset(argument, 0xFF, size); return (int)size;
  case 0x90:
    place(path, sizeof path, "grabbed", device);
    if (argument == NULL) return unlink(path);
    close(open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644));
    return 0;
  case 0xa0: return 0;
  default: errno = EINVAL; return -1;
  }
}

static int request_line(struct gpio_v2_line_request *request) {
  char path[512], name[16];
  snprintf(name, sizeof name, "%u", request->offsets[0]);
  place(path, sizeof path, "lines", name);
  int is_output = (request->config.flags & GPIO_V2_LINE_FLAG_OUTPUT) != 0;
  request->fd = open(path, (is_output ? O_RDWR | O_CREAT | O_APPEND : O_RDONLY | O_NONBLOCK) | O_CLOEXEC, 0644);
  return request->fd < 0 ? -1 : 0;
}

static int gpio(const char *name, unsigned long request, void *argument) {
  char text[16];
  switch (request) {
  case GPIO_GET_CHIPINFO_IOCTL: {
    struct gpiochip_info *info = argument;
    *info = (struct gpiochip_info){.label = "fake-pins", .lines = 28};
    return 0;
  }
  case GPIO_V2_GET_LINEINFO_IOCTL: {
    struct gpio_v2_line_info *info = argument;
    snprintf(info->name, sizeof info->name, "GPIO%u", info->offset);
    return 0;
  }
  case GPIO_V2_GET_LINE_IOCTL: return request_line(argument);
  case GPIO_V2_LINE_GET_VALUES_IOCTL: {
    struct gpio_v2_line_values *values = argument;
    values->bits = read_text("level", name, text, sizeof text) > 0 && text[0] == '1';
    return 0;
  }
  case GPIO_V2_LINE_SET_VALUES_IOCTL: {
    struct gpio_v2_line_values *values = argument;
    return values->bits & 1 ? 1 : 0;
  }
  default: errno = EINVAL; return -1;
  }
}

int ioctl(int descriptor, unsigned long request, ...) {
  va_list arguments;
  va_start(arguments, request);
  void *argument = va_arg(arguments, void *);
  va_end(arguments);
  char path[512];
  if (_IOC_TYPE(request) == 'E') return input(name_of(descriptor, path, sizeof path), request, argument);
  if (_IOC_TYPE(request) == 0xB4) {
    int result = gpio(name_of(descriptor, path, sizeof path), request, argument);
    if (request != GPIO_V2_LINE_SET_VALUES_IOCTL) return result;
    return write(descriptor, result ? "1" : "0", 1) == 1 ? 0 : -1;
  }
  return (int)syscall(SYS_ioctl, descriptor, request, argument);
}
