#include "CRNNoise.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

/* Of rnnoise.h; the state and the model are opaque. Before 0.2 rnnoise_create took nothing: one argument more is not
 * looked at. */
struct crnnoise_library {
  void *(*create)(void *model);
  void (*destroy)(void *state);
  float (*process)(void *state, float *out, const float *in);
  int32_t delay_frames;
};

struct crnnoise {
  const crnnoise_library *library;
  void *state;
  float samples[CRNNOISE_BLOCK_FRAMES];
};

const crnnoise_library *crnnoise_open(const char *path, char *words, int32_t word_bytes) {
  void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (handle == NULL) {
    const char *reason = dlerror();
    snprintf(words, (size_t)word_bytes, "%s", reason != NULL ? reason : "cannot be loaded");
    return NULL;
  }
  crnnoise_library *library = malloc(sizeof *library);
  if (library == NULL) {
    snprintf(words, (size_t)word_bytes, "out of memory");
    dlclose(handle);
    return NULL;
  }
  *(void **)&library->create = dlsym(handle, "rnnoise_create");
  *(void **)&library->destroy = dlsym(handle, "rnnoise_destroy");
  *(void **)&library->process = dlsym(handle, "rnnoise_process_frame");
  /* New in 0.2, which looks a block further ahead. */
  int is_second = dlsym(handle, "rnnoise_model_from_buffer") != NULL;
  library->delay_frames = (is_second ? 2 : 1) * CRNNOISE_BLOCK_FRAMES;
  int (*frame_size)(void) = NULL;
  *(void **)&frame_size = dlsym(handle, "rnnoise_get_frame_size");
  if (library->create == NULL || library->destroy == NULL || library->process == NULL ||
      (frame_size != NULL && frame_size() != CRNNOISE_BLOCK_FRAMES)) {
    snprintf(words, (size_t)word_bytes, "%s: is not RNNoise for blocks of 10 ms", path);
    free(library);
    dlclose(handle);
    return NULL;
  }
  /* Its first block makes tables, which all share: not while somebody talks. */
  void *trial = library->create(NULL);
  if (trial != NULL) {
    float block[CRNNOISE_BLOCK_FRAMES] = {0};
    library->process(trial, block, block);
    library->destroy(trial);
  }
  return library;
}

int32_t crnnoise_delay_frames(const crnnoise_library *library) { return library->delay_frames; }

crnnoise *crnnoise_create(const crnnoise_library *library) {
  crnnoise *suppressor = calloc(1, sizeof *suppressor);
  if (suppressor == NULL)
    return NULL;
  suppressor->library = library;
  suppressor->state = library->create(NULL);
  if (suppressor->state == NULL) {
    free(suppressor);
    return NULL;
  }
  return suppressor;
}

void crnnoise_destroy(crnnoise *suppressor) {
  if (suppressor == NULL)
    return;
  suppressor->library->destroy(suppressor->state);
  free(suppressor);
}

/* It takes the range of 16 bits. What it makes of sound beyond that is not its fault. */
static float bounded(float value) { return value > 1.0f ? 1.0f : value < -1.0f ? -1.0f : value == value ? value : 0; }

float crnnoise_run(crnnoise *suppressor, float *block) {
  for (int32_t index = 0; index < CRNNOISE_BLOCK_FRAMES; index++)
    suppressor->samples[index] = bounded(block[index]) * 32768.0f;
  float voice = suppressor->library->process(suppressor->state, suppressor->samples, suppressor->samples);
  for (int32_t index = 0; index < CRNNOISE_BLOCK_FRAMES; index++)
    block[index] = bounded(suppressor->samples[index] * (1.0f / 32768.0f));
  return bounded(voice);
}
