#include "COpus.h"

#include <opus.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLE_RATE = 48000, CONCEALMENT_STEP_FRAMES = SAMPLE_RATE / 400 };
/* From this decoder complexity on libopus 1.5 and later conceal losses with a neural network. */
enum { CONCEALMENT_COMPLEXITY = 5 };

struct copus_decoder {
  OpusDecoder *opus;
  /* A shallow copy is a whole one: the state is contiguous and may be moved (opus.h). */
  void *kept;
  size_t state_bytes;
};

copus_decoder *copus_decoder_create(int32_t channels, int32_t *error) {
  copus_decoder *decoder = malloc(sizeof *decoder);
  if (decoder == NULL) {
    *error = OPUS_ALLOC_FAIL;
    return NULL;
  }
  decoder->opus = opus_decoder_create(SAMPLE_RATE, channels, error);
  if (decoder->opus == NULL) {
    free(decoder);
    return NULL;
  }
  decoder->state_bytes = (size_t)opus_decoder_get_size(channels);
  decoder->kept = malloc(decoder->state_bytes);
  if (decoder->kept == NULL) {
    *error = OPUS_ALLOC_FAIL;
    opus_decoder_destroy(decoder->opus);
    free(decoder);
    return NULL;
  }
  /* The headers may be older than the library: decoders take the request since 1.5, whose number is the encoder's. */
  if (copus_conceals_deeply(opus_get_version_string()))
    (void)opus_decoder_ctl(decoder->opus, OPUS_SET_COMPLEXITY(CONCEALMENT_COMPLEXITY));
  copus_decoder_keep(decoder);
  return decoder;
}

int copus_conceals_deeply(const char *version) {
  int major = 0, minor = 0;
  /* "libopus 1.3.1", "libopus 1.5.2-fixed", "libopus unknown" */
  if (sscanf(version, "libopus %d.%d", &major, &minor) != 2)
    return 0;
  return major > 1 || (major == 1 && minor >= 5);
}

void copus_decoder_destroy(copus_decoder *decoder) {
  if (decoder == NULL)
    return;
  opus_decoder_destroy(decoder->opus);
  free(decoder->kept);
  free(decoder);
}

int32_t copus_decode(copus_decoder *decoder, const uint8_t *payload, int32_t payload_bytes,
                     float *pcm, int32_t frames_capacity) {
  if (pcm == NULL || frames_capacity <= 0)
    return OPUS_BAD_ARG;
  if (payload == NULL) {
    /* libopus conceals in steps of 2.5 ms only. */
    if (frames_capacity % CONCEALMENT_STEP_FRAMES != 0)
      return OPUS_BAD_ARG;
    return opus_decode_float(decoder->opus, NULL, 0, pcm, frames_capacity, 0);
  }
  /* Zero bytes would mean "lost" to libopus; from the network they are a malformed packet. */
  if (payload_bytes <= 0)
    return OPUS_INVALID_PACKET;
  return opus_decode_float(decoder->opus, payload, payload_bytes, pcm, frames_capacity, 0);
}

int32_t copus_recover(copus_decoder *decoder, const uint8_t *payload, int32_t payload_bytes,
                      float *pcm, int32_t frames_capacity) {
  if (payload == NULL || pcm == NULL || frames_capacity <= 0 ||
      frames_capacity % CONCEALMENT_STEP_FRAMES != 0)
    return OPUS_BAD_ARG;
  if (payload_bytes <= 0)
    return OPUS_INVALID_PACKET;
  return opus_decode_float(decoder->opus, payload, payload_bytes, pcm, frames_capacity, 1);
}

void copus_decoder_reset(copus_decoder *decoder) {
  (void)opus_decoder_ctl(decoder->opus, OPUS_RESET_STATE);
}

void copus_decoder_keep(copus_decoder *decoder) {
  memcpy(decoder->kept, decoder->opus, decoder->state_bytes);
}

void copus_decoder_go_back(copus_decoder *decoder) {
  memcpy(decoder->opus, decoder->kept, decoder->state_bytes);
}

const char *copus_error_text(int32_t code) {
  return opus_strerror(code);
}
