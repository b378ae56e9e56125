#include "state.h"

#include <avahi-common/alternative.h>
#include <avahi-common/error.h>
#include <avahi-common/malloc.h>

/* libavahi-core: a responder of our own. */

enum {
  /* A record each, per interface and protocol, of everybody's on the network. 4096 by default;
   * hostile ones are up to 9 kB. */
  CACHE_ENTRIES = 2048,
  /* As avahi-daemon's configuration has it: packets sent, which an attacker's questions would drive up. */
  PACKETS_PER_SECOND = 1000,
};

static void on_state(AvahiServer *server, AvahiServerState state, void *context) {
  cavahi *avahi = context;
  int32_t told = CAVAHI_STATE_FAILED, error = 0;
  switch (state) {
  case AVAHI_SERVER_INVALID:
    return;
  case AVAHI_SERVER_REGISTERING:
    told = CAVAHI_STATE_REGISTERING;
    break;
  case AVAHI_SERVER_RUNNING:
    told = CAVAHI_STATE_RUNNING;
    break;
  case AVAHI_SERVER_COLLISION:
    told = CAVAHI_STATE_COLLISION;
    break;
  case AVAHI_SERVER_FAILURE:
    error = libavahi_core.avahi_server_errno(server);
    break;
  }
  tell_state(avahi, CAVAHI_EVENT_STATE, CAVAHI_OWN, told, error);
}

int32_t cavahi_own_start(cavahi *avahi, const char *host) {
  int error = AVAHI_ERR_BAD_STATE;
  if (avahi->server != NULL)
    return error;
  if (!has_libavahi_core())
    return AVAHI_ERR_NOT_SUPPORTED;
  AvahiServerConfig config;
  libavahi_core.avahi_server_config_init(&config);
  avahi_free(config.host_name);
  config.host_name = avahi_strdup(host);
  config.use_ipv4 = config.use_ipv6 = 1;
  config.publish_addresses = 0; /* addresses.c does */
  config.publish_hinfo = config.publish_workstation = config.publish_domain = 0;
  config.use_iff_running = 1; /* A cable that is pulled counts. */
  config.enable_wide_area = 0;
  config.n_cache_entries_max = CACHE_ENTRIES;
  config.ratelimit_interval = 1000000;
  config.ratelimit_burst = PACKETS_PER_SECOND;
  avahi->server = libavahi_core.avahi_server_new(screened_poll(avahi), &config, on_state, avahi, &error);
  libavahi_core.avahi_server_config_free(&config);
  if (avahi->server == NULL)
    return error;
  addresses_start(avahi);
  return 0;
}

void own_stop(cavahi *avahi) {
  if (avahi->server == NULL)
    return;
  for (int i = 0; i < CAVAHI_RESOLVERS; i++)
    if (avahi->resolvers[i].of_own != NULL)
      cavahi_resolve_stop(avahi, avahi->resolvers[i].token);
  if (avahi->server_browser != NULL)
    libavahi_core.avahi_s_service_browser_free(avahi->server_browser);
  avahi->server_browser = NULL;
  addresses_stop(avahi);
  /* Not own_withdraw: avahi_server_free says goodbye for what is still published, and sends it at once. */
  libavahi_core.avahi_server_free(avahi->server);
  avahi->server_group = avahi->server_retiring = NULL;
  avahi->server = NULL;
}

int32_t cavahi_own_rename(cavahi *avahi) {
  if (avahi->server == NULL)
    return AVAHI_ERR_BAD_STATE;
  own_withdraw(avahi);
  addresses_withdraw(avahi);
  char *next = avahi_alternative_host_name(libavahi_core.avahi_server_get_host_name(avahi->server));
  const int error = next != NULL ? libavahi_core.avahi_server_set_host_name(avahi->server, next) : AVAHI_ERR_NO_MEMORY;
  avahi_free(next);
  addresses_refresh(avahi);
  return error < 0 ? error : 0;
}

static void on_group(AvahiServer *server, AvahiSEntryGroup *group, AvahiEntryGroupState state,
                     void *context) {
  cavahi *avahi = context;
  if (group == avahi->server_group)
    tell_published(avahi, CAVAHI_OWN, state, libavahi_core.avahi_server_errno(server));
}

int32_t own_publish(cavahi *avahi, const char *name, uint16_t port, AvahiStringList *txt) {
  if (avahi->server == NULL)
    return AVAHI_ERR_BAD_STATE;
  own_retire(avahi);
  AvahiSEntryGroup *group = libavahi_core.avahi_s_entry_group_new(avahi->server, on_group, avahi);
  if (group == NULL)
    return libavahi_core.avahi_server_errno(avahi->server);
  int error = libavahi_core.avahi_server_add_service_strlst(avahi->server, group, AVAHI_IF_UNSPEC, AVAHI_PROTO_UNSPEC,
                                              0, name, SERVICE_TYPE, NULL, NULL, port, txt);
  if (error == 0 && avahi->satellite_port != 0)
    error = libavahi_core.avahi_server_add_service_strlst(avahi->server, group, AVAHI_IF_UNSPEC, AVAHI_PROTO_UNSPEC, 0,
                                              name, SATELLITE_TYPE, NULL, NULL, avahi->satellite_port, NULL);
  if (error == 0) {
    avahi->server_retiring = avahi->server_group;
    avahi->server_group = group;
    error = libavahi_core.avahi_s_entry_group_commit(group);
    if (error == 0)
      return 0;
    avahi->server_group = avahi->server_retiring;
    avahi->server_retiring = NULL;
  }
  libavahi_core.avahi_s_entry_group_free(group);
  return error;
}

int32_t own_update(cavahi *avahi, const char *name, AvahiStringList *txt) {
  if (avahi->server_group == NULL)
    return AVAHI_ERR_BAD_STATE;
  return libavahi_core.avahi_server_update_service_txt_strlst(avahi->server, avahi->server_group, AVAHI_IF_UNSPEC,
                                                AVAHI_PROTO_UNSPEC, 0, name, SERVICE_TYPE, NULL, txt);
}

void own_retire(cavahi *avahi) {
  if (avahi->server_retiring != NULL)
    libavahi_core.avahi_s_entry_group_free(avahi->server_retiring);
  avahi->server_retiring = NULL;
}

void own_withdraw(cavahi *avahi) {
  own_retire(avahi);
  if (avahi->server_group != NULL)
    libavahi_core.avahi_s_entry_group_free(avahi->server_group);
  avahi->server_group = NULL;
}

static void on_browser(AvahiSServiceBrowser *browser, AvahiIfIndex interface, AvahiProtocol protocol,
                       AvahiBrowserEvent event, const char *name, const char *type,
                       const char *domain, AvahiLookupResultFlags flags, void *context) {
  (void)browser;
  (void)type;
  cavahi *avahi = context;
  tell_browsed(avahi, CAVAHI_OWN, event, interface, protocol, name, domain, flags,
               libavahi_core.avahi_server_errno(avahi->server));
}

int32_t own_browse(cavahi *avahi) {
  if (avahi->server == NULL)
    return AVAHI_ERR_BAD_STATE;
  if (avahi->server_browser != NULL)
    libavahi_core.avahi_s_service_browser_free(avahi->server_browser);
  avahi->server_browser = libavahi_core.avahi_s_service_browser_new(avahi->server, AVAHI_IF_UNSPEC, AVAHI_PROTO_UNSPEC,
                                                      SERVICE_TYPE, NULL, 0, on_browser, avahi);
  return avahi->server_browser != NULL ? 0 : libavahi_core.avahi_server_errno(avahi->server);
}

static void on_resolver(AvahiSServiceResolver *resolver, AvahiIfIndex interface,
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
    tell_resolved(slot, CAVAHI_OWN, interface, protocol, address, port, txt);
  else
    tell_unresolved(slot, CAVAHI_OWN, libavahi_core.avahi_server_errno(slot->owner->server));
}

int32_t own_resolve(struct resolver *resolver, AvahiIfIndex interface, AvahiProtocol protocol,
                    const char *name, const char *domain) {
  cavahi *avahi = resolver->owner;
  if (avahi->server == NULL)
    return AVAHI_ERR_BAD_STATE;
  resolver->of_own = libavahi_core.avahi_s_service_resolver_new(avahi->server, interface, protocol, name,
                                                  SERVICE_TYPE, domain, protocol, 0, on_resolver, resolver);
  return resolver->of_own != NULL ? 0 : libavahi_core.avahi_server_errno(avahi->server);
}
