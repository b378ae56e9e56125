#include "state.h"

#include <errno.h>
#include <stddef.h>
#include <sys/socket.h>

/*
 * Keeps messages with aliases (CNAME) away from avahi-core, which follows them into recursion, assertions and freed
 * memory as anybody on the network likes (its issues 501, 678 and 683, in all releases so far): here that would end the
 * station with its sound. Nothing of ours is an alias.
 * Messages that are none, or longer than RFC 6762 §17 has them, are dropped too.
 *
 * avahi-core waits for its sockets by the watches of an AvahiPoll and reads one datagram each time; so it is given one
 * whose watches look at the datagram first (MSG_PEEK), and take it away where it must not be seen.
 * All of it is on the thread that polls.
 */

enum { HEADER_BYTES = 12, QUESTION_BYTES = 4, RECORD_BYTES = 10, TYPE_CNAME = 5 };

struct reader {
  const uint8_t *octets;
  size_t count, offset;
};

static int skip(struct reader *reader, size_t count) {
  if (reader->count - reader->offset < count)
    return -1;
  reader->offset += count;
  return 0;
}

static unsigned two(const struct reader *reader, size_t offset) {
  return (unsigned)reader->octets[offset] << 8 | reader->octets[offset + 1];
}

/* Labels up to an empty one or to a pointer (RFC 1035 §4.1.4). */
static int skip_name(struct reader *reader) {
  while (reader->offset < reader->count) {
    const uint8_t length = reader->octets[reader->offset];
    if (length >= 0xC0)
      return skip(reader, 2);
    if (length >= 0x40 || skip(reader, 1u + length) < 0)
      return -1;
    if (length == 0)
      return 0;
  }
  return -1;
}

/* The type of the record that is skipped, or -1. */
static int skip_record(struct reader *reader) {
  if (skip_name(reader) < 0 || skip(reader, RECORD_BYTES) < 0)
    return -1;
  const int type = (int)two(reader, reader->offset - RECORD_BYTES);
  return skip(reader, two(reader, reader->offset - 2)) < 0 ? -1 : type;
}

int32_t cavahi_message_is_fit(const uint8_t *octets, size_t count) {
  struct reader reader = {octets, count, 0};
  if (skip(&reader, HEADER_BYTES) < 0)
    return 0;
  for (unsigned left = two(&reader, 4); left > 0; left--)
    if (skip_name(&reader) < 0 || skip(&reader, QUESTION_BYTES) < 0)
      return 0;
  for (unsigned left = two(&reader, 6) + two(&reader, 8) + two(&reader, 10); left > 0; left--) {
    const int type = skip_record(&reader);
    if (type < 0 || type == TYPE_CNAME)
      return 0;
  }
  return 1;
}

static void on_datagram(AvahiWatch *watch, int descriptor, AvahiWatchEvent event, void *context) {
  struct screened_watch *screened = context;
  cavahi *avahi = screened->owner;
  if (event & AVAHI_WATCH_IN) {
    const ssize_t count = recv(descriptor, avahi->datagram, sizeof avahi->datagram, MSG_PEEK | MSG_DONTWAIT | MSG_TRUNC);
    if (count < 0 && (errno == EAGAIN || errno == EINTR))
      return;
    if (count >= 0 && ((size_t)count > sizeof avahi->datagram || !cavahi_message_is_fit(avahi->datagram, (size_t)count))) {
      (void)recv(descriptor, avahi->datagram, 0, MSG_DONTWAIT);
      return;
    }
  }
  screened->callback(watch, descriptor, event, screened->context);
}

static int is_datagram_socket(int descriptor) {
  int type, domain;
  socklen_t size = sizeof type;
  if (getsockopt(descriptor, SOL_SOCKET, SO_TYPE, &type, &size) < 0 || type != SOCK_DGRAM)
    return 0;
  size = sizeof domain;
  return getsockopt(descriptor, SOL_SOCKET, SO_DOMAIN, &domain, &size) == 0 && (domain == AF_INET || domain == AF_INET6);
}

static AvahiWatch *watch_screened(const AvahiPoll *api, int descriptor, AvahiWatchEvent event, AvahiWatchCallback callback,
                                  void *context) {
  cavahi *avahi = (cavahi *)((char *)api - offsetof(cavahi, screened_api));
  if (!is_datagram_socket(descriptor))
    return avahi->api->watch_new(avahi->api, descriptor, event, callback, context);
  if (avahi->screened_count == SCREENED_WATCHES)
    return NULL;
  struct screened_watch *screened = &avahi->screened[avahi->screened_count++];
  *screened = (struct screened_watch){.owner = avahi, .callback = callback, .context = context};
  return avahi->api->watch_new(avahi->api, descriptor, event, on_datagram, screened);
}

const AvahiPoll *screened_poll(cavahi *avahi) {
  avahi->screened_api = *avahi->api;
  avahi->screened_api.watch_new = watch_screened;
  avahi->screened_count = 0;
  return &avahi->screened_api;
}
