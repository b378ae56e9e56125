#include "CMySofa.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

/* Of mysofa.h; a table is opaque. */
struct cmysofa {
  void *easy;
  int32_t frames;
  void (*close)(void *easy);
  void (*filter)(void *easy, float x, float y, float z, float *left, float *right, float *left_delay,
                 float *right_delay);
};

static cmysofa *refused(cmysofa *table, void *library, const char *what, const char *why, char *words,
                        int32_t word_bytes) {
  snprintf(words, (size_t)word_bytes, "%s%s%s", what, why[0] != '\0' ? ": " : "", why);
  free(table);
  if (library != NULL) dlclose(library);
  return NULL;
}

cmysofa *cmysofa_open(const char *library_path, const char *file_path, float sample_rate, char *words,
                      int32_t word_bytes) {
  void *library = dlopen(library_path, RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) {
    const char *reason = dlerror();
    return refused(NULL, NULL, reason != NULL ? reason : "cannot be loaded", "", words, word_bytes);
  }
  cmysofa *table = calloc(1, sizeof *table);
  if (table == NULL) return refused(NULL, library, "out of memory", "", words, word_bytes);
  void *(*open)(const char *path, float sample_rate, int *frames, int *error) = NULL;
  *(void **)&open = dlsym(library, "mysofa_open");
  *(void **)&table->close = dlsym(library, "mysofa_close");
  *(void **)&table->filter = dlsym(library, "mysofa_getfilter_float");
  if (open == NULL || table->close == NULL || table->filter == NULL) {
    return refused(table, library, library_path, "is not libmysofa", words, word_bytes);
  }
  int frames = 0, error = 0;
  table->easy = open(file_path, sample_rate, &frames, &error);
  if (table->easy == NULL || frames <= 0) {
    char why[32];
    snprintf(why, sizeof why, "cannot be read (%d)", error);
    return refused(table, NULL, file_path, why, words, word_bytes);
  }
  table->frames = frames;
  return table;
}

void cmysofa_close(cmysofa *table) {
  if (table == NULL) return;
  table->close(table->easy);
  free(table);
}

int32_t cmysofa_frames(const cmysofa *table) { return table->frames; }

void cmysofa_filter(cmysofa *table, float front, float left, float up, float *left_ear_out, float *right_ear_out,
                    float *left_delay_out, float *right_delay_out) {
  table->filter(table->easy, front, left, up, left_ear_out, right_ear_out, left_delay_out, right_delay_out);
}
