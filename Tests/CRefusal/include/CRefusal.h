/** For tests: a kernel that refuses a system call. */
#ifndef CREFUSAL_H
#define CREFUSAL_H

#include <stdint.h>

/** Any call of that number. */
enum { REFUSAL_ANY = -1 };

/** From now on the kernel answers with an error, for the calling thread alone and until its end: a positive errno, to
 *  calls of that number whose argument (0 ... 5, or REFUSAL_ANY) has that value. 0 or -errno. */
int refusal_begin(long call, int argument, uint32_t value, int error);
/** io_uring_enter's number; its argument 2 is for how many completions it waits. */
long refusal_io_uring_enter(void);

#endif
