#include "CQREncode.h"

#include <errno.h>
#include <qrencode.h>
#include <stdlib.h>
#include <string.h>

struct cqrencode_symbol {
  QRcode *code;
};

cqrencode_symbol *cqrencode_create(const uint8_t *octets, int32_t count, int32_t *error) {
  *error = -EINVAL;
  if (octets == NULL || count <= 0)
    return NULL;
  *error = -ENOMEM;
  cqrencode_symbol *symbol = malloc(sizeof *symbol);
  if (symbol == NULL)
    return NULL;
  symbol->code = QRcode_encodeData(count, octets, 0, QR_ECLEVEL_M);
  if (symbol->code == NULL) {
    *error = errno == ERANGE ? -ERANGE : -ENOMEM;
    free(symbol);
    return NULL;
  }
  *error = 0;
  return symbol;
}

void cqrencode_destroy(cqrencode_symbol *symbol) {
  if (symbol == NULL)
    return;
  /* What is in the symbol may be a secret. */
  explicit_bzero(symbol->code->data, (size_t)symbol->code->width * (size_t)symbol->code->width);
  QRcode_free(symbol->code);
  free(symbol);
}

int32_t cqrencode_side(const cqrencode_symbol *symbol) { return symbol->code->width; }

int32_t cqrencode_is_dark(const cqrencode_symbol *symbol, int32_t column, int32_t row) {
  const int32_t side = symbol->code->width;
  if (column < 0 || row < 0 || column >= side || row >= side)
    return 0;
  return symbol->code->data[row * side + column] & 1;
}
