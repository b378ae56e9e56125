#include "state.h"

#include <avahi-common/error.h>
#include <ifaddrs.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/*
 * The addresses of this host under the name of our own responder. Avahi would publish them itself, but with names for
 * addresses (PTR in in-addr.arpa) as well: there can be one only, so that avahi-daemon, or a second node on this host,
 * would take ours for a conflict of host names, without end.
 *
 * A group each, so that a change of one leaves the others alone. Changes are heard of by netlink (rtnetlink(7)).
 */

static void on_group(AvahiServer *server, AvahiSEntryGroup *group, AvahiEntryGroupState state,
                     void *context) {
  (void)server;
  (void)group;
  if (state == AVAHI_ENTRY_GROUP_COLLISION)
    tell_state(context, CAVAHI_EVENT_STATE, CAVAHI_OWN, CAVAHI_STATE_COLLISION, 0);
}

static int take(const struct ifaddrs *entry, struct host_address *out) {
  memset(out, 0, sizeof *out);
  if (entry->ifa_addr == NULL || !(entry->ifa_flags & IFF_UP))
    return 0;
  out->interface = (AvahiIfIndex)if_nametoindex(entry->ifa_name);
  if (entry->ifa_addr->sa_family == AF_INET) {
    const struct sockaddr_in *address = (const void *)entry->ifa_addr;
    out->address.proto = AVAHI_PROTO_INET;
    out->address.data.ipv4.address = address->sin_addr.s_addr;
  } else if (entry->ifa_addr->sa_family == AF_INET6) {
    const struct sockaddr_in6 *address = (const void *)entry->ifa_addr;
    out->address.proto = AVAHI_PROTO_INET6;
    memcpy(out->address.data.ipv6.address, &address->sin6_addr, 16);
  } else {
    return 0;
  }
  return out->interface > 0;
}

static int is_same(const struct host_address *a, const struct host_address *b) {
  return a->interface == b->interface && avahi_address_cmp(&a->address, &b->address) == 0;
}

static void publish(cavahi *avahi, struct host_address *address) {
  address->group = libavahi_core.avahi_s_entry_group_new(avahi->server, on_group, avahi);
  if (address->group == NULL)
    return;
  const int error = libavahi_core.avahi_server_add_address(avahi->server, address->group, address->interface,
                                                           address->address.proto, AVAHI_PUBLISH_NO_REVERSE,
                                                           NULL, &address->address);
  if (error == 0)
    libavahi_core.avahi_s_entry_group_commit(address->group);
}

void addresses_refresh(cavahi *avahi) {
  struct ifaddrs *list;
  struct host_address now[HOST_ADDRESSES];
  int count = 0;
  if (getifaddrs(&list) < 0)
    return;
  for (const struct ifaddrs *entry = list; entry != NULL && count < HOST_ADDRESSES; entry = entry->ifa_next)
    count += take(entry, &now[count]);
  freeifaddrs(list);
  for (int i = 0; i < avahi->address_count; i++) {
    struct host_address *old = &avahi->addresses[i];
    int match = 0;
    while (match < count && !is_same(old, &now[match]))
      match++;
    if (match < count)
      now[match].group = old->group;
    else if (old->group != NULL)
      libavahi_core.avahi_s_entry_group_free(old->group);
  }
  for (int i = 0; i < count; i++)
    if (now[i].group == NULL)
      publish(avahi, &now[i]);
  memcpy(avahi->addresses, now, sizeof now);
  avahi->address_count = count;
}

void addresses_withdraw(cavahi *avahi) {
  for (int i = 0; i < avahi->address_count; i++)
    if (avahi->addresses[i].group != NULL)
      libavahi_core.avahi_s_entry_group_free(avahi->addresses[i].group);
  avahi->address_count = 0;
}

static void on_change(AvahiWatch *watch, int descriptor, AvahiWatchEvent event, void *context) {
  (void)watch;
  (void)event;
  char message[8192];
  /* What changed is asked for anyway; ENOBUFS, too, says that something did. */
  while (recv(descriptor, message, sizeof message, MSG_DONTWAIT) > 0)
    ;
  addresses_refresh(context);
}

void addresses_start(cavahi *avahi) {
  const struct sockaddr_nl address = {.nl_family = AF_NETLINK,
                                      .nl_groups = RTMGRP_LINK | RTMGRP_IPV4_IFADDR | RTMGRP_IPV6_IFADDR};
  avahi->netlink = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_ROUTE);
  if (avahi->netlink >= 0 && bind(avahi->netlink, (const void *)&address, sizeof address) == 0)
    avahi->netlink_watch = avahi->api->watch_new(avahi->api, avahi->netlink, AVAHI_WATCH_IN, on_change, avahi);
  addresses_refresh(avahi);
}

void addresses_stop(cavahi *avahi) {
  if (avahi->netlink_watch != NULL)
    avahi->api->watch_free(avahi->netlink_watch);
  if (avahi->netlink >= 0)
    close(avahi->netlink);
  avahi->netlink_watch = NULL;
  avahi->netlink = -1;
  avahi->address_count = 0;
}
