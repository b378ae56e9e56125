#include "CDeepFilter.h"

#include <dlfcn.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Of libDF/src/capi.rs; a state is opaque. df_create of before 2023-08 took no log level: one argument more is not
 * looked at. */
struct cdeepfilter_library {
  void *(*create)(const char *model, float most_decibels, const char *log_level);
  void (*destroy)(void *state);
  size_t (*frame_length)(void *state);
  float (*process)(void *state, float *in, float *out);
  int32_t delay_frames;
  char model[PATH_MAX];
};

struct cdeepfilter {
  const cdeepfilter_library *library;
  void *state;
  float samples[CDEEPFILTER_BLOCK_FRAMES];
};

/* So much and more is no limit to what it takes out. */
static const float ALL_DECIBELS = 100.0f;
/* Blocks in which a click has to come out. */
enum { TRIAL_BLOCKS = 20 };

/* Of zlib.h. */
typedef struct {
  void *(*open)(const char *path, const char *mode);
  int (*read)(void *file, void *bytes, unsigned int count);
  int (*is_plain)(void *file);
  int (*close)(void *file);
} zlib_reader;

/* Fills in one function; 0: it is not there. */
static int find(void *handle, const char *name, void *function_out) {
  void *symbol = dlsym(handle, name);
  *(void **)function_out = symbol;
  return symbol != NULL;
}

/* What a model consists of. */
static const char *const PARTS[] = {"enc.onnx", "erb_dec.onnx", "df_dec.onnx", "config.ini"};
enum { PART_COUNT = sizeof PARTS / sizeof *PARTS, TAR_BLOCK_BYTES = 512 };

/* Marks the part that a file of an archive is. */
static void mark_part(const char *name, int *found) {
  const char *last = strrchr(name, '/');
  for (int part = 0; part < PART_COUNT; part++)
    if (strcmp(last != NULL ? last + 1 : name, PARTS[part]) == 0)
      *found |= 1 << part;
}

/* Reads a whole tar.gz, so that its checksum is looked at: whether it is one, and has all parts. */
static int has_parts(const zlib_reader *zlib, void *file) {
  char header[TAR_BLOCK_BYTES], rest[TAR_BLOCK_BYTES];
  int found = 0, got = 0;
  long long left = 0;
  for (;;) {
    got = zlib->read(file, left > 0 ? rest : header, TAR_BLOCK_BYTES);
    if (got != TAR_BLOCK_BYTES)
      break;
    if (left > 0) {
      left -= TAR_BLOCK_BYTES;
      continue;
    }
    char name[101] = {0}, size[13] = {0};
    memcpy(name, header, sizeof name - 1);
    memcpy(size, header + 124, sizeof size - 1);
    left = strtoll(size, NULL, 8);
    if (left < 0)
      return 0;
    mark_part(name, &found);
  }
  return got == 0 && left <= 0 && found == (1 << PART_COUNT) - 1;
}

/* Whether a model can be given to the library, which ends the process where it cannot read one. */
static int is_model(const char *path, const char **words_out) {
  *words_out = "zlib is not there to read it";
  void *handle = dlopen("libz.so.1", RTLD_NOW | RTLD_LOCAL);
  zlib_reader zlib;
  if (handle == NULL || !find(handle, "gzopen", &zlib.open) || !find(handle, "gzread", &zlib.read) ||
      !find(handle, "gzdirect", &zlib.is_plain) || !find(handle, "gzclose", &zlib.close))
    return 0;
  *words_out = "is not a model of DeepFilterNet, or damaged";
  void *file = zlib.open(path, "rb");
  if (file == NULL)
    return 0;
  int is_whole = !zlib.is_plain(file) && has_parts(&zlib, file);
  return zlib.close(file) == 0 && is_whole;
}

/* By how many frames a click is late, of which a state that takes out next to nothing leaves most; less than 0: it does
 * not come out. */
static int32_t measured_delay(const cdeepfilter_library *library) {
  void *state = library->create(library->model, 1.0f, NULL);
  if (state == NULL)
    return -1;
  int32_t delay = -1;
  float loudest = 0.05f;
  if (library->frame_length(state) == CDEEPFILTER_BLOCK_FRAMES)
    for (int32_t block = 0; block < TRIAL_BLOCKS; block++) {
      float in[CDEEPFILTER_BLOCK_FRAMES] = {0}, out[CDEEPFILTER_BLOCK_FRAMES] = {0};
      in[0] = block == 0 ? 0.5f : 0.0f;
      library->process(state, in, out);
      for (int32_t index = 0; index < CDEEPFILTER_BLOCK_FRAMES; index++)
        if (fabsf(out[index]) > loudest) {
          loudest = fabsf(out[index]);
          delay = block * CDEEPFILTER_BLOCK_FRAMES + index;
        }
    }
  library->destroy(state);
  return delay;
}

/* Finds the functions and looks at the model; NULL: all is well. */
static const char *fill(cdeepfilter_library *library, void *handle, const char *model_path) {
  if (!find(handle, "df_create", &library->create) || !find(handle, "df_free", &library->destroy) ||
      !find(handle, "df_get_frame_length", &library->frame_length) ||
      !find(handle, "df_process_frame", &library->process))
    return "is not DeepFilterNet's libdf";
  if (strlen(model_path) >= sizeof library->model)
    return "the model's path is too long";
  strcpy(library->model, model_path);
  const char *words = NULL;
  if (!is_model(model_path, &words))
    return words;
  library->delay_frames = measured_delay(library);
  return library->delay_frames < 0 ? "does not work with blocks of 10 ms at 48 kHz" : NULL;
}

const cdeepfilter_library *cdeepfilter_open(
    const char *library_path, const char *model_path, char *words, int32_t word_bytes) {
  snprintf(words, (size_t)word_bytes, "%s", "");
  int has_library = access(library_path, F_OK) == 0, has_model = access(model_path, F_OK) == 0;
  if (!has_library && !has_model)
    return NULL;
  if (!has_library || !has_model) {
    snprintf(words, (size_t)word_bytes, "%s is not there", has_library ? model_path : library_path);
    return NULL;
  }
  void *handle = dlopen(library_path, RTLD_NOW | RTLD_LOCAL);
  if (handle == NULL) {
    const char *reason = dlerror();
    snprintf(words, (size_t)word_bytes, "%s", reason != NULL ? reason : "cannot be loaded");
    return NULL;
  }
  cdeepfilter_library *library = calloc(1, sizeof *library);
  const char *problem = library == NULL ? "out of memory" : fill(library, handle, model_path);
  if (problem == NULL)
    return library;
  int is_about_model = library != NULL && library->process != NULL;
  snprintf(words, (size_t)word_bytes, "%s: %s", is_about_model ? model_path : library_path, problem);
  free(library);
  if (!is_about_model)
    dlclose(handle);
  return NULL;
}

int32_t cdeepfilter_delay_frames(const cdeepfilter_library *library) { return library->delay_frames; }

cdeepfilter *cdeepfilter_create(const cdeepfilter_library *library) {
  cdeepfilter *suppressor = calloc(1, sizeof *suppressor);
  if (suppressor == NULL)
    return NULL;
  suppressor->library = library;
  suppressor->state = library->create(library->model, ALL_DECIBELS, NULL);
  if (suppressor->state == NULL) {
    free(suppressor);
    return NULL;
  }
  return suppressor;
}

void cdeepfilter_destroy(cdeepfilter *suppressor) {
  if (suppressor == NULL)
    return;
  suppressor->library->destroy(suppressor->state);
  free(suppressor);
}

static float bounded(float value) { return value > 1.0f ? 1.0f : value < -1.0f ? -1.0f : value == value ? value : 0; }

void cdeepfilter_run(cdeepfilter *suppressor, float *block) {
  for (int32_t index = 0; index < CDEEPFILTER_BLOCK_FRAMES; index++)
    suppressor->samples[index] = bounded(block[index]);
  suppressor->library->process(suppressor->state, suppressor->samples, block);
  for (int32_t index = 0; index < CDEEPFILTER_BLOCK_FRAMES; index++)
    block[index] = bounded(block[index]);
}
