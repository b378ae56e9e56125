/**
 * CQREncode: libqrencode's encoder, one symbol at a time. The shim turns its structure of raw bytes into "is that
 * module dark?". All functions [control].
 */
#ifndef CQRENCODE_H
#define CQRENCODE_H

#include <stdint.h>

typedef struct cqrencode_symbol cqrencode_symbol;

/** The smallest symbol (ISO/IEC 18004) with medium error correction that holds the octets. NULL and *error: -EINVAL
 *  (nothing to encode), -ERANGE (more than any symbol holds), -ENOMEM. */
cqrencode_symbol *cqrencode_create(const uint8_t *octets, int32_t count, int32_t *error);
/** NULL is allowed. */
void cqrencode_destroy(cqrencode_symbol *symbol);
/** Modules along each side, 21 ... 177, without the quiet zone. */
int32_t cqrencode_side(const cqrencode_symbol *symbol);
/** 1: dark, 0: light, and that too beyond the sides. */
int32_t cqrencode_is_dark(const cqrencode_symbol *symbol, int32_t column, int32_t row);

#endif
