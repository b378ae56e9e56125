/**
 * What comlinkd and the plugin in jackd say to each other, over a UNIX socket that keeps frames apart (SOCK_SEQPACKET).
 *
 *   comlinkd ── hello, memory and wake-up eventfd by SCM_RIGHTS ──▶ plugin      first, once
 *   comlinkd ◀── answer to it: taken, or -errno ─────────────────── plugin
 *   comlinkd ── request ──▶ plugin ── answer of the same serial ──▶ comlinkd    one at a time
 *   comlinkd ◀── notice (serial 0): JACK has reported something ─── plugin      at any time
 *
 * Either side's end is the socket's. Sound never goes this way, and the callback knows nothing of it. Both sides run as
 * the same user, or comlinkd as root, as between JACK's servers and clients; see rt_link_trusts.
 */
#ifndef RT_LINK_H
#define RT_LINK_H

#include "CRealtime.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** The version counts changes of what is said; what is shared is compared by rt_shared_layout. */
enum { RT_LINK_MAGIC = 0x4b4c4d43, RT_LINK_VERSION = 2 };
/** JACK's longest full port name, client and colon included, is 320 bytes with its end. */
enum { RT_PORT_NAME_BYTES = 320, RT_LINK_TEXT_BYTES = 131072 };
/** More than the hello of any version, and than its answer. */
enum { RT_LINK_HELLO_BYTES = 512, RT_LINK_DESCRIPTORS = 2 };

/** How every hello and its answer begin, in every version. */
struct rt_link_version {
  uint32_t magic, version;
  uint64_t layout; /**< rt_shared_layout */
};

struct rt_link_hello {
  struct rt_link_version version;
  char client_name[RT_NAME_BYTES]; /**< that the plugin should have on its server */
};

struct rt_link_welcome {
  struct rt_link_version version;
  int32_t result;   /**< 0, or -errno as rt_engine_open_plugin has it */
  int32_t priority; /**< as rt_engine_realtime_priority */
  uint32_t period_frames, sample_rate, graph_changes;
  uint32_t is_resumed; /**< 1 when a comlinkd was here before, and its connections are */
};

enum rt_link_kind {
  RT_LINK_NOTICE,
  RT_LINK_SET_INPUT,
  RT_LINK_SET_PORT,
  RT_LINK_CLEAR_PORT,
  RT_LINK_CONNECT,
  RT_LINK_CONNECTIONS,
  RT_LINK_CAPTURE_PORTS,
  RT_LINK_PLAYBACK_PORTS,
  RT_LINK_LEAVE,
};

struct rt_link_request {
  uint32_t serial, kind;
  int32_t port; /**< of SET_INPUT: an input; of SET_PORT and CLEAR_PORT: a slot, or RT_MAX_PEERS + a bus */
  char source[RT_PORT_NAME_BYTES], destination[RT_PORT_NAME_BYTES]; /**< SET_INPUT and SET_PORT have a name in source */
};

/** An answer, or a notice; its text ends with the frame. */
struct rt_link_answer {
  uint32_t serial, kind;
  int32_t result;         /**< as the function of CRealtime.h that it is about; >= 0 of a text: its bytes */
  uint32_t graph_changes; /**< as rt_graph_changes */
  char text[];            /**< RT_LINK_TEXT_BYTES at most */
};

/** Whether a hello can be met: 0, -EPROTO (no hello at all), -EPROTONOSUPPORT (of another version), -EINVAL. */
int rt_link_check_hello(const void *frame, size_t bytes, const char *client_name);
/** The same of its answer, from the other side; else the result in it. */
int rt_link_check_welcome(const void *frame, size_t bytes);
/** Whether a request is whole, of a known kind, its names ended: 0 or -EPROTO. What they name is not judged. */
int rt_link_check_request(const void *frame, size_t bytes);
/** The same of an answer. */
int rt_link_check_answer(const void *frame, size_t bytes);
/** Whether what came with a hello can be worked with: a memfd of exactly rt_shared's size, sealed so that nothing can
 *  cut it short under the callback, and an eventfd, as nothing else is sure to take 8 bytes without waiting.
 *  0 or -EINVAL.
 *
 *  An eventfd takes them unless its owner filled it to the brim and left it blocking: that is not seen here, and needs
 *  a process of the same user or root, which could stop the server without that. */
int rt_link_check_descriptors(int memory_fd, int wake_fd);
/** The version that this side speaks. */
struct rt_link_version rt_link_own_version(void);

/** Whether the other end of the socket runs as this process' user or as root. */
bool rt_link_trusts(int socket_fd);
/** Sends a frame, with descriptors if count is not 0; never waits. 0 or -errno. */
int rt_link_send(int socket_fd, const void *frame, size_t bytes, const int *descriptors, uint32_t count);
/** Takes a frame, cut to capacity; never waits. Bytes, 0 when the other side has ended, -EAGAIN when there is none.
 *  Descriptors that came along: exactly RT_LINK_DESCRIPTORS go to descriptors, others are closed;
 *  has_descriptors tells. */
int64_t rt_link_receive(int socket_fd, void *frame, size_t capacity, int *descriptors, bool *has_descriptors);

#endif
