/**
 * Where a peer is heard around the head: by what a sound from there becomes on its way to either ear, an impulse
 * response each. The main bus alone has it; slots' own ports and other buses stay as they are.
 */
#ifndef RT_PLACE_H
#define RT_PLACE_H

#include <stdint.h>

struct rt_engine;

/** The most frames of an impulse response; 128 do up to 48 kHz. */
enum { RT_PLACE_TAPS = 256 };
/** As long as a cross-fade takes: no frame of it differs from the next by more than -60 dB of full scale. */
enum { RT_PLACE_FADE_FRAMES = 1024 };

/** Gives a slot these responses, of so many frames, up to RT_PLACE_TAPS, in place of its pan; 0: the pan again.
 *
 *  It is heard from the next period on, with a cross-fade of RT_PLACE_FADE_FRAMES unless the slot begins to sound with
 *  it; another one that comes before that is over waits for it, the last that came. A slot of two channels keeps its
 *  pan. It stays until another is given, also when the slot is attached anew. [loop] */
void rt_peer_set_place(struct rt_engine *engine, int32_t slot, const float *left, const float *right,
                       uint32_t taps);

#endif
