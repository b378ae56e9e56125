/*
 * comlink-decode on files that are given ones in turn, damaged: `fuzz sound|m4a COUNT SEED FILE...`. Each is decoded
 * in a process of its own, under the very confinement, and ends in sound or a refusal. What takes long is done once
 * for all: libsndfile is loaded before, and so is ffmpeg, into which this very file is brought as a library
 * (LD_PRELOAD, built with -DIN_FFMPEG, its path in COMLINK_FUZZ_LIBRARY): it takes ffmpeg's main for each file. One
 * line at the end, as JSON: what became of them, and the most that one took.
 *
 * Exits with 1 where one took more than it may, or did what no refusal is.
 */
#define _GNU_SOURCE
/* The program's own, so that no other build of it is tested. */
#include "../../Sources/comlink-decode/confine.c"
#include "../../Sources/comlink-decode/sound.c"
/* ffmpeg gets this program's environment. */
#define execve(path, words, none) execve(path, words, ((void)(none), environ))
#include "../../Sources/comlink-decode/m4a.c"
#undef execve

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>

enum {
  /* Where the outcome goes: descriptor 1 is the sound's. */
  OUTCOME = 9,
  /* As ClipImport waits. */
  PATIENCE_SECONDS = 30,
  MOST_FILES = 64,
  MOST_BYTES = 1 << 20,
  MOST_CHANGES = 4,
};

struct file {
  uint8_t *octets;
  size_t count;
};

struct tally {
  long decoded, refused, crashed, cut, strange;
  double most_cpu_seconds, most_wall_seconds;
  long most_kib;
  int64_t most_output;
  /* The number of one that did what it may not; 0: none did. */
  long first_bad;
};

static uint64_t random_state;

/* SplitMix64. */
static uint64_t chance(uint64_t below) {
  uint64_t value = random_state += 0x9E3779B97F4A7C15;
  value = (value ^ value >> 30) * 0xBF58476D1CE4E5B9;
  value = (value ^ value >> 27) * 0x94D049BB133111EB;
  return (value ^ value >> 31) % below;
}

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static int read_file(const char *path, struct file *file) {
  FILE *input = fopen(path, "rb");
  if (input == NULL) return -1;
  file->octets = malloc(MOST_BYTES);
  file->count = file->octets == NULL ? 0 : fread(file->octets, 1, MOST_BYTES, input);
  fclose(input);
  return file->count > 12 ? 0 : -1;
}

/* Mostly where headers are. */
static size_t place(const struct file *file) {
  return (size_t)chance(chance(2) == 0 && file->count > 256 ? 256 : file->count);
}

static void put_number(struct file *file) {
  static const uint32_t numbers[] = {0,      1,          2,          0x7F,       0xFF,       0x7FFF,     0x8000,
                                     0xFFFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0xFFFFFFF0, 0x80000001, 0x0A000000};
  const uint32_t number = numbers[chance(sizeof numbers / sizeof *numbers)];
  const size_t at = place(file), bytes = (size_t)1 << chance(3);
  const int is_big = chance(2) == 0;
  for (size_t index = 0; index < bytes && at + index < file->count; index++)
    file->octets[at + index] = (uint8_t)(number >> 8 * (is_big ? bytes - 1 - index : index));
}

/* Takes some out, says some twice, or brings some of another file in. */
static void move_part(struct file *file, const struct file *other) {
  const size_t from = (size_t)chance(other->count), to = place(file);
  size_t bytes = (size_t)chance(other->count - from) + 1;
  if (chance(2) == 0) {
    if (bytes > file->count - to) bytes = file->count - to;
    memmove(file->octets + to, file->octets + to + bytes, file->count - to - bytes);
    file->count -= bytes;
  } else if (file->count + bytes <= 2 * (size_t)MOST_BYTES) {
    memmove(file->octets + to + bytes, file->octets + to, file->count - to);
    memcpy(file->octets + to, other->octets + from, bytes);
    file->count += bytes;
  }
}

/* Gives whole pages of Ogg their right checksum (RFC 3533 §6): else nobody looks into them. */
static void mend_pages(struct file *file) {
  for (size_t at = 0; at + 27 <= file->count;) {
    uint8_t *page = file->octets + at;
    size_t end = at + 27 + page[26];
    for (size_t index = 0; index < page[26] && at + 27 + index < file->count; index++) end += page[27 + index];
    if (memcmp(page, "OggS", 4) != 0 || end > file->count) {
      at++;
      continue;
    }
    memset(page + 22, 0, 4);
    uint32_t sum = 0;
    for (size_t index = at; index < end; index++) {
      sum ^= (uint32_t)file->octets[index] << 24;
      for (int bit = 0; bit < 8; bit++) sum = sum << 1 ^ (sum >> 31) * 0x04C11DB7;
    }
    for (int index = 0; index < 4; index++) page[22 + index] = (uint8_t)(sum >> 8 * index);
    at = end;
  }
}

/* What tells the kind stays: of other kinds the daemon starts nothing. */
static void damage(struct file *file, const struct file *of, const struct file *other) {
  memcpy(file->octets, of->octets, of->count);
  file->count = of->count;
  for (uint64_t left = chance(MOST_CHANGES) + 1; left > 0 && file->count > 0; left--) {
    switch (chance(5)) {
    case 0: file->count = (size_t)chance(file->count) + 1; break;
    case 1:
      for (uint64_t octets = chance(64) + 1; octets > 0; octets--) file->octets[place(file)] = (uint8_t)chance(256);
      break;
    case 2: put_number(file); break;
    case 3: file->octets[place(file)] ^= (uint8_t)(1 << chance(8)); break;
    default: move_part(file, other);
    }
  }
  const size_t kept = file->count < 4 ? file->count : 4, word = memcmp(of->octets, "RIFF", 4) == 0 ? 8 : 4;
  memcpy(file->octets, of->octets, kept);
  if (file->count >= 12) memcpy(file->octets + word, of->octets + word, 4);
  if (memcmp(of->octets, "OggS", 4) == 0 && chance(4) != 0) mend_pages(file);
}

/* What the daemon's child is, but that its libraries are loaded already; returns where ffmpeg's main is to follow. */
static void decode(int input, int output, int is_m4a) {
  const int nothing = open("/dev/null", O_WRONLY);
  if (dup2(input, 0) < 0 || dup2(output, 1) < 0 || dup2(nothing, 2) < 0 || confine() != 0) _exit(DECODE_UNCONFINED);
  if (!is_m4a) _exit(sound_decode());
}

/* Reads all of it; whether it ended in time. */
static int read_all(int output, int64_t *count, double end) {
  static uint8_t room[1 << 16];
  for (;;) {
    struct pollfd look = {.fd = output, .events = POLLIN};
    const double left = end - seconds();
    if (left <= 0 || poll(&look, 1, (int)(left * 1000) + 1) == 0) return 0;
    const ssize_t got = read(output, room, sizeof room);
    if (got == 0) return 1;
    if (got > 0) *count += got;
  }
}

static void judge(struct tally *tally, int status, int is_m4a) {
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 0, signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  if (signal == SIGKILL || signal == SIGXCPU) tally->cut++;
  else if (signal == SIGSEGV || signal == SIGBUS || signal == SIGABRT || signal == SIGFPE || signal == SIGILL)
    tally->crashed++;
  else if (signal != 0 || code == DECODE_UNCONFINED || code == DECODE_MISSING) tally->strange++;
  else if (code == DECODE_DONE) tally->decoded++;
  else if (is_m4a || code == DECODE_REFUSED) tally->refused++;
  else tally->strange++;
}

static void most(double *value, double other) {
  if (other > *value) *value = other;
}

/* 0, 1 in the process that is to decode, or -1 with errno: the machine has no room for it. */
static int try(const struct file *file, int is_m4a, struct tally *tally) {
  const int input = memfd_create("fuzz", MFD_CLOEXEC);
  int ends[2];
  if (input < 0 || pipe2(ends, O_CLOEXEC) != 0) return -1;
  if (write(input, file->octets, file->count) != (ssize_t)file->count) return -1;
  (void)lseek(input, 0, SEEK_SET);
  const double start = seconds();
  const pid_t process = fork();
  if (process < 0) return -1;
  if (process == 0) {
    decode(input, ends[1], is_m4a);
    return 1;
  }
  close(input);
  close(ends[1]);
  int64_t output = 0;
  if (!read_all(ends[0], &output, start + PATIENCE_SECONDS)) kill(process, SIGKILL);
  close(ends[0]);
  int status;
  struct rusage usage;
  while (wait4(process, &status, 0, &usage) < 0)
    if (errno != EINTR) return -1;
  judge(tally, status, is_m4a);
  most(&tally->most_wall_seconds, seconds() - start);
  most(&tally->most_cpu_seconds, (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
                                     (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6);
  if (usage.ru_maxrss > tally->most_kib) tally->most_kib = usage.ru_maxrss;
  if (output > tally->most_output) tally->most_output = output;
  return 0;
}

static int is_bad(const struct tally *tally) {
  return tally->strange > 0 || tally->most_cpu_seconds > CPU_SECONDS + 1 || tally->most_kib > MEMORY_MIB << 10 ||
         tally->most_output > 4 + (int64_t)DECODE_MOST_SECONDS * DECODE_MOST_RATE * 4;
}

/* An exit code, or -1 in a process that is to decode. */
static int run(int is_m4a, int count, char **words) {
  struct file files[MOST_FILES];
  const int known = count - 2;
  if (known < 1 || known > MOST_FILES) return 64;
  for (int index = 0; index < known; index++) {
    if (read_file(words[2 + index], &files[index]) != 0) return 66;
  }
  const long rounds = strtol(words[0], NULL, 10);
  random_state = strtoull(words[1], NULL, 10);
  struct file damaged = {.octets = malloc(2 * MOST_BYTES)};
  struct tally tally = {0};
  const double start = seconds();
  for (long round = 0; round < rounds; round++) {
    damage(&damaged, &files[round % known], &files[chance((uint64_t)known)]);
    switch (try(&damaged, is_m4a, &tally)) {
    case 0: break;
    case 1: return -1;
    default: perror("fuzz"); return 71;
    }
    if (tally.first_bad == 0 && is_bad(&tally)) tally.first_bad = round + 1;
  }
  dprintf(OUTCOME,
          "{\"decoded\":%ld,\"refused\":%ld,\"crashed\":%ld,\"cut\":%ld,\"strange\":%ld,\"cpuSeconds\":%.2f,"
          "\"wallSeconds\":%.2f,\"mebibytes\":%ld,\"outputBytes\":%lld,\"firstBad\":%ld,\"seconds\":%.1f}\n",
          tally.decoded, tally.refused, tally.crashed, tally.cut, tally.strange, tally.most_cpu_seconds,
          tally.most_wall_seconds, tally.most_kib >> 10, (long long)tally.most_output, tally.first_bad,
          seconds() - start);
  return is_bad(&tally);
}

#if defined(IN_FFMPEG)

/* What an ELF program begins with, once its libraries are there. */
int __libc_start_main(int (*begin)(int, char **, char **), int count, char **words, void (*init)(void),
                      void (*fini)(void), void (*end)(void), void *stack) {
  char *own[MOST_FILES + 2] = {0};
  int known = 0;
  for (char *word = strtok(getenv("COMLINK_FUZZ_WORDS"), "\n"); word != NULL && known < MOST_FILES + 2;
       word = strtok(NULL, "\n"))
    own[known++] = word;
  const int code = run(1, known, own);
  if (code >= 0) _exit(code);
  int (*start)(int (*)(int, char **, char **), int, char **, void (*)(void), void (*)(void), void (*)(void), void *);
  *(void **)&start = dlsym(RTLD_NEXT, "__libc_start_main");
  return start(begin, count, words, init, fini, end, stack);
}

#else

int main(int count, char **words) {
  const int is_m4a = count > 1 && strcmp(words[1], "m4a") == 0;
  if (dup2(1, OUTCOME) < 0) return 71;
  if (!is_m4a) return sound_load() != 0 ? DECODE_MISSING : run(0, count - 2, words + 2);
  static char all[1 << 16];
  for (int index = 2; index < count && strlen(all) + strlen(words[index]) + 2 < sizeof all; index++) {
    strcat(all, words[index]);
    strcat(all, "\n");
  }
  setenv("COMLINK_FUZZ_WORDS", all, 1);
  setenv("LD_PRELOAD", getenv("COMLINK_FUZZ_LIBRARY"), 1);
  const int nothing = open("/dev/null", O_WRONLY);
  if (dup2(nothing, 1) < 0) return 71;
  return m4a_decode();
}

#endif
