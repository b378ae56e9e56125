/** The plugin's insides: a thread of its own that speaks with comlinkd, and an engine that plays. */
#ifndef RT_PLUGIN_STATE_H
#define RT_PLUGIN_STATE_H

#include "rt_link.h"
#include "rt_plugin_socket.h"

#include <pthread.h>
#include <stdatomic.h>

struct rt_plugin {
  struct rt_engine *engine;
  char client_name[RT_NAME_BYTES];
  struct rt_plugin_socket socket;
  int stop_fd; /**< an eventfd */
  pthread_t thread;

  /* Held around calls into JACK, which may wait for jackd, and never by jackd while it waits for us. */
  pthread_mutex_t calls;
  _Atomic bool is_unloaded; /**< no more of them */
  _Atomic bool is_over;     /**< the thread has ended, or nobody waits for it */

  /* The thread's own. */
  int daemon_fd;   /**< < 0: no comlinkd plays */
  int stranger_fd; /**< < 0: nobody has yet to say hello */
  int64_t stranger_until_nanoseconds;
  bool had_daemon;
  int told_refusal; /**< the last one that jackd's log has */
  struct rt_link_answer *answer; /**< room for one */
};

/** One hello from the stranger: it becomes the daemon, or is told why not. Only now: who closes a socket with something
 *  unread in it takes back what was said. [control] */
void rt_plugin_meet(struct rt_plugin *plugin);
/** Tells the stranger why it cannot be the daemon, and lets it go. [control] */
void rt_plugin_refuse(struct rt_plugin *plugin, int result);
/** One request of the daemon; false: it has left, or speaks nonsense. [control] */
bool rt_plugin_serve(struct rt_plugin *plugin);
/** Tells the daemon that JACK has reported something. [control] */
void rt_plugin_notify(struct rt_plugin *plugin);
/** The callback leaves what it shares with the daemon; silence. [control] */
void rt_plugin_part(struct rt_plugin *plugin);

#endif
