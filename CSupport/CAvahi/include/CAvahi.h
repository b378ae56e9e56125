/**
 * CAvahi: DNS-SD through avahi-daemon (libavahi-client) or in this process (libavahi-core), one interface for both.
 *
 * The shim keeps Avahi's types and callbacks out of Swift: what happens is handed on as a plain structure, during
 * cavahi_poll, by one function. It must not call this library again (Avahi forbids some of it inside its callbacks);
 * it notes the event, and what follows from it is done once cavahi_poll has returned. What to do is decided in Swift.
 *
 * All functions [control], and all but cavahi_wake on one thread, the one that polls. Errors are Avahi's numbers, below
 * zero as -errno is, but not errno: cavahi_error_words tells what they mean. Calls to avahi-daemon wait for its answer,
 * 25 s at worst if it hangs.
 */
#ifndef CAVAHI_H
#define CAVAHI_H

#include <stddef.h>
#include <stdint.h>

enum {
  /** Resolvers that can be open at once; avahi-daemon allows a client 1024 objects. */
  CAVAHI_RESOLVERS = 512,
  /** TXT data longer than this is not handed on, only its length. */
  CAVAHI_TXT_BYTES = 2048,
  /** A host name or service name with its final zero. */
  CAVAHI_NAME_BYTES = 64,
};

/** Through whom. */
enum { CAVAHI_DAEMON = 0, CAVAHI_OWN = 1 };

enum {
  /** state: CAVAHI_STATE_*; error for CAVAHI_STATE_FAILED. */
  CAVAHI_EVENT_STATE,
  /** What cavahi_publish published; state: CAVAHI_STATE_*. */
  CAVAHI_EVENT_PUBLISHED,
  /** An instance on one interface and protocol: interface, is_ipv6, is_local, is_own, name, domain. */
  CAVAHI_EVENT_APPEARED,
  /** The same without is_local and is_own. */
  CAVAHI_EVENT_DISAPPEARED,
  /** token, interface, is_ipv6, address, address_is_ipv6, port, txt, txt_bytes; again whenever one of them changes. */
  CAVAHI_EVENT_RESOLVED,
  /** token, error: it stays silent from now on. */
  CAVAHI_EVENT_UNRESOLVED,
  /** error: browsing ended. */
  CAVAHI_EVENT_BROWSING_FAILED,
};

enum {
  /** The host's own records are being claimed. */
  CAVAHI_STATE_REGISTERING,
  CAVAHI_STATE_RUNNING,
  /** The name is somebody else's. */
  CAVAHI_STATE_COLLISION,
  CAVAHI_STATE_FAILED,
  /** avahi-daemon does not run; the client waits for it. */
  CAVAHI_STATE_ABSENT,
};

/** Pointers are good until the function it was given to returns. */
typedef struct cavahi_event {
  int32_t kind, backend, state, error;
  uint32_t token;
  int32_t interface;
  int32_t is_ipv6, is_local, is_own, address_is_ipv6;
  uint16_t port;
  uint8_t address[16];
  const char *name, *domain;
  /** NULL where there is none or too much. */
  const uint8_t *txt;
  size_t txt_bytes;
} cavahi_event;

typedef void (*cavahi_sink)(void *context, const cavahi_event *event);

typedef struct cavahi cavahi;

/** NULL and *error: -ENOMEM, or -errno of eventfd. Avahi's log is silenced for the whole process. */
cavahi *cavahi_create(cavahi_sink sink, void *context, int32_t *error);
/** Ends what still goes on, with goodbyes; NULL is allowed. */
void cavahi_destroy(cavahi *avahi);
/** Waits for one event, at most so long (-1: for ever), and handles it. 0 or -errno. */
int32_t cavahi_poll(cavahi *avahi, int32_t milliseconds);
/** Ends a wait of cavahi_poll, or the next one; any thread. */
void cavahi_wake(cavahi *avahi);

/** Looks for avahi-daemon; state events follow, the first of them perhaps before this returns.
 *  Error: no D-Bus, or no libavahi-client. */
int32_t cavahi_daemon_start(cavahi *avahi);
/** Starts a responder of our own on UDP port 5353 under a host name. Error: no sockets, or no libavahi-core. */
int32_t cavahi_own_start(cavahi *avahi, const char *host);
/** Ends it with all that was published, browsed and resolved through it; no events after. Goodbyes go out. */
void cavahi_stop(cavahi *avahi, int32_t backend);
/** The host name that published instances lead to, NULL if unknown; good until the next call. */
const char *cavahi_host_name(cavahi *avahi, int32_t backend);
/** After CAVAHI_STATE_COLLISION of the own responder: the next host name. */
int32_t cavahi_own_rename(cavahi *avahi);

/** From the next cavahi_publish on, _wyoming._tcp of the same name is published at this port, too; 0: it is not. */
void cavahi_offer_satellite(cavahi *avahi, uint16_t port);
/** Publishes an instance of _comlink._udp on all interfaces. One published before stays until cavahi_retire or, if it
 *  could not be published, for good. */
int32_t cavahi_publish(cavahi *avahi, int32_t backend, const char *name, uint16_t port, const uint8_t *txt, size_t txt_bytes);
/** Other TXT data for what is published last, without a goodbye in between. */
int32_t cavahi_update(cavahi *avahi, int32_t backend, const char *name, const uint8_t *txt, size_t txt_bytes);
/** Takes what was published before the last cavahi_publish back. */
void cavahi_retire(cavahi *avahi, int32_t backend);
/** Takes all back. */
void cavahi_withdraw(cavahi *avahi, int32_t backend);

/** Browses for _comlink._udp; what goes on already begins anew. */
int32_t cavahi_browse(cavahi *avahi, int32_t backend);
/** Watches address, port and TXT data of an instance until told to stop; the token comes back in its events.
 *  -EMFILE: too many. */
int32_t cavahi_resolve(cavahi *avahi, int32_t backend, uint32_t token, int32_t interface, int32_t is_ipv6, const char *name, const char *domain);
void cavahi_resolve_stop(cavahi *avahi, uint32_t token);

/** Whether a datagram is a DNS message without aliases (CNAME): others never get to the own responder. Any thread. */
int32_t cavahi_message_is_fit(const uint8_t *octets, size_t count);

/** The name to try after a collision: "name #2"; out has CAVAHI_NAME_BYTES. 0 or -ENOMEM. */
int32_t cavahi_next_name(const char *name, char *out);
/** Any thread. */
const char *cavahi_error_words(int32_t error);

#endif
