/** What the files of CAvahi share. */
#ifndef CAVAHI_STATE_H
#define CAVAHI_STATE_H

#include "CAvahi.h"

#include <avahi-client/client.h>
#include <avahi-client/lookup.h>
#include <avahi-client/publish.h>
#include <avahi-common/simple-watch.h>
#include <avahi-common/strlst.h>
#include <avahi-core/core.h>
#include <avahi-core/log.h>
#include <avahi-core/lookup.h>
#include <avahi-core/publish.h>

#define SERVICE_TYPE "_comlink._udp"
#define SATELLITE_TYPE "_wyoming._tcp"

/*
 * Both libraries export a function avahi_entry_group_free, and call it: linked into one program, one of them would free
 * the other's structures. So each is loaded where only it sees itself (dlopen without RTLD_GLOBAL), on first use.
 * A machine without them has no discovery, but a node.
 */
#define LIBAVAHI_CLIENT(F) \
  F(avahi_client_errno) \
  F(avahi_client_new) \
  F(avahi_service_browser_free) \
  F(avahi_client_free) \
  F(avahi_entry_group_new) \
  F(avahi_entry_group_add_service_strlst) \
  F(avahi_entry_group_commit) \
  F(avahi_entry_group_free) \
  F(avahi_entry_group_update_service_txt_strlst) \
  F(avahi_service_browser_new) \
  F(avahi_service_resolver_new) \
  F(avahi_client_get_host_name_fqdn) \
  F(avahi_service_resolver_free)
#define LIBAVAHI_CORE(F) \
  F(avahi_server_errno) \
  F(avahi_server_config_init) \
  F(avahi_server_new) \
  F(avahi_server_config_free) \
  F(avahi_s_service_browser_free) \
  F(avahi_server_free) \
  F(avahi_server_get_host_name) \
  F(avahi_server_set_host_name) \
  F(avahi_s_entry_group_new) \
  F(avahi_server_add_address) \
  F(avahi_server_add_service_strlst) \
  F(avahi_s_entry_group_commit) \
  F(avahi_s_entry_group_free) \
  F(avahi_server_update_service_txt_strlst) \
  F(avahi_s_service_browser_new) \
  F(avahi_s_service_resolver_new) \
  F(avahi_set_log_function) \
  F(avahi_server_get_host_name_fqdn) \
  F(avahi_s_service_resolver_free)

#define DECLARE_FUNCTION(name) __typeof__(name) *name;
struct libavahi_client {
  LIBAVAHI_CLIENT(DECLARE_FUNCTION)
};
struct libavahi_core {
  LIBAVAHI_CORE(DECLARE_FUNCTION)
};
extern struct libavahi_client libavahi_client;
extern struct libavahi_core libavahi_core;

/* libraries.c: whether it is loaded, from now on; any thread. */
int has_libavahi_client(void);
int has_libavahi_core(void);

enum { HOST_ADDRESSES = 32 };

struct host_address {
  AvahiIfIndex interface;
  AvahiAddress address;
  AvahiSEntryGroup *group;
};

struct resolver {
  cavahi *owner;
  uint32_t token;
  /* One of them while it is in use. */
  AvahiServiceResolver *of_daemon;
  AvahiSServiceResolver *of_own;
};

enum {
  /* Of IPv4 and of IPv6; avahi-core opens no others for a responder. */
  SCREENED_WATCHES = 4,
  /* RFC 6762 §17. */
  DATAGRAM_BYTES = 9000,
};

struct screened_watch {
  cavahi *owner;
  AvahiWatchCallback callback;
  void *context;
};

struct cavahi {
  cavahi_sink sink;
  void *context;
  AvahiSimplePoll *poll;
  const AvahiPoll *api;
  int wake;
  AvahiWatch *wake_watch;

  /* Of what is published beside the service; 0: nothing is. */
  uint16_t satellite_port;

  AvahiClient *client;
  AvahiEntryGroup *client_group, *client_retiring;
  AvahiServiceBrowser *client_browser;

  AvahiPoll screened_api;
  struct screened_watch screened[SCREENED_WATCHES];
  int screened_count;
  uint8_t datagram[DATAGRAM_BYTES];
  AvahiServer *server;
  AvahiSEntryGroup *server_group, *server_retiring;
  AvahiSServiceBrowser *server_browser;
  struct host_address addresses[HOST_ADDRESSES];
  int address_count;
  int netlink;
  AvahiWatch *netlink_watch;

  struct resolver resolvers[CAVAHI_RESOLVERS];
};

/* daemon.c */
void daemon_stop(cavahi *avahi);
int32_t daemon_publish(cavahi *avahi, const char *name, uint16_t port, AvahiStringList *txt);
int32_t daemon_update(cavahi *avahi, const char *name, AvahiStringList *txt);
void daemon_retire(cavahi *avahi);
void daemon_withdraw(cavahi *avahi);
int32_t daemon_browse(cavahi *avahi);
int32_t daemon_resolve(struct resolver *resolver, AvahiIfIndex interface, AvahiProtocol protocol,
                       const char *name, const char *domain);

/* own.c */
void own_stop(cavahi *avahi);
int32_t own_publish(cavahi *avahi, const char *name, uint16_t port, AvahiStringList *txt);
int32_t own_update(cavahi *avahi, const char *name, AvahiStringList *txt);
void own_retire(cavahi *avahi);
void own_withdraw(cavahi *avahi);
int32_t own_browse(cavahi *avahi);
int32_t own_resolve(struct resolver *resolver, AvahiIfIndex interface, AvahiProtocol protocol,
                    const char *name, const char *domain);

/* screen.c: what the responder of our own polls by, good until the next call. */
const AvahiPoll *screened_poll(cavahi *avahi);

/* addresses.c */
void addresses_start(cavahi *avahi);
/* Before the server is freed, which takes back what they published. */
void addresses_stop(cavahi *avahi);
void addresses_refresh(cavahi *avahi);
void addresses_withdraw(cavahi *avahi);

/* events.c */
void tell_state(cavahi *avahi, int32_t kind, int32_t backend, int32_t state, int32_t error);
void tell_published(cavahi *avahi, int32_t backend, AvahiEntryGroupState state, int32_t error);
void tell_browsed(cavahi *avahi, int32_t backend, AvahiBrowserEvent event, AvahiIfIndex interface,
                  AvahiProtocol protocol, const char *name, const char *domain,
                  AvahiLookupResultFlags flags, int32_t error);
void tell_resolved(struct resolver *resolver, int32_t backend, AvahiIfIndex interface,
                   AvahiProtocol protocol, const AvahiAddress *address, uint16_t port,
                   AvahiStringList *txt);
void tell_unresolved(struct resolver *resolver, int32_t backend, int32_t error);

#endif
