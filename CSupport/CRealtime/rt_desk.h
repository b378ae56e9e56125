/** The mixing desk: all that the callback works with besides JACK; this process' way to what is shared, and its own. */
#ifndef RT_DESK_H
#define RT_DESK_H

#include "rt_bus_layout.h"
#include "rt_capture_frame.h"
#include "rt_ear_layout.h"
#include "rt_hole.h"
#include "rt_limiter.h"
#include "rt_shared.h"

/** What JACK reported, counted; see rt_counters. */
struct rt_reports {
  uint64_t xruns, period_changes, rate_changes;
};

struct rt_desk {
  struct rt_shared *shared;
  int wake_fd; /**< < 0: nobody to wake */
  struct rt_ring capture, signal, record;
  uint32_t capture_channels; /**< never written while a callback may run */
  struct rt_voice voices[RT_MAX_PEERS];
  struct rt_place_sound place_sounds[RT_MAX_PEERS];  /**< the voices' */
  struct rt_conceal_past conceal_pasts[RT_MAX_PEERS]; /**< the same */

  /* The callback's own. */
  struct rt_limiter limiter;      /**< the main bus' */
  struct rt_crosspoint sidetone;
  struct rt_ear ear;
  bool has_sidetone;              /**< in this period, of desk->microphone */
  uint32_t place_changes;         /**< as far as followed */
  bool places_changed;            /**< in this period */
  uint32_t running_buses;         /**< in this period; a bit a place in buses */
  float insert_fade;          /**< position, see rt_fade.h */
  struct rt_capture_span span; /**< of this period */
  float last_frame[RT_MAX_CAPTURE_CHANNELS];
  struct rt_cycle last_cycle; /**< the period before; period_frames 0: there was none */
  int32_t suspected_frames;   /**< that the last callback found missing, for the next to confirm; below 0: too many were */
  struct rt_hole hole;        /**< longer than those, for the next callbacks to confirm */
  struct rt_reports told;     /**< what of JACK's reports is in shared already */
  uint32_t source;            /**< what is inserted, see rt_source.h */
  float scratch[RT_MAX_PERIOD_FRAMES];
  float line[RT_PLACE_TAPS - 1 + RT_MAX_PERIOD_FRAMES + RT_PLACE_BLOCK]; /**< see rt_place_add */
  float side[RT_MAX_PERIOD_FRAMES]; /**< of the slot in scratch, where it has two channels */
  float tap[RT_MAX_PERIOD_FRAMES]; /**< see rt_source.h */
  float microphone[RT_MAX_PERIOD_FRAMES]; /**< see rt_capture_begin */
  float reference_left[RT_MAX_PERIOD_FRAMES], reference_right[RT_MAX_PERIOD_FRAMES]; /**< where there is a sidetone */
  struct rt_bus_desk buses[RT_OPENED_BUSES];
};

/** Sets a desk up, at rest; no callback may be using it. [control] */
void rt_desk_init(struct rt_desk *desk, struct rt_shared *shared, int wake_fd);

#endif
