/**
 * CAEC3: WebRTC's echo canceller (AEC3, BSD-3), loaded when it is wanted: comlink-aec3.so, which is built of `library`
 * where Debian's libwebrtc-audio-processing is 1 or newer.
 *
 * [control] any thread, may allocate   [loop] the thread that owns the stream; allocates nothing itself
 */
#ifndef CAEC3_H
#define CAEC3_H

#include <stdint.h>

typedef struct caec3_library caec3_library;

/** Loads it by path, for good. NULL: it is not there, or not what it should be; then `words`, of so many bytes, says
 *  what is wrong: nothing where it is not there. [control] */
const caec3_library *caec3_open(const char *path, char *words, int32_t word_bytes);

typedef struct caec3 caec3;

/** For blocks of 10 ms at a rate, Hz. NULL: out of memory, or such a block is no whole number of frames. [control] */
caec3 *caec3_create(const caec3_library *library, int32_t sample_rate);
/** NULL is allowed. [control] */
void caec3_destroy(caec3 *canceller);
/** Frames by which it is late, as was found by a click. */
int32_t caec3_delay_frames(const caec3 *canceller);
/** Takes what two loudspeakers played in 10 ms, and out of what the microphone heard meanwhile the echo of that, in
 *  place; full scale 1, finite. [loop] */
void caec3_run(caec3 *canceller, const float *left, const float *right, float *block);
/** By how much its filter lowered the echo lately, dB; 0 where it finds none. [loop] */
float caec3_lowered_decibels(caec3 *canceller);

#endif
