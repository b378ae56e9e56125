/**
 * COpus: libopus behind two opaque handles. The shim exists because Swift cannot call variadic *_ctl functions.
 * Float at 48 kHz, mono but for what is made for two channels (interleaved, left first).
 * All functions [loop] once created; none allocates but create.
 */
#ifndef COPUS_H
#define COPUS_H

#include <stdint.h>

typedef struct copus_encoder copus_encoder;
typedef struct copus_decoder copus_decoder;

/** The most of the spectrum that is coded: 8 or 20 kHz. */
enum copus_bandwidth { COPUS_WIDE = 0, COPUS_FULL = 1 };
enum copus_application { COPUS_LOWDELAY = 0, COPUS_VOIP = 1, COPUS_AUDIO = 2 };

/** channels: 1 or 2. NULL and *error (an OPUS_* code) on failure. [control] */
copus_encoder *copus_encoder_create(enum copus_application application, int32_t channels, int32_t *error);
void copus_encoder_destroy(copus_encoder *encoder);
/** Bits per second 6000 ... 510000; 0 or an OPUS_* code. */
int32_t copus_encoder_set_bitrate(copus_encoder *encoder, int32_t bits_per_second);
int32_t copus_encoder_set_complexity(copus_encoder *encoder, int32_t complexity);
int32_t copus_encoder_set_max_bandwidth(copus_encoder *encoder, enum copus_bandwidth bandwidth);
/** In-band FEC for a loss of 1 ... 100 %, where the mode has it: at the bit rate, so that the voice itself gets less;
 *  0: none. 0 or an OPUS_* code. */
int32_t copus_encoder_set_expected_loss(copus_encoder *encoder, int32_t percent);
void copus_encoder_reset(copus_encoder *encoder);
int32_t copus_encoder_lookahead_frames(copus_encoder *encoder);
/** frames: 120, 240, 480, 960, 1920 or 2880, of all channels. Payload bytes or an OPUS_* code (negative). */
int32_t copus_encode(copus_encoder *encoder, const float *pcm, int32_t frames, uint8_t *payload, int32_t capacity_bytes);

/** channels: 1 or 2, interleaved, whatever packets have. Asks for the better concealment of libopus 1.5 and later where
 *  that is what runs. [control] */
copus_decoder *copus_decoder_create(int32_t channels, int32_t *error);
void copus_decoder_destroy(copus_decoder *decoder);
/** payload NULL: conceal exactly frames_capacity frames. Frames decoded or an OPUS_* code (negative). */
int32_t copus_decode(copus_decoder *decoder, const uint8_t *payload, int32_t payload_bytes, float *pcm, int32_t frames_capacity);
/** Decodes the frames_capacity frames before a payload from its in-band FEC; what it has none for is concealed.
 *  Frames decoded or an OPUS_* code (negative). */
int32_t copus_recover(copus_decoder *decoder, const uint8_t *payload, int32_t payload_bytes, float *pcm, int32_t frames_capacity);
/** Whether a libopus of that version string (opus_get_version_string) conceals losses with a neural network.
 *  [control] */
int copus_conceals_deeply(const char *version);
void copus_decoder_reset(copus_decoder *decoder);
/** Remembers the decoder's state, in place of what it remembered before; one that was just made remembers that. */
void copus_decoder_keep(copus_decoder *decoder);
/** Goes back to that state. */
void copus_decoder_go_back(copus_decoder *decoder);
/** Words for an OPUS_* code. */
const char *copus_error_text(int32_t code);

#endif
