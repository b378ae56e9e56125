/* A MIDI device as a JACK client, worked by lines: what a key panel and its lamps are to a node. */
#include <jack/jack.h>
#include <jack/midiport.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "CProbe.h"

enum { CAPACITY = 4096, LONGEST = 8 };

typedef struct message {
  unsigned char bytes[LONGEST];
  size_t count;
} message;

/** Shared by the callback and the lines' loop; an instrument may wait for a moment. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static message sent[CAPACITY], received[CAPACITY];
static size_t sent_count, received_count;
/** Of the periods in which something was sent: when they began, by JACK's clock in microseconds. */
static jack_time_t sent_times[CAPACITY];
static size_t sent_times_count;
static jack_port_t *in_port, *out_port;

/** Notes the period that is computed now. */
static void note_sent(const jack_client_t *client) {
  jack_nframes_t frames;
  jack_time_t start, next;
  float length;
  if (sent_times_count < CAPACITY && jack_get_cycle_times(client, &frames, &start, &next, &length) == 0)
    sent_times[sent_times_count++] = start;
}

static int process(jack_nframes_t frames, void *client) {
  void *in = jack_port_get_buffer(in_port, frames), *out = jack_port_get_buffer(out_port, frames);
  jack_midi_clear_buffer(out);
  pthread_mutex_lock(&lock);
  size_t given = 0;
  while (given < sent_count && jack_midi_event_write(out, 0, sent[given].bytes, sent[given].count) == 0) given++;
  if (given > 0) note_sent(client);
  sent_count -= given;
  memmove(sent, sent + given, sent_count * sizeof *sent);
  for (uint32_t i = 0; i < jack_midi_get_event_count(in) && received_count < CAPACITY; i++) {
    jack_midi_event_t event;
    if (jack_midi_event_get(&event, in, i) != 0 || event.size > LONGEST) continue;
    memcpy(received[received_count].bytes, event.buffer, event.size);
    received[received_count++].count = event.size;
  }
  pthread_mutex_unlock(&lock);
  return 0;
}

/** Adds "90 3c 64, 80 3c 0" to what is sent in the next period. */
static void send_all(char *text) {
  pthread_mutex_lock(&lock);
  char *rest = NULL;
  for (char *part = strtok_r(text, ",", &rest); part && sent_count < CAPACITY; part = strtok_r(NULL, ",", &rest)) {
    message *next = &sent[sent_count++];
    next->count = 0;
    for (char *end = part; next->count < LONGEST; part = end) {
      const unsigned long byte = strtoul(part, &end, 16);
      if (end == part) break;
      next->bytes[next->count++] = (unsigned char)byte;
    }
  }
  pthread_mutex_unlock(&lock);
}

static void answer_received(void) {
  pthread_mutex_lock(&lock);
  printf("ok");
  for (size_t i = 0; i < received_count; i++) {
    printf("\t");
    for (size_t k = 0; k < received[i].count; k++) printf(k > 0 ? " %02x" : "%02x", received[i].bytes[k]);
  }
  received_count = 0;
  pthread_mutex_unlock(&lock);
  printf("\n");
}

static void answer_sent_times(void) {
  pthread_mutex_lock(&lock);
  printf("ok");
  for (size_t i = 0; i < sent_times_count; i++) printf("\t%llu", (unsigned long long)sent_times[i]);
  sent_times_count = 0;
  pthread_mutex_unlock(&lock);
  printf("\n");
}

int rig_midi_serve(const char *server, const char *name) {
  jack_client_t *client =
      jack_client_open(name, JackNoStartServer | JackUseExactName | JackServerName, NULL, server);
  if (!client) return 1;
  in_port = jack_port_register(client, "lamps", JACK_DEFAULT_MIDI_TYPE, JackPortIsInput, 0);
  out_port = jack_port_register(client, "keys", JACK_DEFAULT_MIDI_TYPE, JackPortIsOutput, 0);
  jack_set_process_callback(client, process, client);
  if (!in_port || !out_port || jack_activate(client) != 0) return 1;
  static char line[1 << 16];
  setvbuf(stdout, NULL, _IOLBF, 0);
  printf("ok\n");
  while (fgets(line, sizeof line, stdin)) {
    char *from = strtok(line, "\t\n"), *to = NULL;
    if (!from) continue;
    if (strcmp(from, "take") == 0) {
      answer_received();
      continue;
    }
    if (strcmp(from, "times") == 0) {
      answer_sent_times();
      continue;
    }
    int error = 0;
    if (strcmp(from, "send") == 0) {
      send_all(strtok(NULL, "\n"));
    } else if (strcmp(from, "connect") == 0) {
      from = strtok(NULL, "\t\n"), to = strtok(NULL, "\t\n");
      error = jack_connect(client, from, to);
    } else if (strcmp(from, "disconnect") == 0) {
      from = strtok(NULL, "\t\n"), to = strtok(NULL, "\t\n");
      error = jack_disconnect(client, from, to);
    } else if (strcmp(from, "blink") == 0) {
      from = strtok(NULL, "\t\n"), to = strtok(NULL, "\t\n");
      error = jack_disconnect(client, from, to);
      if (error == 0) error = jack_connect(client, from, to);
    }
    printf(error == 0 ? "ok\n" : "error\t%d\n", error);
  }
  jack_client_close(client);
  return 0;
}
