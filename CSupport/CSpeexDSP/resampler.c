#include "CSpeexDSP.h"

#include <speex/speex_resampler.h>
#include <stddef.h>

/* The library's own state is the handle. */
static SpeexResamplerState *state_of(cspeexdsp_resampler *resampler) {
  return (SpeexResamplerState *)(void *)resampler;
}

cspeexdsp_resampler *cspeexdsp_resampler_create(int32_t input_rate, int32_t output_rate) {
  if (input_rate <= 0 || output_rate <= 0)
    return NULL;
  int code = 0;
  return (cspeexdsp_resampler *)(void *)speex_resampler_init(
      1, (spx_uint32_t)input_rate, (spx_uint32_t)output_rate, SPEEX_RESAMPLER_QUALITY_DESKTOP, &code);
}

void cspeexdsp_resampler_destroy(cspeexdsp_resampler *resampler) {
  if (resampler != NULL)
    speex_resampler_destroy(state_of(resampler));
}

int32_t cspeexdsp_resampler_delay(cspeexdsp_resampler *resampler) {
  return speex_resampler_get_input_latency(state_of(resampler));
}

int32_t cspeexdsp_resampler_run(cspeexdsp_resampler *resampler, const float *input, int32_t input_frames, float *output,
                                int32_t output_frames) {
  spx_uint32_t taken = (spx_uint32_t)input_frames, written = (spx_uint32_t)output_frames;
  speex_resampler_process_float(state_of(resampler), 0, input, &taken, output, &written);
  return (int32_t)written;
}
