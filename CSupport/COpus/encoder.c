#include "COpus.h"

#include <opus.h>
#include <stdlib.h>

enum { SAMPLE_RATE = 48000 };

/* One pointer, so that the header needs no opus.h and Swift gets an opaque type of ours. */
struct copus_encoder {
  OpusEncoder *opus;
};

static int opus_application(enum copus_application application) {
  switch (application) {
  case COPUS_LOWDELAY:
    return OPUS_APPLICATION_RESTRICTED_LOWDELAY;
  case COPUS_VOIP:
    return OPUS_APPLICATION_VOIP;
  case COPUS_AUDIO:
    return OPUS_APPLICATION_AUDIO;
  }
  return 0; /* libopus answers with OPUS_BAD_ARG */
}

copus_encoder *copus_encoder_create(enum copus_application application, int32_t channels, int32_t *error) {
  copus_encoder *encoder = malloc(sizeof *encoder);
  if (encoder == NULL) {
    *error = OPUS_ALLOC_FAIL;
    return NULL;
  }
  encoder->opus = opus_encoder_create(SAMPLE_RATE, channels, opus_application(application), error);
  if (encoder->opus == NULL) {
    free(encoder);
    return NULL;
  }
  return encoder;
}

void copus_encoder_destroy(copus_encoder *encoder) {
  if (encoder == NULL)
    return;
  opus_encoder_destroy(encoder->opus);
  free(encoder);
}

int32_t copus_encoder_set_bitrate(copus_encoder *encoder, int32_t bits_per_second) {
  /* libopus clamps silently; a caller who asks for the impossible shall hear of it. */
  if (bits_per_second < 6000 || bits_per_second > 510000)
    return OPUS_BAD_ARG;
  return opus_encoder_ctl(encoder->opus, OPUS_SET_BITRATE(bits_per_second));
}

int32_t copus_encoder_set_complexity(copus_encoder *encoder, int32_t complexity) {
  return opus_encoder_ctl(encoder->opus, OPUS_SET_COMPLEXITY(complexity));
}

int32_t copus_encoder_set_max_bandwidth(copus_encoder *encoder, enum copus_bandwidth bandwidth) {
  opus_int32 most = bandwidth == COPUS_WIDE ? OPUS_BANDWIDTH_WIDEBAND : OPUS_BANDWIDTH_FULLBAND;
  return opus_encoder_ctl(encoder->opus, OPUS_SET_MAX_BANDWIDTH(most));
}

int32_t copus_encoder_set_expected_loss(copus_encoder *encoder, int32_t percent) {
  int32_t error = opus_encoder_ctl(encoder->opus, OPUS_SET_PACKET_LOSS_PERC(percent));
  return error == OPUS_OK ? opus_encoder_ctl(encoder->opus, OPUS_SET_INBAND_FEC(percent > 0)) : error;
}

void copus_encoder_reset(copus_encoder *encoder) {
  (void)opus_encoder_ctl(encoder->opus, OPUS_RESET_STATE);
}

int32_t copus_encoder_lookahead_frames(copus_encoder *encoder) {
  opus_int32 frames = 0;
  int error = opus_encoder_ctl(encoder->opus, OPUS_GET_LOOKAHEAD(&frames));
  return error == OPUS_OK ? frames : error;
}

static int is_frame_size(int32_t frames) {
  return frames == 120 || frames == 240 || frames == 480 || frames == 960 || frames == 1920 ||
         frames == 2880;
}

int32_t copus_encode(copus_encoder *encoder, const float *pcm, int32_t frames, uint8_t *payload,
                     int32_t capacity_bytes) {
  if (pcm == NULL || payload == NULL || capacity_bytes <= 0 || !is_frame_size(frames))
    return OPUS_BAD_ARG;
  return opus_encode_float(encoder->opus, pcm, frames, payload, capacity_bytes);
}
