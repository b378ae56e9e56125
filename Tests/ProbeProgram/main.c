/*
 * One probe in a process of its own, told what to do by lines on stdin.
 *
 * libjack keeps the graph of one server per process, so clients of two servers need two processes.
 *
 *   comlink-probe SERVER CLIENT MODE INPUTS OUTPUTS RECORD-SECONDS OPEN-SECONDS
 *
 * MODE is 0, 1 or 2 (rig_probe_mode); opening is tried again for OPEN-SECONDS. The first line out is the
 * answer to the opening. Every line in gets one line out: "ok" and values, or "error ERRNO". Words are
 * separated by tabs, since port names have spaces. End of input ends the program.
 *
 *   source OUTPUT LOOPS FILE   FILE holds 32-bit floats
 *   connect FROM TO            disconnect FROM TO       has PORT -> 0|1      ports -> NAME ...
 *   start                      stop
 *   counts -> ALIVE XRUNS SKIPS PERIODS RECORDED
 *   audible -> CYCLES AUDIBLE ...   the second once for each input
 *   save FILE                  the log of cycles (rig_period) and each input's floats, as counted in
 *                              the answer: PERIODS RECORDED
 */
#define _GNU_SOURCE /* strsep */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "CProbe.h"

enum { MAXIMUM_WORDS = 4, LINE_BYTES = 4096, NAMES_BYTES = 65536 };

static int open_within(char **arguments, rig_probe **probe) {
  const struct timespec pause = {.tv_nsec = 20000000};
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  double end = (double)now.tv_sec + atof(arguments[7]);
  for (;;) {
    int error = 0;
    *probe = rig_probe_create(arguments[1], arguments[2], (rig_probe_mode)atoi(arguments[3]),
                              (unsigned)atoi(arguments[4]), (unsigned)atoi(arguments[5]),
                              atof(arguments[6]), &error);
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (*probe || error != -ENOTCONN || (double)now.tv_sec >= end) return error;
    nanosleep(&pause, NULL);
  }
}

static int load_source(rig_probe *probe, char **words) {
  FILE *file = fopen(words[3], "rb");
  if (!file) return -errno;
  int error = -EIO;
  float *samples = NULL;
  if (fseek(file, 0, SEEK_END) == 0) {
    long bytes = ftell(file);
    rewind(file);
    size_t frames = bytes > 0 ? (size_t)bytes / sizeof(float) : 0;
    samples = malloc(frames * sizeof(float) + 1);
    if (samples && fread(samples, sizeof(float), frames, file) == frames)
      error = rig_probe_set_source(probe, (unsigned)atoi(words[1]), samples, frames,
                                   atoi(words[2]) != 0);
  }
  free(samples);
  fclose(file);
  return error;
}

static int save(rig_probe *probe, const char *path, unsigned inputs, size_t *periods,
                size_t *recorded) {
  FILE *file = fopen(path, "wb");
  if (!file) return -errno;
  *periods = rig_probe_period_count(probe);
  *recorded = rig_probe_recorded_frames(probe);
  bool is_written =
      fwrite(rig_probe_periods(probe), sizeof(rig_period), *periods, file) == *periods;
  for (unsigned i = 0; i < inputs; i++)
    is_written &=
        fwrite(rig_probe_recording(probe, i), sizeof(float), *recorded, file) == *recorded;
  return fclose(file) == 0 && is_written ? 0 : -EIO;
}

static void answer(int error) {
  if (error == 0)
    puts("ok");
  else
    printf("error\t%d\n", -error);
}

static void answer_ports(rig_probe *probe) {
  static char names[NAMES_BYTES];
  rig_probe_port_names(probe, names, sizeof names);
  for (char *c = names; *c; c++)
    if (*c == '\n') *c = '\t';
  printf("ok\t%s\n", names);
}

static void answer_save(rig_probe *probe, const char *path, unsigned inputs) {
  size_t periods = 0, recorded = 0;
  int error = save(probe, path, inputs, &periods, &recorded);
  if (error == 0)
    printf("ok\t%zu\t%zu\n", periods, recorded);
  else
    answer(error);
}

static void answer_counts(rig_probe *probe) {
  printf("ok\t%d\t%llu\t%llu\t%zu\t%zu\n", rig_probe_is_alive(probe),
         (unsigned long long)rig_probe_xruns(probe), (unsigned long long)rig_probe_skips(probe),
         rig_probe_period_count(probe), rig_probe_recorded_frames(probe));
}

static void answer_audible(rig_probe *probe, unsigned inputs) {
  /* The audible ones first: never more than cycles. */
  unsigned long long audible[RIG_PROBE_MAXIMUM_PORTS];
  for (unsigned i = 0; i < inputs; i++) audible[i] = rig_probe_audible_cycles(probe, i);
  printf("ok\t%llu", (unsigned long long)rig_probe_cycles(probe));
  for (unsigned i = 0; i < inputs; i++) printf("\t%llu", audible[i]);
  puts("");
}

static void obey(rig_probe *probe, char **words, int count, unsigned inputs) {
  const char *verb = count > 0 ? words[0] : "";
  if (strcmp(verb, "source") == 0 && count == 4) {
    answer(load_source(probe, words));
  } else if (strcmp(verb, "connect") == 0 && count == 3) {
    answer(rig_probe_connect(probe, words[1], words[2]));
  } else if (strcmp(verb, "disconnect") == 0 && count == 3) {
    answer(rig_probe_disconnect(probe, words[1], words[2]));
  } else if (strcmp(verb, "has") == 0 && count == 2) {
    printf("ok\t%d\n", rig_probe_has_port(probe, words[1]));
  } else if (strcmp(verb, "ports") == 0) {
    answer_ports(probe);
  } else if (strcmp(verb, "start") == 0) {
    rig_probe_start(probe);
    answer(0);
  } else if (strcmp(verb, "stop") == 0) {
    rig_probe_stop(probe);
    answer(0);
  } else if (strcmp(verb, "counts") == 0) {
    answer_counts(probe);
  } else if (strcmp(verb, "audible") == 0) {
    answer_audible(probe, inputs);
  } else if (strcmp(verb, "save") == 0 && count == 2) {
    answer_save(probe, words[1], inputs);
  } else {
    answer(-EINVAL);
  }
}

int main(int count, char **arguments) {
  if (count == 4 && strcmp(arguments[1], "midi") == 0) return rig_midi_serve(arguments[2], arguments[3]);
  if (count != 8) {
    fputs("comlink-probe is a part of comlink's test rig, which starts it\n", stderr);
    return 64;
  }
  setvbuf(stdout, NULL, _IOLBF, 0);
  rig_probe *probe = NULL;
  int error = open_within(arguments, &probe);
  if (!probe) {
    answer(error);
    return 69;
  }
  printf("ok\t%u\t%u\n", rig_probe_sample_rate(probe), rig_probe_period_frames(probe));
  char line[LINE_BYTES];
  while (fgets(line, sizeof line, stdin)) {
    line[strcspn(line, "\n")] = 0;
    char *words[MAXIMUM_WORDS];
    int word_count = 0;
    char *rest = line;
    for (char *word; word_count < MAXIMUM_WORDS && (word = strsep(&rest, "\t"));)
      words[word_count++] = word;
    obey(probe, words, word_count, (unsigned)atoi(arguments[4]));
  }
  rig_probe_destroy(probe);
  return 0;
}
