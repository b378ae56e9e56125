/**
 * What comlink-aec3.so is to CAEC3, which loads it: one symbol, by which all else is found.
 *
 * [control] any thread, may allocate   [loop] the thread that owns the stream
 */
#ifndef COMLINK_AEC3_H
#define COMLINK_AEC3_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Of the functions' shape; another number is another library. */
enum { COMLINK_AEC3_SHAPE = 1 };

typedef struct comlink_aec3 comlink_aec3;

typedef struct {
  int32_t shape;
  /** For blocks of 10 ms at a rate, Hz, a multiple of 100. NULL: not to be had. [control] */
  comlink_aec3 *(*create)(int32_t sample_rate);
  /** [control] */
  void (*destroy)(comlink_aec3 *canceller);
  int32_t (*delay_frames)(const comlink_aec3 *canceller);
  /** In place; full scale 1, finite. [loop] */
  void (*run)(comlink_aec3 *canceller, const float *left, const float *right, float *block);
  /** By how much the linear filter lowers the echo, dB. [loop] */
  float (*lowered_decibels)(comlink_aec3 *canceller);
} comlink_aec3_functions;

/** [control] */
const comlink_aec3_functions *comlink_aec3_open(void);

#ifdef __cplusplus
}
#endif

#endif
