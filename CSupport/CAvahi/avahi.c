#include "state.h"

#include <avahi-common/alternative.h>
#include <avahi-common/error.h>
#include <avahi-common/malloc.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

static void on_wake(AvahiWatch *watch, int descriptor, AvahiWatchEvent event, void *context) {
  (void)watch;
  (void)event;
  (void)context;
  uint64_t count;
  /* Nothing to be read is no error: somebody was quicker. */
  while (read(descriptor, &count, sizeof count) < 0 && errno == EINTR)
    ;
}

cavahi *cavahi_create(cavahi_sink sink, void *context, int32_t *error) {
  *error = -ENOMEM;
  cavahi *avahi = calloc(1, sizeof *avahi);
  if (avahi == NULL)
    return NULL;
  avahi->sink = sink;
  avahi->context = context;
  for (int i = 0; i < CAVAHI_RESOLVERS; i++)
    avahi->resolvers[i].owner = avahi;
  avahi->netlink = -1;
  avahi->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (avahi->wake < 0) {
    *error = -errno;
    free(avahi);
    return NULL;
  }
  avahi->poll = avahi_simple_poll_new();
  if (avahi->poll != NULL) {
    avahi->api = avahi_simple_poll_get(avahi->poll);
    avahi->wake_watch = avahi->api->watch_new(avahi->api, avahi->wake, AVAHI_WATCH_IN, on_wake, NULL);
  }
  if (avahi->wake_watch == NULL) {
    cavahi_destroy(avahi);
    return NULL;
  }
  *error = 0;
  return avahi;
}

void cavahi_destroy(cavahi *avahi) {
  if (avahi == NULL)
    return;
  daemon_stop(avahi);
  own_stop(avahi);
  if (avahi->poll != NULL)
    avahi_simple_poll_free(avahi->poll);
  close(avahi->wake);
  free(avahi);
}

int32_t cavahi_poll(cavahi *avahi, int32_t milliseconds) {
  errno = 0;
  if (avahi_simple_poll_iterate(avahi->poll, milliseconds) >= 0 || errno == EINTR)
    return 0;
  return errno != 0 ? -errno : -EIO;
}

void cavahi_wake(cavahi *avahi) {
  const uint64_t one = 1;
  while (write(avahi->wake, &one, sizeof one) < 0 && errno == EINTR)
    ;
}

void cavahi_stop(cavahi *avahi, int32_t backend) {
  backend == CAVAHI_DAEMON ? daemon_stop(avahi) : own_stop(avahi);
}

const char *cavahi_host_name(cavahi *avahi, int32_t backend) {
  if (backend == CAVAHI_DAEMON)
    return avahi->client != NULL ? libavahi_client.avahi_client_get_host_name_fqdn(avahi->client) : NULL;
  return avahi->server != NULL ? libavahi_core.avahi_server_get_host_name_fqdn(avahi->server) : NULL;
}

void cavahi_offer_satellite(cavahi *avahi, uint16_t port) { avahi->satellite_port = port; }

int32_t cavahi_publish(cavahi *avahi, int32_t backend, const char *name, uint16_t port,
                       const uint8_t *txt, size_t txt_bytes) {
  AvahiStringList *list = NULL;
  if (avahi_string_list_parse(txt, txt_bytes, &list) < 0)
    return AVAHI_ERR_INVALID_RDATA;
  const int32_t error = backend == CAVAHI_DAEMON ? daemon_publish(avahi, name, port, list)
                                                 : own_publish(avahi, name, port, list);
  avahi_string_list_free(list);
  return error;
}

int32_t cavahi_update(cavahi *avahi, int32_t backend, const char *name, const uint8_t *txt,
                      size_t txt_bytes) {
  AvahiStringList *list = NULL;
  if (avahi_string_list_parse(txt, txt_bytes, &list) < 0)
    return AVAHI_ERR_INVALID_RDATA;
  const int32_t error =
      backend == CAVAHI_DAEMON ? daemon_update(avahi, name, list) : own_update(avahi, name, list);
  avahi_string_list_free(list);
  return error;
}

void cavahi_retire(cavahi *avahi, int32_t backend) {
  backend == CAVAHI_DAEMON ? daemon_retire(avahi) : own_retire(avahi);
}

void cavahi_withdraw(cavahi *avahi, int32_t backend) {
  backend == CAVAHI_DAEMON ? daemon_withdraw(avahi) : own_withdraw(avahi);
}

int32_t cavahi_browse(cavahi *avahi, int32_t backend) {
  return backend == CAVAHI_DAEMON ? daemon_browse(avahi) : own_browse(avahi);
}

static int is_free(const struct resolver *resolver) {
  return resolver->of_daemon == NULL && resolver->of_own == NULL;
}

int32_t cavahi_resolve(cavahi *avahi, int32_t backend, uint32_t token, int32_t interface,
                       int32_t is_ipv6, const char *name, const char *domain) {
  const AvahiProtocol protocol = is_ipv6 ? AVAHI_PROTO_INET6 : AVAHI_PROTO_INET;
  for (int i = 0; i < CAVAHI_RESOLVERS; i++) {
    struct resolver *resolver = &avahi->resolvers[i];
    if (!is_free(resolver))
      continue;
    resolver->token = token;
    return backend == CAVAHI_DAEMON ? daemon_resolve(resolver, interface, protocol, name, domain)
                                    : own_resolve(resolver, interface, protocol, name, domain);
  }
  return -EMFILE;
}

void cavahi_resolve_stop(cavahi *avahi, uint32_t token) {
  for (int i = 0; i < CAVAHI_RESOLVERS; i++) {
    struct resolver *resolver = &avahi->resolvers[i];
    if (resolver->token != token || is_free(resolver))
      continue;
    if (resolver->of_daemon != NULL)
      libavahi_client.avahi_service_resolver_free(resolver->of_daemon);
    if (resolver->of_own != NULL)
      libavahi_core.avahi_s_service_resolver_free(resolver->of_own);
    resolver->of_daemon = NULL;
    resolver->of_own = NULL;
    return;
  }
}

int32_t cavahi_next_name(const char *name, char *out) {
  char *next = avahi_alternative_service_name(name);
  if (next == NULL)
    return -ENOMEM;
  strncpy(out, next, CAVAHI_NAME_BYTES - 1);
  out[CAVAHI_NAME_BYTES - 1] = 0;
  avahi_free(next);
  return 0;
}

const char *cavahi_error_words(int32_t error) { return avahi_strerror(error); }
