#include "CSamplerate.h"

#include <errno.h>
#include <samplerate.h>
#include <stdlib.h>

struct csamplerate {
  SRC_STATE *state;
  double ratio;
};

/* src_is_valid_ratio lets NaN through. */
static int is_ratio(double ratio) {
  return ratio >= 1.0 / CSAMPLERATE_MAXIMUM_RATIO && ratio <= CSAMPLERATE_MAXIMUM_RATIO;
}

csamplerate *csamplerate_create(double ratio, int32_t *error) {
  *error = -EINVAL;
  if (!is_ratio(ratio))
    return NULL;
  *error = -ENOMEM;
  csamplerate *resampler = malloc(sizeof *resampler);
  if (resampler == NULL)
    return NULL;
  int src_code = 0;
  resampler->state = src_new(SRC_SINC_FASTEST, 1, &src_code);
  if (resampler->state == NULL) {
    free(resampler);
    return NULL;
  }
  resampler->ratio = ratio;
  *error = 0;
  return resampler;
}

void csamplerate_destroy(csamplerate *resampler) {
  if (resampler == NULL)
    return;
  src_delete(resampler->state);
  free(resampler);
}

int32_t csamplerate_set_ratio(csamplerate *resampler, double ratio) {
  if (!is_ratio(ratio))
    return -EINVAL;
  /* Without this src_process would glide from the old ratio over the length of its output buffer, however much of it is
   * filled: where the stream then is nobody could tell. */
  if (src_set_ratio(resampler->state, ratio) != 0)
    return -EINVAL;
  resampler->ratio = ratio;
  return 0;
}

int32_t csamplerate_process(csamplerate *resampler, const float *input, int32_t input_frames,
                            float *output, int32_t output_frames, int32_t *consumed_frames,
                            int32_t *produced_frames) {
  SRC_DATA data = {
      .data_in = input,
      .data_out = output,
      .input_frames = input_frames,
      .output_frames = output_frames,
      .src_ratio = resampler->ratio,
  };
  int code = src_process(resampler->state, &data);
  *consumed_frames = code == 0 ? (int32_t)data.input_frames_used : 0;
  *produced_frames = code == 0 ? (int32_t)data.output_frames_gen : 0;
  return code == 0 ? 0 : -EINVAL;
}

void csamplerate_reset(csamplerate *resampler) {
  (void)src_reset(resampler->state);
}
