/* Planted by 1-function-effects.sh: each function breaks one rule, and none may compile. */
#include "rt_nonblocking.h"

#include <alloca.h>
#include <stdint.h>
#include <stdlib.h>

void canary_allocates(void) RT_NONBLOCKING;
void canary_allocates(void) RT_NONBLOCKING {
  free(malloc(16));
}

void *canary_uses_alloca(uint32_t bytes);
void *canary_uses_alloca(uint32_t bytes) {
  volatile char *memory = alloca(bytes);
  return (void *)(uintptr_t)memory[0];
}

int canary_has_variable_array(uint32_t count);
int canary_has_variable_array(uint32_t count) {
  volatile int numbers[count];
  numbers[0] = 1;
  return numbers[0];
}

typedef void (*takes_pointer)(void *);
takes_pointer canary_casts_function(void (*function)(int));
takes_pointer canary_casts_function(void (*function)(int)) {
  return (takes_pointer)function;
}
