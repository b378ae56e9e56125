#include "COgg.h"

#include <ogg/ogg.h>
#include <stdlib.h>
#include <string.h>

struct cogg_stream {
  ogg_stream_state ogg;
  int64_t packet_count;
};

cogg_stream *cogg_stream_create(int32_t serial) {
  cogg_stream *stream = calloc(1, sizeof *stream);
  if (stream == NULL) return NULL;
  if (ogg_stream_init(&stream->ogg, serial) != 0) {
    free(stream);
    return NULL;
  }
  return stream;
}

void cogg_stream_destroy(cogg_stream *stream) {
  if (stream == NULL) return;
  ogg_stream_clear(&stream->ogg);
  free(stream);
}

int cogg_packet_in(cogg_stream *stream, const uint8_t *packet, int32_t packet_bytes, int64_t granule, bool is_last) {
  ogg_packet one = {
      /* Not changed: libogg's struct serves reading, too. */
      .packet = (unsigned char *)packet,
      .bytes = packet_bytes,
      .b_o_s = stream->packet_count == 0,
      .e_o_s = is_last,
      .granulepos = granule,
      .packetno = stream->packet_count,
  };
  if (ogg_stream_packetin(&stream->ogg, &one) != 0) return -1;
  stream->packet_count++;
  return 0;
}

int32_t cogg_page_out(cogg_stream *stream, bool flush, uint8_t *page) {
  ogg_page out;
  const int is_page = flush ? ogg_stream_flush(&stream->ogg, &out) : ogg_stream_pageout(&stream->ogg, &out);
  if (is_page == 0) return 0;
  memcpy(page, out.header, (size_t)out.header_len);
  memcpy(page + out.header_len, out.body, (size_t)out.body_len);
  return (int32_t)(out.header_len + out.body_len);
}
