/**
 * CDeepFilter: DeepFilterNet (MIT or Apache-2.0, H. Schröter), loaded when it is wanted, by the functions in C of its
 * libdf; no package of Debian has it.
 *
 * [control] any thread, may allocate   [loop] the thread that owns the stream
 */
#ifndef CDEEPFILTER_H
#define CDEEPFILTER_H

#include <stdint.h>

/** Frames at 48 kHz of a block. */
enum { CDEEPFILTER_BLOCK_FRAMES = 480 };

typedef struct cdeepfilter_library cdeepfilter_library;

/** Loads a library and looks at a model for it, both by path, for good; it takes half a second. NULL: one is not there,
 *  or not what it should be; then `words`, of so many bytes, says what is wrong: nothing where neither is there.
 *  [control] */
const cdeepfilter_library *cdeepfilter_open(
    const char *library_path, const char *model_path, char *words, int32_t word_bytes);

/** Frames by which it is late, as was found by its first sound. */
int32_t cdeepfilter_delay_frames(const cdeepfilter_library *library);

typedef struct cdeepfilter cdeepfilter;

/** Reads the model; NULL: out of memory. [control] */
cdeepfilter *cdeepfilter_create(const cdeepfilter_library *library);
/** NULL is allowed. [control] */
void cdeepfilter_destroy(cdeepfilter *suppressor);
/** Removes noise from a block of 480 frames at 48 kHz, full scale 1, in place; the frames must be finite. The library
 *  allocates some of what it needs anew each time. [loop] */
void cdeepfilter_run(cdeepfilter *suppressor, float *block);

#endif
