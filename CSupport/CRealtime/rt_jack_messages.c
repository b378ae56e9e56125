#include "rt_jack_messages.h"

#include "CRealtime.h"

#include <jack/jack.h>
#include <stdatomic.h>
#include <string.h>

enum { LINE_COUNT = 32, LINE_BYTES = 192 };

/* libjack prints from any of its threads, the audio thread included, so the lock is only ever tried there: a line that
   meets another one is dropped. */
static atomic_flag busy = ATOMIC_FLAG_INIT;
static char lines[LINE_COUNT][LINE_BYTES];
static uint32_t first_line, line_count;

static void keep_line(const char *line) {
  if (atomic_flag_test_and_set_explicit(&busy, memory_order_acquire)) return;
  const size_t bytes = strcspn(line, "\n");
  if (line_count < LINE_COUNT && bytes > 0) {
    char *place = lines[(first_line + line_count) % LINE_COUNT];
    const size_t kept = bytes < LINE_BYTES - 1 ? bytes : LINE_BYTES - 1;
    memcpy(place, line, kept);
    place[kept] = '\0';
    line_count++;
  }
  atomic_flag_clear_explicit(&busy, memory_order_release);
}

void rt_jack_messages_install(void) {
  jack_set_error_function(keep_line);
  jack_set_info_function(keep_line);
}

int rt_take_jack_message(char *text, uint32_t capacity) {
  if (atomic_flag_test_and_set_explicit(&busy, memory_order_acquire)) return 0;
  int bytes = 0;
  if (line_count > 0) {
    const char *line = lines[first_line];
    const size_t length = strlen(line);
    bytes = (int)(length < capacity ? length : capacity);
    memcpy(text, line, (size_t)bytes);
    first_line = (first_line + 1) % LINE_COUNT;
    line_count--;
  }
  atomic_flag_clear_explicit(&busy, memory_order_release);
  return bytes;
}
