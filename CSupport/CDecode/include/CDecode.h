/**
 * CDecode: starts comlink-decode on a copy of a file in memory, and takes what it writes. The shim hides posix_spawn's
 * structs. All functions are [control]; whoever calls them may wait.
 */
#ifndef CDECODE_H
#define CDECODE_H

#include <stddef.h>
#include <stdint.h>

/** How the decoder ends beside 0: see Sources/comlink-decode/decode.h. */
enum { CDECODE_MISSING = 69, CDECODE_UNCONFINED = 71 };

/** Starts it, in a process group of its own. The descriptor that its sound can be read from, or -errno. */
int32_t cdecode_start(const char *program, const char *word, const void *file, size_t bytes, int32_t *process);
/** Reads some octets, waiting for as long: their number, 0: that is all, -ETIMEDOUT, or -errno. */
int32_t cdecode_read(int32_t descriptor, void *room, size_t bytes, int32_t milliseconds);
/** Closes the descriptor and ends the process, after `grace` milliseconds in which it may end by itself: its exit code,
 *  or -signal. */
int32_t cdecode_end(int32_t descriptor, int32_t process, int32_t grace);

#endif
