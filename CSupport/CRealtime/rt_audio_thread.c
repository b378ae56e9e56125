#include "rt_audio_thread.h"

#include "rt_process.h"
#include "rt_state.h"

#include <jack/jack.h>
#include <jack/thread.h>

void *rt_audio_thread_run(void *argument) {
  struct rt_engine *engine = argument;
  jack_client_t *client = atomic_load_explicit(&engine->rt_client, memory_order_relaxed);
  for (;;) {
    rt_run_period(engine, jack_cycle_wait(client));
    jack_cycle_signal(client, 0);
    rt_wake_if_due(engine);
  }
}
