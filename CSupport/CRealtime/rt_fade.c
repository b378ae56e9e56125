#include "rt_fade.h"

#include <string.h>

static float gain_at(float position) RT_NONBLOCKING;
static float gain_at(float position) RT_NONBLOCKING {
  return position * position * (3.0f - 2.0f * position);
}

void rt_fade_apply(float *frames, uint32_t frame_count, float *position, float step) RT_NONBLOCKING {
  float at = *position;
  uint32_t i = 0;
  if (step > 0.0f) {
    for (; i < frame_count && at < 1.0f; i++) {
      at = at + step < 1.0f ? at + step : 1.0f;
      frames[i] *= gain_at(at);
    }
  } else {
    for (; i < frame_count && at > 0.0f; i++) {
      at = at + step > 0.0f ? at + step : 0.0f;
      frames[i] *= gain_at(at);
    }
    memset(frames + i, 0, (frame_count - i) * sizeof(float));
  }
  *position = at;
}
