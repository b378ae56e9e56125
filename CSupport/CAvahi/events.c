#include "state.h"

#include <string.h>

static void tell(cavahi *avahi, const cavahi_event *event) { avahi->sink(avahi->context, event); }

void tell_state(cavahi *avahi, int32_t kind, int32_t backend, int32_t state, int32_t error) {
  const cavahi_event event = {.kind = kind, .backend = backend, .state = state, .error = error};
  tell(avahi, &event);
}

void tell_published(cavahi *avahi, int32_t backend, AvahiEntryGroupState state, int32_t error) {
  int32_t told;
  switch (state) {
  case AVAHI_ENTRY_GROUP_ESTABLISHED:
    told = CAVAHI_STATE_RUNNING;
    error = 0;
    break;
  case AVAHI_ENTRY_GROUP_COLLISION:
    told = CAVAHI_STATE_COLLISION;
    break;
  case AVAHI_ENTRY_GROUP_FAILURE:
    told = CAVAHI_STATE_FAILED;
    break;
  default:
    return;
  }
  tell_state(avahi, CAVAHI_EVENT_PUBLISHED, backend, told, error);
}

void tell_browsed(cavahi *avahi, int32_t backend, AvahiBrowserEvent event, AvahiIfIndex interface,
                  AvahiProtocol protocol, const char *name, const char *domain,
                  AvahiLookupResultFlags flags, int32_t error) {
  if (event == AVAHI_BROWSER_FAILURE) {
    tell_state(avahi, CAVAHI_EVENT_BROWSING_FAILED, backend, CAVAHI_STATE_FAILED, error);
    return;
  }
  if ((event != AVAHI_BROWSER_NEW && event != AVAHI_BROWSER_REMOVE) || name == NULL ||
      domain == NULL)
    return;
  const cavahi_event told = {
      .kind = event == AVAHI_BROWSER_NEW ? CAVAHI_EVENT_APPEARED : CAVAHI_EVENT_DISAPPEARED,
      .backend = backend,
      .interface = interface,
      .is_ipv6 = protocol == AVAHI_PROTO_INET6,
      .is_local = (flags & AVAHI_LOOKUP_RESULT_LOCAL) != 0,
      .is_own = (flags & AVAHI_LOOKUP_RESULT_OUR_OWN) != 0,
      .name = name,
      .domain = domain,
  };
  tell(avahi, &told);
}

void tell_resolved(struct resolver *resolver, int32_t backend, AvahiIfIndex interface,
                   AvahiProtocol protocol, const AvahiAddress *address, uint16_t port,
                   AvahiStringList *txt) {
  if (address == NULL)
    return;
  uint8_t octets[CAVAHI_TXT_BYTES];
  cavahi_event told = {
      .kind = CAVAHI_EVENT_RESOLVED,
      .backend = backend,
      .token = resolver->token,
      .interface = interface,
      .is_ipv6 = protocol == AVAHI_PROTO_INET6,
      .address_is_ipv6 = address->proto == AVAHI_PROTO_INET6,
      .port = port,
  };
  if (told.address_is_ipv6)
    memcpy(told.address, address->data.ipv6.address, 16);
  else
    memcpy(told.address, &address->data.ipv4.address, 4);
  told.txt_bytes = avahi_string_list_serialize(txt, NULL, 0);
  if (told.txt_bytes > 0 && told.txt_bytes <= sizeof octets) {
    told.txt_bytes = avahi_string_list_serialize(txt, octets, sizeof octets);
    told.txt = octets;
  }
  tell(resolver->owner, &told);
}

void tell_unresolved(struct resolver *resolver, int32_t backend, int32_t error) {
  const cavahi_event told = {.kind = CAVAHI_EVENT_UNRESOLVED,
                             .backend = backend,
                             .token = resolver->token,
                             .error = error};
  tell(resolver->owner, &told);
}
