/* Control: what there is to be a client of, whatever becomes of the engine's own client. */
#define _GNU_SOURCE
#include "CRealtime.h"

#include <jack/jack.h>
#include <time.h>

enum { LOOKS = 50, LOOK_NANOSECONDS = 20000000 };

const char *rt_jack_version(void) {
  return jack_get_version_string();
}

/** Whether the server's frame time goes on. */
static bool runs(const jack_client_t *client) {
  const struct timespec pause = {.tv_nsec = LOOK_NANOSECONDS};
  /* In a client of PipeWire's it stands at 0 until its first period. */
  const jack_nframes_t before = jack_last_frame_time(client);
  for (int look = 0; look < LOOKS; look++) {
    nanosleep(&pause, NULL);
    if (jack_last_frame_time(client) != before) return true;
  }
  return false;
}

bool rt_server_runs(const char *server_name, const char *client_name) {
  jack_status_t status = 0;
  jack_client_t *client = jack_client_open(client_name, JackNoStartServer | JackServerName, &status, server_name);
  if (client == NULL) return false;
  const bool is_running = jack_activate(client) == 0 && runs(client);
  jack_client_close(client);
  return is_running;
}
