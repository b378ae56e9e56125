#include "CSoundTouch.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

/* Of SoundTouch.h: what settings are called. */
enum { AA_FILTER_LENGTH = 1, SEQUENCE_MS = 3, SEEKWINDOW_MS = 4, OVERLAP_MS = 5 };
/* As short as they may be before a low voice begins to rattle. */
enum { FILTER_TAPS = 32, SEQUENCE = 10, SEEK_WINDOW = 5, OVERLAP = 3 };

/* Of SoundTouchDLL.h; a handle is opaque. */
struct csoundtouch_library {
  void *(*create)(void);
  void (*destroy)(void *handle);
  int (*set_sample_rate)(void *handle, unsigned int sample_rate);
  int (*set_channels)(void *handle, unsigned int channels);
  int (*set_setting)(void *handle, int setting, int value);
  void (*set_pitch)(void *handle, float factor);
  int (*put)(void *handle, const float *samples, unsigned int count);
  unsigned int (*take)(void *handle, float *samples_out, unsigned int most);
};

struct csoundtouch {
  const csoundtouch_library *library;
  void *handle;
};

/* Fills in one function; 0: it is not there. */
static int find(void *handle, const char *name, void *function_out) {
  void *symbol = dlsym(handle, name);
  *(void **)function_out = symbol;
  return symbol != NULL;
}

const csoundtouch_library *csoundtouch_open(const char *path, char *words, int32_t word_bytes) {
  void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (handle == NULL) {
    const char *reason = dlerror();
    snprintf(words, (size_t)word_bytes, "%s", reason != NULL ? reason : "cannot be loaded");
    return NULL;
  }
  csoundtouch_library *library = malloc(sizeof *library);
  if (library == NULL) {
    snprintf(words, (size_t)word_bytes, "out of memory");
    dlclose(handle);
    return NULL;
  }
  if (!find(handle, "soundtouch_createInstance", &library->create) ||
      !find(handle, "soundtouch_destroyInstance", &library->destroy) ||
      !find(handle, "soundtouch_setSampleRate", &library->set_sample_rate) ||
      !find(handle, "soundtouch_setChannels", &library->set_channels) ||
      !find(handle, "soundtouch_setSetting", &library->set_setting) ||
      !find(handle, "soundtouch_setPitch", &library->set_pitch) ||
      !find(handle, "soundtouch_putSamples", &library->put) ||
      !find(handle, "soundtouch_receiveSamples", &library->take)) {
    snprintf(words, (size_t)word_bytes, "%s: is not SoundTouch", path);
    free(library);
    dlclose(handle);
    return NULL;
  }
  return library;
}

csoundtouch *csoundtouch_create(const csoundtouch_library *library, int32_t sample_rate, float factor) {
  csoundtouch *shifter = malloc(sizeof *shifter);
  if (shifter == NULL) return NULL;
  shifter->library = library;
  shifter->handle = library->create();
  if (shifter->handle == NULL) {
    free(shifter);
    return NULL;
  }
  library->set_channels(shifter->handle, 1);
  library->set_sample_rate(shifter->handle, (unsigned int)sample_rate);
  library->set_setting(shifter->handle, AA_FILTER_LENGTH, FILTER_TAPS);
  library->set_setting(shifter->handle, SEQUENCE_MS, SEQUENCE);
  library->set_setting(shifter->handle, SEEKWINDOW_MS, SEEK_WINDOW);
  library->set_setting(shifter->handle, OVERLAP_MS, OVERLAP);
  library->set_pitch(shifter->handle, factor);
  return shifter;
}

void csoundtouch_destroy(csoundtouch *shifter) {
  if (shifter == NULL) return;
  shifter->library->destroy(shifter->handle);
  free(shifter);
}

void csoundtouch_put(csoundtouch *shifter, const float *frames, int32_t count) {
  if (count > 0) shifter->library->put(shifter->handle, frames, (unsigned int)count);
}

int32_t csoundtouch_take(csoundtouch *shifter, float *frames_out, int32_t most) {
  return most > 0 ? (int32_t)shifter->library->take(shifter->handle, frames_out, (unsigned int)most) : 0;
}
