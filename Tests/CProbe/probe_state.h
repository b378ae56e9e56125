/** The inside of a probe, shared by its control file and its real-time file. */
#ifndef PROBE_STATE_H
#define PROBE_STATE_H

#include <jack/jack.h>
#include <stdatomic.h>

#include "CProbe.h"

typedef struct rig_source {
  float *samples;
  size_t frames;
  bool loops;
} rig_source;

enum rig_run { RIG_IDLE = 0, RIG_RUNNING = 1, RIG_STOPPING = 2 };

struct rig_probe {
  jack_client_t *client;
  rig_probe_mode mode;
  unsigned input_count, output_count;
  jack_port_t *inputs[RIG_PROBE_MAXIMUM_PORTS];
  jack_port_t *outputs[RIG_PROBE_MAXIMUM_PORTS];
  rig_source sources[RIG_PROBE_MAXIMUM_PORTS];
  float *recordings[RIG_PROBE_MAXIMUM_PORTS];
  size_t record_capacity;
  rig_period *periods;
  size_t period_capacity;
  unsigned sample_rate, period_frames;

  /** Control stores RUNNING and STOPPING, the callback answers STOPPING with IDLE. */
  _Atomic int run;
  /** Released by the callback after the data they count is written. */
  atomic_size_t period_count, recorded_frames;
  _Atomic int64_t played_frames;
  atomic_uint_fast64_t xruns, skips;
  atomic_uint_fast64_t cycles, audible_cycles[RIG_PROBE_MAXIMUM_PORTS];
  atomic_bool is_dead;
  /** Callback only. */
  uint32_t next_frame_time;
  bool has_frame_time;
};

/** The process callback. [rt] */
int rig_probe_process(jack_nframes_t frames, void *context);

#endif
