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
#include <avahi-core/lookup.h>
#include <avahi-core/publish.h>

#define SERVICE_TYPE "_comlink._udp"

struct resolver {
  cavahi *owner;
  uint32_t token;
  /* One of them while it is in use. */
  AvahiServiceResolver *of_daemon;
  AvahiSServiceResolver *of_own;
};

struct cavahi {
  cavahi_sink sink;
  void *context;
  AvahiSimplePoll *poll;
  const AvahiPoll *api;
  int wake;
  AvahiWatch *wake_watch;

  AvahiClient *client;
  AvahiEntryGroup *client_group, *client_retiring;
  AvahiServiceBrowser *client_browser;

  AvahiServer *server;
  AvahiSEntryGroup *server_group, *server_retiring;
  AvahiSServiceBrowser *server_browser;

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
