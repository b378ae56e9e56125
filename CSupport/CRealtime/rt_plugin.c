/* Control, in jackd: the plugin's beginning, its thread and its end. */
#define _GNU_SOURCE
#include "rt_plugin.h"

#include "rt_clock.h"
#include "rt_engine.h"
#include "rt_plugin_state.h"
#include "rt_session.h"
#include "rt_state.h"

#include <errno.h>
#include <jack/jack.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { STACK_BYTES = 256 << 10, HELLO_MILLISECONDS = 500, ACCEPT_PAUSE_NANOSECONDS = 100000000 };

/* --- the thread --- */

/** Lets somebody in, to hear a hello. */
static void let_in(struct rt_plugin *plugin) {
  const int socket_fd = accept4(plugin->socket.listen_fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (socket_fd < 0) {
    /* Out of descriptors, perhaps: whoever waits at the door would wake us again at once. */
    const struct timespec pause = {.tv_nsec = ACCEPT_PAUSE_NANOSECONDS};
    nanosleep(&pause, NULL);
    return;
  }
  plugin->stranger_fd = socket_fd;
  plugin->stranger_until_nanoseconds = rt_clock_nanoseconds() + HELLO_MILLISECONDS * INT64_C(1000000);
  if (!rt_link_trusts(socket_fd)) rt_plugin_refuse(plugin, -EPERM);
}

/** Milliseconds until a silent stranger has to go; -1: there is none. */
static int patience(const struct rt_plugin *plugin) {
  if (plugin->stranger_fd < 0) return -1;
  const int64_t left = plugin->stranger_until_nanoseconds - rt_clock_nanoseconds();
  return left > 0 ? (int)(left / 1000000) + 1 : 0;
}

static void run_round(struct rt_plugin *plugin) {
  enum { STOP, NOTICE, DAEMON, STRANGER, LISTENER, COUNT };
  struct pollfd waits[COUNT] = {
      [STOP] = {.fd = plugin->stop_fd, .events = POLLIN},
      [NOTICE] = {.fd = rt_notice_fd(plugin->engine), .events = POLLIN},
      [DAEMON] = {.fd = plugin->daemon_fd, .events = POLLIN},
      [STRANGER] = {.fd = plugin->stranger_fd, .events = POLLIN},
      /* One stranger at a time; the others wait at the door. */
      [LISTENER] = {.fd = plugin->stranger_fd < 0 ? plugin->socket.listen_fd : -1, .events = POLLIN},
  };
  const int ready = poll(waits, COUNT, patience(plugin));
  if (ready < 0 || waits[STOP].revents != 0) return;
  /* The daemon before a stranger: it may be its successor. */
  if (waits[DAEMON].revents != 0 && !rt_plugin_serve(plugin)) rt_plugin_part(plugin);
  if (waits[STRANGER].revents != 0) rt_plugin_meet(plugin);
  if (plugin->stranger_fd >= 0 && patience(plugin) == 0) {
    rt_plugin_refuse(plugin, -ETIMEDOUT);
  }
  if (waits[LISTENER].revents != 0 && plugin->stranger_fd < 0) let_in(plugin);
  if (waits[NOTICE].revents != 0) {
    rt_take_notice(plugin->engine);
    if (plugin->daemon_fd >= 0) rt_plugin_notify(plugin);
  }
}

static void destroy(struct rt_plugin *plugin) {
  if (plugin->daemon_fd >= 0) rt_plugin_part(plugin);
  if (plugin->stranger_fd >= 0) close(plugin->stranger_fd);
  rt_plugin_socket_close(&plugin->socket);
  if (plugin->engine != NULL) {
    /* jackd's to close. */
    plugin->engine->client = NULL;
    rt_engine_destroy(plugin->engine);
  }
  if (plugin->stop_fd >= 0) close(plugin->stop_fd);
  pthread_mutex_destroy(&plugin->calls);
  free(plugin->answer);
  free(plugin);
}

static void *run_thread(void *argument) {
  struct rt_plugin *plugin = argument;
  while (!atomic_load_explicit(&plugin->is_unloaded, memory_order_acquire)) run_round(plugin);
  /* The second to come here sweeps; see rt_plugin_unload. */
  if (atomic_exchange_explicit(&plugin->is_over, true, memory_order_acq_rel)) destroy(plugin);
  return NULL;
}

/** At ordinary priority, whatever jackd's is, and without signals, which are jackd's. 0 or -errno. */
static int start_thread(struct rt_plugin *plugin) {
  pthread_attr_t attributes;
  sigset_t all, before;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, STACK_BYTES);
  pthread_attr_setinheritsched(&attributes, PTHREAD_EXPLICIT_SCHED);
  pthread_attr_setschedpolicy(&attributes, SCHED_OTHER);
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  const int error = pthread_create(&plugin->thread, &attributes, run_thread, plugin);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  pthread_attr_destroy(&attributes);
  return -error;
}

/* --- loading and unloading --- */

static struct rt_plugin *create(jack_client_t *client) {
  struct rt_plugin *plugin = calloc(1, sizeof *plugin);
  if (plugin == NULL) return NULL;
  plugin->daemon_fd = plugin->stranger_fd = plugin->socket.listen_fd = -1;
  pthread_mutex_init(&plugin->calls, NULL);
  plugin->stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  plugin->answer = malloc(sizeof *plugin->answer + RT_LINK_TEXT_BYTES);
  plugin->engine = rt_engine_allocate();
  if (plugin->stop_fd < 0 || plugin->answer == NULL || plugin->engine == NULL) {
    destroy(plugin);
    return NULL;
  }
  plugin->engine->plugin = plugin;
  plugin->engine->client = client;
  snprintf(plugin->client_name, sizeof plugin->client_name, "%s", jack_get_client_name(client));
  return plugin;
}

static int start(struct rt_plugin *plugin) {
  const int error = rt_session_start(plugin->engine);
  return error == 0 ? start_thread(plugin) : error;
}

int rt_plugin_load(struct _jack_client *client, const char *socket_path) {
  struct rt_plugin *plugin = create(client);
  if (plugin == NULL) return -ENOMEM;
  int error = rt_plugin_socket_open(&plugin->socket, socket_path);
  if (error != 0) {
    fprintf(stderr, "comlink plugin: cannot listen at %s: %s%s\n", plugin->socket.address.sun_path, strerror(-error),
            error == -EADDRINUSE ? "; give another path: jack_load comlink PATH" : "");
    destroy(plugin);
    return error;
  }
  error = start(plugin);
  if (error != 0) {
    fprintf(stderr, "comlink plugin: JACK refused it: %s\n", strerror(-error));
    /* jackd closes the client after this, and does not tell us. */
    rt_session_undo(plugin->engine);
    destroy(plugin);
    return error;
  }
  fprintf(stderr, "comlink plugin: '%s' waits for comlinkd at %s\n", plugin->client_name,
          plugin->socket.address.sun_path);
  return 0;
}

void rt_plugin_unload(void *process_argument) {
  struct rt_engine *engine = process_argument;
  if (engine == NULL) return;
  struct rt_plugin *plugin = engine->plugin;
  /* The client is closed, and with it its audio thread cancelled, wherever it was. */
  atomic_store_explicit(&engine->is_in_callback, false, memory_order_seq_cst);
  atomic_store_explicit(&plugin->is_unloaded, true, memory_order_release);
  const uint64_t one = 1;
  const ssize_t written = write(plugin->stop_fd, &one, sizeof one);
  (void)written;
  /* jackd holds its lock in this moment. A thread that waits for it inside a call can be waited for no longer than
   * jackd
     itself takes: it is left to end by itself, which is why this library is never unmapped. */
  if (pthread_mutex_trylock(&plugin->calls) == 0) {
    pthread_mutex_unlock(&plugin->calls);
    pthread_join(plugin->thread, NULL);
    destroy(plugin);
    return;
  }
  pthread_detach(plugin->thread);
  if (atomic_exchange_explicit(&plugin->is_over, true, memory_order_acq_rel)) destroy(plugin);
}
