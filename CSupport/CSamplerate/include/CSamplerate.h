/**
 * CSamplerate: libsamplerate's sinc converter (SRC_SINC_FASTEST) behind an opaque handle, for one mono float stream.
 * The shim keeps SRC_DATA's `long` fields and in-out conventions out of Swift.
 *
 * [control] any thread, may allocate   [loop] the thread that owns the stream; allocates nothing
 * Ratio: output rate / input rate.
 */
#ifndef CSAMPLERATE_H
#define CSAMPLERATE_H

#include <stdint.h>

typedef struct csamplerate csamplerate;

/** The ratios libsamplerate takes are 1/256 ... 256. */
enum { CSAMPLERATE_MAXIMUM_RATIO = 256 };

/** NULL and *error: -ENOMEM, or -EINVAL for a ratio out of range. [control] */
csamplerate *csamplerate_create(double ratio, int32_t *error);
/** NULL is allowed. [control] */
void csamplerate_destroy(csamplerate *resampler);

/** The ratio from the next output frame on; the sound goes on without a step, only its slope changes. A ratio that
 *  varies smoothly is set in small steps, as often as wanted. 0 or -EINVAL (out of range or not a number; the old one
 *  stays). [loop] */
int32_t csamplerate_set_ratio(csamplerate *resampler, double ratio);

/** Converts from input to output, which must not overlap; stops when input is used up or output is full.
 *  *consumed_frames may be more than the output needed (up to the converter's own store): those are kept inside.
 *  Output frame n is the input at n / ratio; it comes out once the filter's right half is in. 0 or -EINVAL. [loop] */
int32_t csamplerate_process(csamplerate *resampler, const float *input, int32_t input_frames, float *output,
                            int32_t output_frames, int32_t *consumed_frames, int32_t *produced_frames);

/** Forgets the stream so far; the ratio stays. [loop] */
void csamplerate_reset(csamplerate *resampler);

#endif
