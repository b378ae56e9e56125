#include "decode.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdlib.h>

/* Of sndfile.h, as it has been since 1.0.0: libsndfile is loaded, so that a node without it runs, and builds without
 * its headers. */
struct sound_facts {
  int64_t frames;
  int rate, channels, format, sections, is_seekable;
};
enum { FOR_READING = 0x10 };

static struct {
  void *(*open)(int descriptor, int mode, struct sound_facts *facts, int closes);
  int64_t (*read)(void *sound, float *samples, int64_t frames);
} library;

int sound_load(void) {
  void *handle = dlopen("libsndfile.so.1", RTLD_NOW | RTLD_LOCAL);
  if (handle == NULL) return -1;
  *(void **)&library.open = dlsym(handle, "sf_open_fd");
  *(void **)&library.read = dlsym(handle, "sf_readf_float");
  return library.open != NULL && library.read != NULL ? 0 : -1;
}

int sound_decode(void) {
  enum { PIECE = 4096 };
  static float samples[PIECE * DECODE_MOST_CHANNELS], mono[PIECE];
  struct sound_facts facts = {0};
  void *sound = library.open(0, FOR_READING, &facts, 0);
  if (sound == NULL) return DECODE_REFUSED;
  if (facts.channels < 1 || facts.channels > DECODE_MOST_CHANNELS || facts.rate < DECODE_LEAST_RATE ||
      facts.rate > DECODE_MOST_RATE)
    return DECODE_REFUSED;
  const uint32_t rate = (uint32_t)facts.rate;
  const uint8_t head[4] = {(uint8_t)rate, (uint8_t)(rate >> 8), (uint8_t)(rate >> 16), (uint8_t)(rate >> 24)};
  if (write_all(head, sizeof head) != 0) return DECODE_REFUSED;
  /* What the header claims does not count: only what is there. */
  int64_t left = (int64_t)DECODE_MOST_SECONDS * facts.rate;
  while (left > 0) {
    int64_t count = library.read(sound, samples, left < PIECE ? left : PIECE);
    if (count <= 0) break;
    if (count > PIECE) return DECODE_REFUSED;
    for (int64_t frame = 0; frame < count; frame++) {
      float sum = 0;
      for (int channel = 0; channel < facts.channels; channel++) sum += samples[frame * facts.channels + channel];
      mono[frame] = sum / (float)facts.channels;
    }
    if (write_all(mono, (size_t)count * sizeof *mono) != 0) return DECODE_REFUSED;
    left -= count;
  }
  /* Not closed: the process ends. */
  return DECODE_DONE;
}
