#include "CAEC3.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "library/comlink_aec3.h"

struct caec3_library {
  const comlink_aec3_functions *functions;
};

struct caec3 {
  const comlink_aec3_functions *functions;
  comlink_aec3 *state;
  int32_t frames;
};

const caec3_library *caec3_open(const char *path, char *words, int32_t word_bytes) {
  snprintf(words, (size_t)word_bytes, "%s", "");
  if (access(path, F_OK) != 0)
    return NULL;
  void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (handle == NULL) {
    const char *reason = dlerror();
    snprintf(words, (size_t)word_bytes, "%s", reason != NULL ? reason : "cannot be loaded");
    return NULL;
  }
  const comlink_aec3_functions *(*open)(void) = NULL;
  *(void **)&open = dlsym(handle, "comlink_aec3_open");
  const comlink_aec3_functions *functions = open != NULL ? open() : NULL;
  caec3_library *library = malloc(sizeof *library);
  if (functions == NULL || functions->shape != COMLINK_AEC3_SHAPE || library == NULL) {
    const char *reason = library == NULL ? "out of memory" : "is not this version's comlink-aec3.so";
    snprintf(words, (size_t)word_bytes, "%s: %s", path, reason);
    free(library);
    dlclose(handle);
    return NULL;
  }
  library->functions = functions;
  return library;
}

caec3 *caec3_create(const caec3_library *library, int32_t sample_rate) {
  if (sample_rate <= 0 || sample_rate % 100 != 0)
    return NULL;
  caec3 *canceller = malloc(sizeof *canceller);
  if (canceller == NULL)
    return NULL;
  canceller->functions = library->functions;
  canceller->frames = sample_rate / 100;
  canceller->state = library->functions->create(sample_rate);
  if (canceller->state == NULL) {
    free(canceller);
    return NULL;
  }
  return canceller;
}

void caec3_destroy(caec3 *canceller) {
  if (canceller == NULL)
    return;
  canceller->functions->destroy(canceller->state);
  free(canceller);
}

int32_t caec3_delay_frames(const caec3 *canceller) { return canceller->functions->delay_frames(canceller->state); }

static float bounded(float value) { return value > 1.0f ? 1.0f : value < -1.0f ? -1.0f : value == value ? value : 0; }

void caec3_run(caec3 *canceller, const float *left, const float *right, float *block) {
  for (int32_t index = 0; index < canceller->frames; index++)
    block[index] = bounded(block[index]);
  canceller->functions->run(canceller->state, left, right, block);
  for (int32_t index = 0; index < canceller->frames; index++)
    block[index] = bounded(block[index]);
}

float caec3_lowered_decibels(caec3 *canceller) { return canceller->functions->lowered_decibels(canceller->state); }
