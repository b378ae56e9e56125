#include "CSpeexDSP.h"

#include <math.h>
#include <speex/speex_preprocess.h>
#include <stdlib.h>

enum { MOST_FRAMES = 4096 };

struct cspeexdsp_suppressor {
  SpeexPreprocessState *state;
  int32_t frames;
  spx_int16_t samples[];
};

cspeexdsp_suppressor *cspeexdsp_suppressor_create(int32_t block_frames, int32_t sample_rate) {
  if (block_frames < 16 || block_frames > MOST_FRAMES)
    return NULL;
  cspeexdsp_suppressor *suppressor = malloc(sizeof *suppressor + sizeof(spx_int16_t) * (size_t)block_frames);
  if (suppressor == NULL)
    return NULL;
  suppressor->frames = block_frames;
  suppressor->state = speex_preprocess_state_init(block_frames, sample_rate);
  if (suppressor->state == NULL) {
    free(suppressor);
    return NULL;
  }
  spx_int32_t on = 1;
  speex_preprocess_ctl(suppressor->state, SPEEX_PREPROCESS_SET_DENOISE, &on);
  return suppressor;
}

void cspeexdsp_suppressor_destroy(cspeexdsp_suppressor *suppressor) {
  if (suppressor == NULL)
    return;
  speex_preprocess_state_destroy(suppressor->state);
  free(suppressor);
}

void cspeexdsp_suppressor_set_depth(cspeexdsp_suppressor *suppressor, int32_t decibels) {
  speex_preprocess_ctl(suppressor->state, SPEEX_PREPROCESS_SET_NOISE_SUPPRESS, &decibels);
}

/* Not a number compares false with everything. */
static spx_int16_t sample_of(float value) {
  float scaled = value * 32768.0f;
  if (scaled >= 32767.0f)
    return 32767;
  if (scaled <= -32768.0f)
    return -32768;
  return scaled == scaled ? (spx_int16_t)lrintf(scaled) : 0;
}

void cspeexdsp_suppressor_run(cspeexdsp_suppressor *suppressor, float *block) {
  for (int32_t index = 0; index < suppressor->frames; index++)
    suppressor->samples[index] = sample_of(block[index]);
  speex_preprocess_run(suppressor->state, suppressor->samples);
  for (int32_t index = 0; index < suppressor->frames; index++)
    block[index] = (float)suppressor->samples[index] * (1.0f / 32768.0f);
}
