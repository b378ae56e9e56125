#include <errno.h>
#include <sys/timex.h>

#include "CKernel.h"

int32_t kernel_clock_is_synchronised(void) {
  struct timex clock = {0};
  int state = adjtimex(&clock);
  if (state < 0) return -errno;
  return (clock.status & STA_UNSYNC) == 0 && state != TIME_ERROR;
}
