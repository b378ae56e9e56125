#include "rt_glide.h"

#include <stddef.h>

/* Frames of a way from 0 to 1 at least. */
static const float whole_way_frames = 1024.0f;

void rt_glide_jump(struct rt_glide *glide, float gain) RT_NONBLOCKING {
  glide->target = 1.0f - gain;
  glide->now = glide->target;
  glide->frames = 0;
}

void rt_glide_aim(struct rt_glide *glide, float gain, uint32_t fall_frames, uint32_t rise_frames) RT_NONBLOCKING {
  const float target = 1.0f - gain;
  if (target == glide->target) return;
  const float way = target - glide->now;
  const uint32_t asked = way > 0.0f ? fall_frames : rise_frames;
  const uint32_t least = (uint32_t)((way > 0.0f ? way : -way) * whole_way_frames) + 1;
  glide->target = target;
  glide->frames = asked > least ? asked : least;
  glide->step = way / (float)glide->frames;
}

void rt_glide_apply(struct rt_glide *glide, float *left, float *right, uint32_t frame_count) RT_NONBLOCKING {
  for (uint32_t i = 0; i < frame_count; i++) {
    const float gain = rt_glide_next(glide);
    left[i] *= gain;
    if (right != NULL) right[i] *= gain;
  }
}

void rt_glide_pass(struct rt_glide *glide, uint32_t frame_count) RT_NONBLOCKING {
  if (frame_count >= glide->frames) {
    glide->now = glide->target;
    glide->frames = 0;
    return;
  }
  glide->now += glide->step * (float)frame_count;
  glide->frames -= frame_count;
}
