/**
 * CMySofa: libmysofa (BSD-3), which reads how sound from each direction reaches a head's ears out of a file (AES69);
 * loaded when it is wanted.
 *
 * [control] any thread, one at a time for each table; may allocate and read files
 */
#ifndef CMYSOFA_H
#define CMYSOFA_H

#include <stdint.h>

typedef struct cmysofa cmysofa;

/** Loads a library by path or name, for good, and reads a file at a sample rate. NULL: it does not work; then `words`,
 *  of so many bytes, says what is wrong. It takes half a second. [control] */
cmysofa *cmysofa_open(const char *library_path, const char *file_path, float sample_rate, char *words,
                      int32_t word_bytes);
/** NULL is allowed. [control] */
void cmysofa_close(cmysofa *table);
/** Frames of an impulse response. [control] */
int32_t cmysofa_frames(const cmysofa *table);
/** The impulse responses of both ears for a direction: to the front, to the left, and up, of a length of 1. The delays,
 *  in seconds, come on top. [control] */
void cmysofa_filter(cmysofa *table, float front, float left, float up, float *left_ear_out, float *right_ear_out,
                    float *left_delay_out, float *right_delay_out);

#endif
