/**
 * COgg: one logical Ogg bitstream (RFC 3533) behind an opaque handle, which hides libogg's structs and who owns their
 * memory. For one thread at a time; all functions but destroy may allocate. [control]
 */
#ifndef COGG_H
#define COGG_H

#include <stdbool.h>
#include <stdint.h>

typedef struct cogg_stream cogg_stream;

/** The longest page: header, lacing values and body (RFC 3533 section 6). */
enum { COGG_MAX_PAGE_BYTES = 27 + 255 + 255 * 255 };

/** NULL: out of memory. */
cogg_stream *cogg_stream_create(int32_t serial);
void cogg_stream_destroy(cogg_stream *stream);
/** Takes a packet, which is copied; granule is the position at its end. The first packet begins the stream by itself.
 *  0 or -1. */
int cogg_packet_in(cogg_stream *stream, const uint8_t *packet, int32_t packet_bytes, int64_t granule, bool is_last);
/** Writes the next page, one that is not full only with flush. page has room for COGG_MAX_PAGE_BYTES.
 *  Bytes, 0: no page. */
int32_t cogg_page_out(cogg_stream *stream, bool flush, uint8_t *page);

#endif
