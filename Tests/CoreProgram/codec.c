/* A tone through Opus comes out as a tone: of its level, and late by what the codec says. */
#include "COpus.h"
#include "core_test.h"

#include <math.h>
#include <stddef.h>

enum { FRAMES = 480, PACKETS = 50, PAYLOAD_BYTES = 1200 };

static float tone(int frame) { return 0.5f * sinf(6.2831853f * 1000 / 48000 * (float)(frame % 48)); }

/* In-band FEC: the last packet but one comes back from the last. */
static void test_recovery(void) {
  enum { LONG_FRAMES = 1920 };
  int32_t error = 0;
  copus_encoder *encoder = copus_encoder_create(COPUS_VOIP, 1, &error);
  copus_decoder *decoder = copus_decoder_create(1, &error);
  EXPECT(encoder != NULL && decoder != NULL);
  EXPECT(copus_encoder_set_bitrate(encoder, 24000) == 0);
  EXPECT(copus_encoder_set_max_bandwidth(encoder, COPUS_WIDE) == 0);
  EXPECT(copus_encoder_set_expected_loss(encoder, 101) < 0);
  EXPECT(copus_encoder_set_expected_loss(encoder, 7) == 0);
  static float spoken[LONG_FRAMES], heard[LONG_FRAMES];
  uint8_t payload[PAYLOAD_BYTES];
  int32_t bytes = 0;
  for (int packet = 0; packet < 10; packet++) {
    for (int i = 0; i < LONG_FRAMES; i++) spoken[i] = tone(packet * LONG_FRAMES + i);
    bytes = copus_encode(encoder, spoken, LONG_FRAMES, payload, sizeof payload);
    EXPECT(bytes > 0);
    if (packet < 8) EXPECT(copus_decode(decoder, payload, bytes, heard, LONG_FRAMES) == LONG_FRAMES);
  }
  EXPECT(copus_recover(decoder, payload, 0, heard, LONG_FRAMES) < 0);
  EXPECT(copus_recover(decoder, payload, bytes, heard, LONG_FRAMES - 1) < 0);
  EXPECT(copus_recover(decoder, payload, bytes, heard, LONG_FRAMES) == LONG_FRAMES);
  EXPECT(copus_decode(decoder, payload, bytes, heard, LONG_FRAMES) == LONG_FRAMES);
  copus_decoder_destroy(decoder);
  copus_encoder_destroy(encoder);
}

void test_codec(void) {
  int32_t error = 0;
  copus_encoder *encoder = copus_encoder_create(COPUS_LOWDELAY, 1, &error);
  copus_decoder *decoder = copus_decoder_create(1, &error);
  EXPECT(encoder != NULL && decoder != NULL);
  EXPECT(copus_encoder_set_bitrate(encoder, 64000) == 0);
  const int lookahead = copus_encoder_lookahead_frames(encoder);
  EXPECT(lookahead > 0 && lookahead < FRAMES);
  double wrong = 0, right = 0;
  for (int packet = 0; packet < PACKETS; packet++) {
    float spoken[FRAMES], heard[FRAMES];
    uint8_t payload[PAYLOAD_BYTES];
    for (int i = 0; i < FRAMES; i++) spoken[i] = tone(packet * FRAMES + i);
    const int32_t bytes = copus_encode(encoder, spoken, FRAMES, payload, sizeof payload);
    EXPECT(bytes > 0 && bytes <= 2 * 80);
    EXPECT(copus_decode(decoder, payload, bytes, heard, FRAMES) == FRAMES);
    /* Once it has settled. */
    for (int i = 0; packet > 10 && i < FRAMES; i++) {
      const float expected = tone(packet * FRAMES + i - lookahead + 48 * FRAMES);
      wrong += (double)((heard[i] - expected) * (heard[i] - expected));
      right += (double)(expected * expected);
    }
  }
  /* 20 dB above what is wrong with it. */
  EXPECT(wrong < right / 100);
  float concealed[FRAMES];
  EXPECT(copus_decode(decoder, NULL, 0, concealed, FRAMES) == FRAMES);
  test_recovery();
  copus_decoder_destroy(decoder);
  copus_encoder_destroy(encoder);
}
