/**
 * Measuring instruments for tests and benchmarks: a JACK client that plays and records with time
 * stamps, and child processes that cannot outlive the program that started them.
 *
 * Tags: [control] any one thread at a time per probe; [rt] process callback, called by JACK only.
 * Errors are negative errno values.
 */
#ifndef CPROBE_H
#define CPROBE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Ports a probe can have in each direction. */
enum { RIG_PROBE_MAXIMUM_PORTS = 32 };

/** A JACK client that plays sources into its outputs and records its inputs. */
typedef struct rig_probe rig_probe;

/** What a probe does in its callback. */
typedef enum rig_probe_mode {
  /** Plays its sources and records its inputs. */
  RIG_PROBE_MEASURE = 0,
  /** Copies input n to output n and does nothing else: the reference for xruns. */
  RIG_PROBE_PASS_THROUGH = 1,
  /** As RIG_PROBE_MEASURE, with ports that say they are a sound card's. */
  RIG_PROBE_CARD = 2,
} rig_probe_mode;

/** One JACK cycle of a running probe: where its audio lies, and when it was at the ports. */
typedef struct rig_period {
  /**
   * Start of the cycle by JACK's clock (jack_get_cycle_times), microseconds. jackd 1.9.21 on Linux
   * reads CLOCK_MONOTONIC_RAW: one clock for all servers of a machine, but not CLOCK_MONOTONIC.
   */
  uint64_t cycle_microseconds;
  /** Position in the sources of the first frame played, counting through loops. */
  int64_t played_frames;
  /** Position in the recording of the first frame recorded. */
  int64_t recorded_frames;
  /** JACK's frame counter at the start of the cycle. */
  uint32_t frame_time;
  /** Length of the cycle. */
  uint32_t frames;
} rig_period;

/**
 * Opens a client; its callback runs from now on, silent, until rig_probe_start. [control]
 *
 * Never starts a server. All memory is allocated and touched here.
 * @param record_seconds  length of the recording; what comes later is not kept.
 * @param error  set to -errno when NULL is returned; -ENOTCONN: no such server.
 */
rig_probe *rig_probe_create(const char *server, const char *client, rig_probe_mode mode,
                            unsigned inputs, unsigned outputs, double record_seconds, int *error);

/** Closes the client and frees everything; NULL is allowed. [control] */
void rig_probe_destroy(rig_probe *probe);

/**
 * Gives an output its mono source at the server's rate; copied. Before rig_probe_start. [control]
 *
 * Without `loops` the output is silent after the last frame.
 */
int rig_probe_set_source(rig_probe *probe, unsigned output, const float *samples, size_t frames,
                         bool loops);

/** Plays and records from the next cycle on; counters of xruns and skips start at zero. [control] */
void rig_probe_start(rig_probe *probe);

/** Stops playing and recording and waits until the callback has seen it (at most 1 s). [control] */
void rig_probe_stop(rig_probe *probe);

/** Connects two ports by their full names; already connected is success. [control] */
int rig_probe_connect(rig_probe *probe, const char *from, const char *to);

/** Takes a connection away; not connected is success. [control] */
int rig_probe_disconnect(rig_probe *probe, const char *from, const char *to);

/** Whether the server knows a port of this full name. [control] */
bool rig_probe_has_port(rig_probe *probe, const char *name);

/**
 * Writes the full names of all ports, one a line, NUL-terminated. [control]
 *
 * @return the bytes needed without the NUL, which may be more than `capacity`.
 */
size_t rig_probe_port_names(rig_probe *probe, char *text, size_t capacity);

/** Whether the server still serves this client. [control] */
bool rig_probe_is_alive(const rig_probe *probe);

/** The server's frames per second. [control] */
unsigned rig_probe_sample_rate(const rig_probe *probe);

/** The server's frames per cycle when the client was opened. [control] */
unsigned rig_probe_period_frames(const rig_probe *probe);

/** Xruns reported by the server since rig_probe_start. [control] */
uint64_t rig_probe_xruns(const rig_probe *probe);

/** Cycles whose frame counter did not follow on from the one before, since start. [control] */
uint64_t rig_probe_skips(const rig_probe *probe);

/** Cycles run since start, logged or not. [control] */
uint64_t rig_probe_cycles(const rig_probe *probe);

/** Those of them in which an input was louder than -40 dBFS at its peak. [control] */
uint64_t rig_probe_audible_cycles(const rig_probe *probe, unsigned input);

/** Cycles logged since start; all before this count may be read while it runs. [control] */
size_t rig_probe_period_count(const rig_probe *probe);

/** The log of cycles, owned by the probe, valid until destroy; pairs with period_count. [control] */
const rig_period *rig_probe_periods(const rig_probe *probe);

/** Frames recorded per input; all before this count may be read while it runs. [control] */
size_t rig_probe_recorded_frames(const rig_probe *probe);

/** The recording of one input, owned by the probe, valid until destroy. [control] */
const float *rig_probe_recording(const rig_probe *probe, unsigned input);

/** Frames played since start. [control] */
int64_t rig_probe_played_frames(const rig_probe *probe);

/**
 * Starts a program in its own process group with these as stdin, stdout and stderr. [control]
 *
 * All children are forked by one thread that lives as long as the process, since the kernel sends
 * PR_SET_PDEATHSIG when the forking *thread* ends. Signal mask and dispositions are the default ones.
 * @param arguments  NULL-terminated, the first is the program's name.
 * @param environment  NULL-terminated "NAME=value" strings.
 * @param input  -1: empty.
 * @param death_signal  what the child gets when this process dies.
 * @return the process id, or -errno of fork or exec.
 */
int rig_child_spawn(const char *path, const char *const *arguments, const char *const *environment,
                    int input, int output, int error_output, int death_signal);

/**
 * Stops one thread of another process, by ptrace(2), while its other threads go on; 0 or -errno. [control]
 *
 * Only the calling thread can let it continue; if that ends first, the kernel does.
 */
int rig_thread_stop(int thread);

/** Lets a thread continue that rig_thread_stop stopped; 0 or -errno. The thread that stopped it only. [control] */
int rig_thread_continue(int thread);

/** A thread that does nothing but wake up: what is late for it is late for any thread of its priority. */
typedef struct rig_canary rig_canary;

/**
 * Starts one, SCHED_FIFO, that wakes once an interval and counts the wake-ups that come later than a bound. [control]
 *
 * @param error  set to -errno when NULL is returned; -EPERM: real-time scheduling is not allowed.
 */
rig_canary *rig_canary_create(int priority, int64_t interval_nanoseconds, int64_t late_nanoseconds,
                              int *error);

/** Ends its thread, within an interval; NULL is allowed. [control] */
void rig_canary_destroy(rig_canary *canary);

/** Its late wake-ups so far. [control] */
uint64_t rig_canary_late(const rig_canary *canary);

/** How late the worst was since the last take. [control] */
int64_t rig_canary_take_worst_nanoseconds(rig_canary *canary);

/** A UDP datagram that was sent over the loopback interface. */
typedef struct rig_datagram {
  int64_t nanoseconds;   /**< When, by JACK's clock (CLOCK_MONOTONIC_RAW). */
  uint16_t to;           /**< The port that it went to. */
  uint8_t second_octet;  /**< Octet 1 of what it holds: of RTP the marker and the payload type. */
} rig_datagram;

/** Listens to what one UDP port of 127.0.0.1 sends, in a thread of its own. */
typedef struct rig_datagrams rig_datagrams;

/** Begins; keeps the first `capacity`. Sets error to -errno where it returns NULL; -EPERM: it may not. [control] */
rig_datagrams *rig_datagrams_create(uint16_t from, size_t capacity, int *error);

/** Ends its thread, within 0.1 s; NULL is allowed. [control] */
void rig_datagrams_destroy(rig_datagrams *datagrams);

/** Writes the log's address, valid until destroy; as many may be read as are returned. [control] */
size_t rig_datagrams_log(const rig_datagrams *datagrams, const rig_datagram **log);

/**
 * Is a MIDI device, a client with the ports keys and lamps, until standard input ends: does what its lines say
 * ("send\tHEX HEX HEX,...", "take", "times": when periods of sends began, "connect\tFROM\tTO", "disconnect\tFROM\tTO",
 * "blink\tFROM\tTO", which cuts a connection and makes it again at once) and answers each with one.
 *
 * @return an exit status.
 */
int rig_midi_serve(const char *server, const char *name);

#endif
