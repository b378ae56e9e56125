#include "core_test.h"

#include <stdio.h>

static unsigned expectations, failures;

void core_expect(bool is_true, const char *words, const char *file, int line) {
  expectations++;
  if (is_true) return;
  failures++;
  printf("%s:%d: not so: %s\n", file, line, words);
}

int main(void) {
  test_rings();
  test_engine();
  test_codec();
  test_cipher();
  test_link();
  printf("%u expectations, %u failures\n", expectations, failures);
  return expectations > 0 && failures == 0 ? 0 : 1;
}
