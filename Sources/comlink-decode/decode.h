/**
 * comlink-decode: decodes one audio file that anybody may have made, where it can do no harm. The file is descriptor 0,
 * which can be searched; the sound goes to descriptor 1: the rate (4 octets, the lowest first), then frames of one
 * channel, 32-bit floating point. It has a process of its own: what it may use is bounded, it reaches no network and no
 * file of the user's, and when it crashes nothing else does.
 */
#ifndef COMLINK_DECODE_H
#define COMLINK_DECODE_H

#include <stddef.h>
#include <stdint.h>

/** How it ends; others are crashes and signals. */
enum {
  DECODE_DONE = 0,
  /** The file is damaged, or of no kind that is known. */
  DECODE_REFUSED = 65,
  /** A library or a program is missing. */
  DECODE_MISSING = 69,
  /** It could not be confined, and nothing was decoded. */
  DECODE_UNCONFINED = 71,
};

/** Frames of ten minutes at the highest rate, and one more: who reads knows that there is more. */
enum { DECODE_LEAST_RATE = 8000, DECODE_MOST_RATE = 192000, DECODE_MOST_SECONDS = 601, DECODE_MOST_CHANNELS = 8 };

/** From now on this process can do nothing but compute, and read what it has open. 0, or -1 with errno. */
int confine(void);
/** Whether the kernel bounds which files are reached; else only what is done with them is. */
int has_landlock(void);
/** Writes all of it to descriptor 1; 0, or -1: nobody reads. */
int write_all(const void *octets, size_t count);
/** Loads libsndfile, before confinement; 0, or -1: it is not there. */
int sound_load(void);
/** Decodes descriptor 0 by libsndfile. An exit code. */
int sound_decode(void);
/** Becomes ffmpeg, which decodes descriptor 0. An exit code, where that cannot be. */
int m4a_decode(void);

#endif
