#include "state.h"

#include <avahi-common/error.h>

/* libavahi-client: avahi-daemon does the work, asked over D-Bus. */

static void on_state(AvahiClient *client, AvahiClientState state, void *context) {
  int32_t told = CAVAHI_STATE_FAILED, error = 0;
  switch (state) {
  case AVAHI_CLIENT_S_REGISTERING:
    told = CAVAHI_STATE_REGISTERING;
    break;
  case AVAHI_CLIENT_S_RUNNING:
    told = CAVAHI_STATE_RUNNING;
    break;
  case AVAHI_CLIENT_S_COLLISION:
    told = CAVAHI_STATE_COLLISION;
    break;
  case AVAHI_CLIENT_CONNECTING:
    told = CAVAHI_STATE_ABSENT;
    break;
  case AVAHI_CLIENT_FAILURE:
    error = libavahi_client.avahi_client_errno(client);
    break;
  }
  tell_state(context, CAVAHI_EVENT_STATE, CAVAHI_DAEMON, told, error);
}

int32_t cavahi_daemon_start(cavahi *avahi) {
  int error = AVAHI_ERR_BAD_STATE;
  if (avahi->client != NULL)
    return error;
  if (!has_libavahi_client())
    return AVAHI_ERR_NOT_SUPPORTED;
  avahi->client = libavahi_client.avahi_client_new(avahi->api, AVAHI_CLIENT_NO_FAIL | AVAHI_CLIENT_IGNORE_USER_CONFIG,
                                   on_state, avahi, &error);
  return avahi->client != NULL ? 0 : error;
}

void daemon_stop(cavahi *avahi) {
  if (avahi->client == NULL)
    return;
  for (int i = 0; i < CAVAHI_RESOLVERS; i++)
    if (avahi->resolvers[i].of_daemon != NULL)
      cavahi_resolve_stop(avahi, avahi->resolvers[i].token);
  if (avahi->client_browser != NULL)
    libavahi_client.avahi_service_browser_free(avahi->client_browser);
  avahi->client_browser = NULL;
  daemon_withdraw(avahi);
  libavahi_client.avahi_client_free(avahi->client);
  avahi->client = NULL;
}

static void on_group(AvahiEntryGroup *group, AvahiEntryGroupState state, void *context) {
  cavahi *avahi = context;
  /* Avahi calls once from inside avahi_entry_group_new, when the group is nobody's yet. */
  if (group == avahi->client_group)
    tell_published(avahi, CAVAHI_DAEMON, state, libavahi_client.avahi_client_errno(avahi->client));
}

int32_t daemon_publish(cavahi *avahi, const char *name, uint16_t port, AvahiStringList *txt) {
  if (avahi->client == NULL)
    return AVAHI_ERR_BAD_STATE;
  daemon_retire(avahi);
  AvahiEntryGroup *group = libavahi_client.avahi_entry_group_new(avahi->client, on_group, avahi);
  if (group == NULL)
    return libavahi_client.avahi_client_errno(avahi->client);
  int error = libavahi_client.avahi_entry_group_add_service_strlst(group, AVAHI_IF_UNSPEC, AVAHI_PROTO_UNSPEC, 0,
                                                   name, SERVICE_TYPE, NULL, NULL, port, txt);
  if (error == 0 && avahi->satellite_port != 0)
    error = libavahi_client.avahi_entry_group_add_service_strlst(group, AVAHI_IF_UNSPEC, AVAHI_PROTO_UNSPEC, 0, name,
                                                   SATELLITE_TYPE, NULL, NULL, avahi->satellite_port, NULL);
  if (error == 0) {
    avahi->client_retiring = avahi->client_group;
    avahi->client_group = group;
    error = libavahi_client.avahi_entry_group_commit(group);
    if (error == 0)
      return 0;
    avahi->client_group = avahi->client_retiring;
    avahi->client_retiring = NULL;
  }
  libavahi_client.avahi_entry_group_free(group);
  return error;
}

int32_t daemon_update(cavahi *avahi, const char *name, AvahiStringList *txt) {
  if (avahi->client_group == NULL)
    return AVAHI_ERR_BAD_STATE;
  return libavahi_client.avahi_entry_group_update_service_txt_strlst(avahi->client_group, AVAHI_IF_UNSPEC,
                                                     AVAHI_PROTO_UNSPEC, 0, name, SERVICE_TYPE,
                                                     NULL, txt);
}

void daemon_retire(cavahi *avahi) {
  if (avahi->client_retiring != NULL)
    libavahi_client.avahi_entry_group_free(avahi->client_retiring);
  avahi->client_retiring = NULL;
}

void daemon_withdraw(cavahi *avahi) {
  daemon_retire(avahi);
  if (avahi->client_group != NULL)
    libavahi_client.avahi_entry_group_free(avahi->client_group);
  avahi->client_group = NULL;
}

static void on_browser(AvahiServiceBrowser *browser, AvahiIfIndex interface, AvahiProtocol protocol,
                       AvahiBrowserEvent event, const char *name, const char *type,
                       const char *domain, AvahiLookupResultFlags flags, void *context) {
  (void)browser;
  (void)type;
  cavahi *avahi = context;
  tell_browsed(avahi, CAVAHI_DAEMON, event, interface, protocol, name, domain, flags,
               libavahi_client.avahi_client_errno(avahi->client));
}

int32_t daemon_browse(cavahi *avahi) {
  if (avahi->client == NULL)
    return AVAHI_ERR_BAD_STATE;
  if (avahi->client_browser != NULL)
    libavahi_client.avahi_service_browser_free(avahi->client_browser);
  avahi->client_browser = libavahi_client.avahi_service_browser_new(avahi->client, AVAHI_IF_UNSPEC, AVAHI_PROTO_UNSPEC,
                                                    SERVICE_TYPE, NULL, 0, on_browser, avahi);
  return avahi->client_browser != NULL ? 0 : libavahi_client.avahi_client_errno(avahi->client);
}

static void on_resolver(AvahiServiceResolver *resolver, AvahiIfIndex interface,
                        AvahiProtocol protocol, AvahiResolverEvent event, const char *name,
                        const char *type, const char *domain, const char *host,
                        const AvahiAddress *address, uint16_t port, AvahiStringList *txt,
                        AvahiLookupResultFlags flags, void *context) {
  (void)resolver;
  (void)name;
  (void)type;
  (void)domain;
  (void)host;
  (void)flags;
  struct resolver *slot = context;
  if (event == AVAHI_RESOLVER_FOUND)
    tell_resolved(slot, CAVAHI_DAEMON, interface, protocol, address, port, txt);
  else
    tell_unresolved(slot, CAVAHI_DAEMON, libavahi_client.avahi_client_errno(slot->owner->client));
}

int32_t daemon_resolve(struct resolver *resolver, AvahiIfIndex interface, AvahiProtocol protocol,
                       const char *name, const char *domain) {
  cavahi *avahi = resolver->owner;
  if (avahi->client == NULL)
    return AVAHI_ERR_BAD_STATE;
  resolver->of_daemon = libavahi_client.avahi_service_resolver_new(avahi->client, interface, protocol, name,
                                                   SERVICE_TYPE, domain, protocol, 0, on_resolver, resolver);
  return resolver->of_daemon != NULL ? 0 : libavahi_client.avahi_client_errno(avahi->client);
}
