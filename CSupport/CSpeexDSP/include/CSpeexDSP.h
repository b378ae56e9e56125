/**
 * CSpeexDSP: libspeexdsp's noise suppressor and sample-rate converter behind opaque handles, for one mono float stream,
 * full scale 1. The library's suppressor takes 16-bit samples; the shim converts, clips what is beyond them and takes
 * what is not a number for silence.
 *
 * [control] any thread, may allocate   [loop] the thread that owns the stream; allocates nothing
 */
#ifndef CSPEEXDSP_H
#define CSPEEXDSP_H

#include <stdint.h>

typedef struct cspeexdsp_suppressor cspeexdsp_suppressor;

/** For blocks of so many frames at a rate, Hz. NULL: out of memory, or more than 4096 frames. [control] */
cspeexdsp_suppressor *cspeexdsp_suppressor_create(int32_t block_frames, int32_t sample_rate);
/** NULL is allowed. [control] */
void cspeexdsp_suppressor_destroy(cspeexdsp_suppressor *suppressor);
/** By how much noise is lowered at most, dB, below 0. [loop] */
void cspeexdsp_suppressor_set_depth(cspeexdsp_suppressor *suppressor, int32_t decibels);
/** Lowers the noise in a block, in place; what comes out is one block late. [loop] */
void cspeexdsp_suppressor_run(cspeexdsp_suppressor *suppressor, float *block);

typedef struct cspeexdsp_resampler cspeexdsp_resampler;

/** Between two rates, Hz. NULL: out of memory, or a rate that the library does not take. [control] */
cspeexdsp_resampler *cspeexdsp_resampler_create(int32_t input_rate, int32_t output_rate);
/** NULL is allowed. [control] */
void cspeexdsp_resampler_destroy(cspeexdsp_resampler *resampler);
/** Its delay, input frames. [loop] */
int32_t cspeexdsp_resampler_delay(cspeexdsp_resampler *resampler);
/** Converts all of the input; returns the frames written, at most `output_frames`. [loop] */
int32_t cspeexdsp_resampler_run(cspeexdsp_resampler *resampler, const float *input, int32_t input_frames, float *output,
                                int32_t output_frames);

#endif
