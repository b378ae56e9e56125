#include "state.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>

struct libavahi_client libavahi_client;
struct libavahi_core libavahi_core;

static int is_client_loaded, is_core_loaded;

/* POSIX lets a symbol's address be a function; ISO C wants it copied through memory. */
#define LOAD_FUNCTION(name) \
  *(void **)&library.name = dlsym(handle, #name); \
  is_complete = is_complete && library.name != NULL;

static void load_client(void) {
  void *handle = dlopen("libavahi-client.so.3", RTLD_NOW | RTLD_LOCAL);
  int is_complete = handle != NULL;
  struct libavahi_client library = {0};
  if (handle == NULL)
    return;
  LIBAVAHI_CLIENT(LOAD_FUNCTION)
  libavahi_client = library;
  is_client_loaded = is_complete;
}

/* avahi-core logs to stderr what any packet can provoke. */
static void drop_log(AvahiLogLevel level, const char *text) {
  (void)level;
  (void)text;
}

static void load_core(void) {
  void *handle = dlopen("libavahi-core.so.7", RTLD_NOW | RTLD_LOCAL);
  int is_complete = handle != NULL;
  struct libavahi_core library = {0};
  if (handle == NULL)
    return;
  LIBAVAHI_CORE(LOAD_FUNCTION)
  libavahi_core = library;
  is_core_loaded = is_complete;
  if (is_complete)
    libavahi_core.avahi_set_log_function(drop_log);
}

int has_libavahi_client(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, load_client);
  return is_client_loaded;
}

int has_libavahi_core(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, load_core);
  return is_core_loaded;
}
