/**
 * CRealtime: the only code that runs on JACK's audio thread.
 *
 * [control] any thread, may block and allocate   [rt] process callback   [loop] the event-loop thread
 * All memory is allocated and locked in rt_engine_create, and touched there; a peer's ring in rt_peer_attach. Frames
 * are mono float, full scale 1.0.
 */
#ifndef CREALTIME_H
#define CREALTIME_H

#include "rt_bus.h"
#include "rt_capture.h"
#include "rt_ear.h"
#include "rt_midi.h"
#include "rt_nonblocking.h"
#include "rt_place.h"
#include "rt_ring.h"
#include "rt_stereo.h"

#include <stdbool.h>
#include <stdint.h>

/** A peer's ring holds the longest codec frame (60 ms) and a period beside it, up to 96 kHz at periods up to 4096. */
enum { RT_MAX_PEERS = 64, RT_MAX_PERIOD_FRAMES = 8192, RT_NAME_BYTES = 64 };
/** What can have a port of its own: slots, then buses. */
enum { RT_MAX_OUTPUTS = RT_MAX_PEERS + RT_MAX_BUSES };
/** What can be converted to and from the codec's rate; a server of another one is refused. */
enum { RT_MIN_SAMPLE_RATE = 8000, RT_MAX_SAMPLE_RATE = 192000 };
enum { RT_PEER_RING_FRAMES = 16384, RT_SIGNAL_RING_FRAMES = 16384 };

typedef struct rt_engine rt_engine;

/** Where the audio stands; see rt_engine_state. */
enum rt_state { RT_CLOSED = 0, RT_RUNNING = 1, RT_SERVER_GONE = 2 };

/** One peer's place in the mix: 0 ... RT_MAX_PEERS - 1. */
typedef int32_t rt_slot;

/** Allocates everything and touches all but the peers' rings; wake_fd is an eventfd the callback writes 8 bytes to, or
 *  negative: none. NULL: out of memory or descriptors. [control] */
rt_engine *rt_engine_create(int wake_fd);
/** The same in memory that the plugin in jackd can be handed: for rt_engine_open_plugin too. [control] */
rt_engine *rt_engine_create_shared(int wake_fd);
/** Closes the JACK client if open and frees. [control] */
void rt_engine_destroy(rt_engine *engine);
/** Whether mlock held the engine's memory; if not, RLIMIT_MEMLOCK is too low. It works unlocked. [control] */
bool rt_engine_is_locked(const rt_engine *engine);

/** Becomes a JACK client (never starts a server): ports mic, mix_left, mix_right and one per named slot; activates.
 *  server_name NULL: JACK's default. libjack serves one server per process at a time. Restores nothing by itself.
 *  0 or -ENOENT no server, -EEXIST client name taken, -EALREADY open, -ERANGE its sample rate, -EPROTO other
 *  refusal. [control] */
int rt_engine_open(rt_engine *engine, const char *server_name, const char *client_name);
/** Becomes what the plugin comlink.so in jackd plays, instead of a JACK client of its own: the plugin's socket, and the
 *  name that it has as a client. Everything else is as after rt_engine_open, but that what the user connected while
 *  nobody was here still is; see rt_engine_is_resumed. 0 or -ENOENT no plugin there, -EPERM it is another user's,
 *  -EBUSY it plays for another comlinkd, -EPROTONOSUPPORT it is of another version, -EINVAL it has another name,
 *  -EALREADY open, -ERANGE jackd's sample rate, -ETIMEDOUT jackd hangs, -EPROTO it is no such plugin, or another
 *  -errno. [control] */
int rt_engine_open_plugin(rt_engine *engine, const char *socket_path, const char *client_name);
/** Whether the plugin played for a comlinkd before: how its ports are connected is then the user's. [control] */
bool rt_engine_is_resumed(const rt_engine *engine);
/** Leaves JACK; also needed after RT_SERVER_GONE, before the next open. Idempotent. [control] */
void rt_engine_close(rt_engine *engine);
/** SCHED_FIFO priority JACK runs the callback at; -1: not real-time, or not running. [control] */
int rt_engine_realtime_priority(const rt_engine *engine);
enum rt_state rt_engine_state(const rt_engine *engine); /* [control] [loop] */
/** Whether the server freewheels, as for an export: periods run at any speed, and the engine takes no part.
 *  [control] [loop] */
bool rt_engine_is_freewheeling(const rt_engine *engine);
/** Readable once JACK has reported something (state, period, rate, graph) since rt_take_notice; the engine's own.
 *  [control] */
int rt_notice_fd(const rt_engine *engine);
/** Makes rt_notice_fd unreadable: before looking what it was about, or a report in between is missed. [control] */
void rt_take_notice(rt_engine *engine);
/** The version of the libjack in use, which tells whose it is: PipeWire's names it. Static. [control] */
const char *rt_jack_version(void);
/** Whether another client, of a name of its own, finds a server that runs periods within a second. [control] */
bool rt_server_runs(const char *server_name, const char *client_name);
/** What libjack would have printed: the oldest line not yet taken, without a line end, cut to capacity. Process-wide;
 *  the newest are dropped when nobody takes. Bytes written, 0: none. [control] */
int rt_take_jack_message(char *text, uint32_t capacity);

/* --- ports, all [control]; names are full JACK port names; -ENOTCONN when not running --- */

/** (Re)names a slot's port, registering it when running, else at the next open. port_name is the part after the colon,
 *  such as peer_anna, shorter than RT_NAME_BYTES. 0, -EEXIST when taken, -EINVAL, -ENAMETOOLONG, -EPROTO. */
int rt_peer_set_port(rt_engine *engine, rt_slot slot, const char *port_name);
/** Unregisters a slot's port, after the callback has left it. */
void rt_peer_clear_port(rt_engine *engine, rt_slot slot);
/** Connects two ports; 0, -EEXIST when already so, -ENOENT when one is missing, -EPROTO when JACK refuses. */
int rt_connect(rt_engine *engine, const char *source, const char *destination);
/** Writes up to capacity bytes of "source\ndestination\n" pairs: every connection of our ports. Bytes or -ENOSPC. */
int rt_connections(rt_engine *engine, char *text, uint32_t capacity);
/** Writes the names of the physical ports that carry sound to us (capture) or from us, one a line. Bytes or -ENOSPC. */
int rt_physical_ports(rt_engine *engine, bool capture, char *text, uint32_t capacity);
/** Increases whenever any port in the graph was (dis)connected, registered or removed. */
uint32_t rt_graph_changes(const rt_engine *engine);

/* --- time --- */

/** The period the callback ran last. Times are CLOCK_MONOTONIC nanoseconds. */
struct rt_cycle {
  uint64_t count;             /**< periods so far, this one and missed ones included */
  int64_t start_nanoseconds;  /**< when this period began (jack_get_cycle_times) */
  int64_t next_nanoseconds;   /**< when the next one is expected */
  int64_t callback_nanoseconds; /**< when this callback really began; JACK's filtered times can be off by periods */
  uint32_t frame_time;        /**< JACK frame time of the period's first frame */
  uint32_t period_frames;
  uint32_t sample_rate;
};
/** A consistent copy (sequence lock); false while no callback has run. [loop] [control] */
bool rt_engine_cycle(const rt_engine *engine, struct rt_cycle *cycle);

/* --- waking the loop --- */

/** The callback wakes the loop when the capture ring holds at least this many frames; 0: every period. [loop] */
void rt_set_wake_threshold(rt_engine *engine, uint32_t frames);
/** When wake_fd was first written since the last take, or 0 if it was not. [loop] */
int64_t rt_take_wake_nanoseconds(rt_engine *engine);

/* --- in the microphone's place, for tests of a station --- */

/** What is inserted: nothing, as the microphone goes out; what a peer sent, as it is heard but for its gain; or a
 *  signal. */
enum rt_source { RT_SOURCE_MICROPHONE = 0, RT_SOURCE_PEER = 1, RT_SOURCE_SIGNAL = 2 };

/** Inserts another source from now on, faded; see rt_capture.h. The slot is that of the peer that is sent back, or is
 *  recorded beside the signal; it is ignored for the microphone. RT_SOURCE_SIGNAL begins with both rings empty: write
 *  the signal's beginning at once.
 *  0, -EINVAL, or -EBUSY while the last signal has not faded out. [loop] */
int rt_set_source(rt_engine *engine, enum rt_source source, rt_slot slot);
/** Adds frames to the signal; returns how many fitted. It is to be kept from running dry. [loop] */
uint32_t rt_signal_write(rt_engine *engine, const float *frames_in, uint32_t frames);
/** Takes up to frames of the record: one for each frame of the signal, from its first on. Returns how many. [loop] */
uint32_t rt_record_read(rt_engine *engine, float *frames_out, uint32_t frames);
/** Frames by which signal and record lost step, as one ran dry or the other over, since the signal began. [loop] */
uint64_t rt_signal_lost(const rt_engine *engine);

/* --- peers --- */

/** Empties the slot's ring and lets it sound, faded in, not playing yet. 0, -EBUSY while it is attached or still
 *  fading out, -EINVAL for no slot. [loop] */
int rt_peer_attach(rt_engine *engine, rt_slot slot);
/** Fades the slot out; rt_peer_is_idle tells when it may be attached anew. [loop] */
void rt_peer_detach(rt_engine *engine, rt_slot slot);
bool rt_peer_is_idle(const rt_engine *engine, rt_slot slot); /* [loop] */
/** Adds decoded frames (at JACK's rate); returns how many fitted. [loop] */
uint32_t rt_peer_write(rt_engine *engine, rt_slot slot, const float *frames_in, uint32_t frames);
uint32_t rt_peer_fill(const rt_engine *engine, rt_slot slot); /* [loop] */
/** While true an empty ring counts as an underrun; while false it is a pause. [loop] */
void rt_peer_set_playing(rt_engine *engine, rt_slot slot, bool playing);
/** The most that a slot's sound is amplified by. */
enum { RT_MAX_GAIN = 8 };
/** Linear gain 0 ... RT_MAX_GAIN on the main bus; pan -1 (left) ... 1 (right), equal power; both ramped.
 *  [control] [loop] */
void rt_peer_set_gain(rt_engine *engine, rt_slot slot, float gain);
void rt_peer_set_pan(rt_engine *engine, rt_slot slot, float pan);

/* --- meters and counters: relaxed atomics, [control] [loop] --- */

/** Linear; the peak is held for a quarter to half a second, the RMS averaged over 300 ms; sequence counts quarters of
 *  seconds. Reading changes nothing: any number of readers, each as often as it likes. */
struct rt_meter { float peak, rms; uint32_t sequence; };
/** Before any gate. */
struct rt_meter rt_mic_meter(const rt_engine *engine);
/** All channels, after the limiter. */
struct rt_meter rt_bus_meter(const rt_engine *engine, rt_bus bus);
/** Before gain: what the peer sent. */
struct rt_meter rt_peer_meter(const rt_engine *engine, rt_slot slot);

struct rt_counters {
  uint64_t callbacks;
  uint64_t xruns;                 /**< of the server's driver: a cycle that began too late */
  uint64_t capture_overruns;      /**< frames dropped: the loop did not read */
  uint64_t wakes;
  uint64_t callback_total_nanoseconds, callback_max_nanoseconds;
  uint64_t period_changes, rate_changes;
  uint64_t missed_periods;        /**< the server ran them without us: a callback ended too late */
  uint64_t refused_periods;       /**< longer than RT_MAX_PERIOD_FRAMES: silence was played */
  uint64_t ring_errors;           /**< fill below zero or above size seen */
};
void rt_engine_counters(const rt_engine *engine, struct rt_counters *counters);
/** Restarts callback_max_nanoseconds. */
void rt_reset_callback_max(rt_engine *engine);
/** Frames of silence played because the slot's ring was empty while playing. */
uint64_t rt_peer_underrun_frames(const rt_engine *engine, rt_slot slot);

/** For tests and benchmarks: runs one period on the caller's buffers, exactly as the process callback does; not beside
 *  an open JACK client.
 *  cycle.count is ignored. inputs has a place for each that was added, or is NULL.
 *  outputs has RT_MAX_OUTPUTS places and may hold NULLs, or be NULL. [rt] */
void rt_engine_process(rt_engine *engine, const float *mic, const float *const *inputs, float *mix_left,
                       float *mix_right, float *const *outputs, const struct rt_cycle *cycle) RT_NONBLOCKING;

#include "rt_link.h"
#include "rt_plugin.h"
#endif
