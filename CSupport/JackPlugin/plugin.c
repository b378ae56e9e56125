/**
 * comlink.so: the entry points by which jackd loads CRealtime's plugin as an internal client.
 *
 *   jack_load comlink [SOCKET]   jack_initialize, with the path in the load-init string
 *   jackd -I comlink             jack_get_descriptor at start-up tells that it is there; then jack_internal_initialize
 *   either, at its end           jack_finish
 *
 * Not linked with libjack: every jack_ symbol is libjackserver's, in jackd itself. Built by build.sh, as SwiftPM would
 * link what a library in jackd must not bring along.
 */
#include "rt_plugin.h"

#include <jack/jack.h>
#include <jack/jslist.h>
#include <stddef.h>

#define EXPORT __attribute__((visibility("default")))

/** libjackserver's, in no header that is installed; made and read by it alone. */
typedef struct jack_driver_description jack_driver_description;
jack_driver_description *jack_driver_descriptor_construct(const char *name, int type, const char *description,
                                                          void *filler);
enum { DRIVER_TYPE_NONE = 3 };

EXPORT jack_driver_description *jack_get_descriptor(void);
EXPORT int jack_initialize(jack_client_t *client, const char *load_init);
EXPORT int jack_internal_initialize(jack_client_t *client, const JSList *parameters);
EXPORT void jack_finish(void *process_argument);

/** What `jackd -I` calls it. */
jack_driver_description *jack_get_descriptor(void) {
  return jack_driver_descriptor_construct("comlink", DRIVER_TYPE_NONE, "Comlink voice intercom", NULL);
}

int jack_initialize(jack_client_t *client, const char *load_init) {
  return rt_plugin_load(client, load_init) == 0 ? 0 : 1;
}

/** There are no parameters: the path of the socket is the default. */
int jack_internal_initialize(jack_client_t *client, const JSList *parameters) {
  (void)parameters;
  return jack_initialize(client, NULL);
}

void jack_finish(void *process_argument) {
  rt_plugin_unload(process_argument);
}
