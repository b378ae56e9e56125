/* A foot switch of the kernel's own making, by uinput, with the one key KEY_B: press-key NAME.
 * Each line of standard input works it: "down" and "up" bounce as a contact does, seven and five edges at once;
 * it is unplugged when standard input ends. */
#include <fcntl.h>
#include <linux/input.h>
#include <linux/uinput.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { KEY = KEY_B, DOWN_EDGES = 7, UP_EDGES = 5 };

static int plug(const char *name) {
  const int device = open("/dev/uinput", O_WRONLY | O_CLOEXEC);
  if (device < 0) return -1;
  struct uinput_setup setup = {.id = {.bustype = BUS_USB, .vendor = 1, .product = 1, .version = 1}};
  snprintf(setup.name, sizeof setup.name, "%s", name);
  if (ioctl(device, UI_SET_EVBIT, EV_KEY) < 0 || ioctl(device, UI_SET_KEYBIT, KEY) < 0 ||
      ioctl(device, UI_DEV_SETUP, &setup) < 0 || ioctl(device, UI_DEV_CREATE) < 0)
    return -1;
  return device;
}

static int say(int device, unsigned short type, unsigned short code, int value) {
  const struct input_event event = {.type = type, .code = code, .value = value};
  return write(device, &event, sizeof event) == (ssize_t)sizeof event ? 0 : -1;
}

/* So many edges, the first and the last of which are to the new position. */
static int move(int device, int is_down, int edges) {
  for (int edge = 0; edge < edges; edge++) {
    const int value = edge % 2 == 0 ? is_down : !is_down;
    if (say(device, EV_KEY, KEY, value) < 0 || say(device, EV_SYN, SYN_REPORT, 0) < 0) return -1;
  }
  return 0;
}

int main(int count, char **words) {
  if (count != 2) return 64;
  const int device = plug(words[1]);
  if (device < 0) {
    perror("press-key: /dev/uinput");
    return 1;
  }
  char line[16];
  int result = 0;
  while (result == 0 && fgets(line, sizeof line, stdin))
    result = strcmp(line, "down\n") == 0 ? move(device, 1, DOWN_EDGES) : move(device, 0, UP_EDGES);
  if (result < 0) perror("press-key");
  return result < 0;
}
