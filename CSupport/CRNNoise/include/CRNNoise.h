/**
 * CRNNoise: RNNoise (BSD-3, J.-M. Valin), loaded when it is wanted: no package of Debian 12 has it as a library.
 *
 * [control] any thread, may allocate   [loop] the thread that owns the stream; allocates nothing
 */
#ifndef CRNNOISE_H
#define CRNNOISE_H

#include <stdint.h>

/** Frames at 48 kHz of a block. */
enum { CRNNOISE_BLOCK_FRAMES = 480 };

typedef struct crnnoise_library crnnoise_library;

/** Loads a library by path or name, for good. NULL: it is not there, or not RNNoise; then `words`, of so many bytes,
 *  says what is wrong. [control] */
const crnnoise_library *crnnoise_open(const char *path, char *words, int32_t word_bytes);

/** Frames by which it is late: a block, and two from version 0.2 on. */
int32_t crnnoise_delay_frames(const crnnoise_library *library);

typedef struct crnnoise crnnoise;

/** NULL: out of memory. [control] */
crnnoise *crnnoise_create(const crnnoise_library *library);
/** NULL is allowed. [control] */
void crnnoise_destroy(crnnoise *suppressor);
/** Removes noise from a block of 480 frames at 48 kHz, full scale 1, in place; the frames must be finite. Returns how
 *  probable it is that what comes out has a voice in it, 0 to 1. [loop] */
float crnnoise_run(crnnoise *suppressor, float *block);

#endif
