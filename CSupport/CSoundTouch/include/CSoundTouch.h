/**
 * CSoundTouch: SoundTouch (LGPL-2.1, O. Parviainen), which changes the pitch of a voice; loaded when it is wanted, by
 * the functions in C that it has beside those in C++.
 *
 * [control] any thread, may allocate   [loop] the thread that owns the stream
 */
#ifndef CSOUNDTOUCH_H
#define CSOUNDTOUCH_H

#include <stdint.h>

typedef struct csoundtouch_library csoundtouch_library;

/** Loads a library by path or name, for good. NULL: it is not there, or not SoundTouch; then `words`, of so many bytes,
 *  says what is wrong. [control] */
const csoundtouch_library *csoundtouch_open(const char *path, char *words, int32_t word_bytes);

typedef struct csoundtouch csoundtouch;

/** One channel at a sample rate, whose pitch is multiplied by a factor, 0.5 ... 2; set to be as little late as a voice
 *  bears. NULL: out of memory. [control] */
csoundtouch *csoundtouch_create(const csoundtouch_library *library, int32_t sample_rate, float factor);
/** NULL is allowed. [control] */
void csoundtouch_destroy(csoundtouch *shifter);
/** Takes frames, which must be finite. It allocates no more once it has taken as many at once before. [loop] */
void csoundtouch_put(csoundtouch *shifter, const float *frames, int32_t count);
/** Gives up to so many frames of what is ready; returns how many. [loop] */
int32_t csoundtouch_take(csoundtouch *shifter, float *frames_out, int32_t most);

#endif
