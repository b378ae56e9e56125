#include "rt_spares.h"

#include "rt_ports.h"
#include "rt_state.h"

#include <jack/jack.h>
#include <string.h>

/** The place of a name, or RT_MAX_OUTPUTS. */
static uint32_t find(const struct rt_engine *engine, const char *port_name) {
  uint32_t place = 0;
  while (place < RT_MAX_OUTPUTS && strcmp(engine->spare_names[place], port_name) != 0) place++;
  return place;
}

/** Takes a port out of a place, which may be empty, once the callback has left it. */
static jack_port_t *take_out(struct rt_engine *engine, uint32_t place) {
  engine->spare_names[place][0] = '\0';
  jack_port_t *port = atomic_exchange_explicit(&engine->spare_ports[place], NULL, memory_order_seq_cst);
  if (port == NULL) return NULL;
  (void)rt_ports_wait(engine);
  atomic_fetch_sub_explicit(&engine->spare_count, 1, memory_order_relaxed);
  return port;
}

void rt_spares_keep(struct rt_engine *engine) {
  for (rt_output output = 0; output < RT_MAX_OUTPUTS; output++) {
    jack_port_t *port = atomic_load_explicit(&engine->output_ports[output], memory_order_relaxed);
    if (port != NULL) {
      const uint32_t place = engine->next_spare++ % RT_MAX_OUTPUTS;
      jack_port_t *oldest = take_out(engine, place);
      if (oldest != NULL) jack_port_unregister(engine->client, oldest);
      strcpy(engine->spare_names[place], engine->output_names[output]);
      atomic_fetch_add_explicit(&engine->spare_count, 1, memory_order_relaxed);
      atomic_store_explicit(&engine->spare_ports[place], port, memory_order_seq_cst);
      atomic_store_explicit(&engine->output_ports[output], NULL, memory_order_seq_cst);
    }
    engine->output_names[output][0] = '\0';
  }
}

bool rt_spares_has(const struct rt_engine *engine, const char *port_name) {
  return find(engine, port_name) < RT_MAX_OUTPUTS;
}

void rt_spares_take(struct rt_engine *engine, rt_output output, const char *port_name) {
  const uint32_t place = find(engine, port_name);
  if (place == RT_MAX_OUTPUTS) return;
  jack_port_t *port = atomic_load_explicit(&engine->spare_ports[place], memory_order_relaxed);
  atomic_store_explicit(&engine->output_ports[output], port, memory_order_seq_cst);
  (void)take_out(engine, place);
}

bool rt_spares_drop(struct rt_engine *engine) {
  bool has_dropped = false;
  for (uint32_t place = 0; place < RT_MAX_OUTPUTS; place++) {
    jack_port_t *port = take_out(engine, place);
    if (port == NULL) continue;
    jack_port_unregister(engine->client, port);
    has_dropped = true;
  }
  return has_dropped;
}
