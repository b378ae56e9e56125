/** The plugin in jackd: what its entry points call. It plays for one comlinkd at a time,
 *  and silence while there is none. */
#ifndef RT_PLUGIN_H
#define RT_PLUGIN_H

struct _jack_client;

/** Starts on a client that jackd made. socket_path NULL or empty: $XDG_RUNTIME_DIR/comlink/plugin.sock if that
 *  directory is this user's, else /run/comlink/plugin.sock for root and /tmp/comlink-UID/plugin.sock for others. Says
 *  on stderr, which is jackd's log, what is in the way. 0 or -errno. [control] */
int rt_plugin_load(struct _jack_client *client, const char *socket_path);
/** Ends what was started; jackd has closed the client. Does not wait for jackd. The argument is the process callback's.
 *  [control] */
void rt_plugin_unload(void *process_argument);

#endif
