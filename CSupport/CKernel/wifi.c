#include <errno.h>
#include <linux/genetlink.h>
#include <linux/nl80211.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "CKernel.h"

enum { MESSAGE_BYTES = 256, ANSWER_BYTES = 8192 };

/** A generic netlink message under construction, and where its next attribute goes. */
struct message {
  _Alignas(struct nlmsghdr) uint8_t bytes[MESSAGE_BYTES];
  uint32_t length;
};

static void begin(struct message *message, uint16_t family, uint8_t command) {
  *message = (struct message){.length = NLMSG_HDRLEN + GENL_HDRLEN};
  struct nlmsghdr *header = (struct nlmsghdr *)message->bytes;
  header->nlmsg_type = family;
  header->nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK;
  struct genlmsghdr *generic = (struct genlmsghdr *)(message->bytes + NLMSG_HDRLEN);
  generic->cmd = command;
  generic->version = 1;
}

static void add(struct message *message, uint16_t type, const void *value, uint16_t size) {
  struct nlattr attribute = {.nla_len = (uint16_t)(NLA_HDRLEN + size), .nla_type = type};
  memcpy(message->bytes + message->length, &attribute, sizeof attribute);
  memcpy(message->bytes + message->length + NLA_HDRLEN, value, size);
  message->length += NLA_ALIGN(NLA_HDRLEN + size);
}

/** The attribute of that type in a generic netlink message; NULL: it has none of that size or more. */
static const void *find(const struct nlmsghdr *header, uint16_t type, uint16_t size) {
  const uint8_t *bytes = (const uint8_t *)header;
  uint32_t offset = NLMSG_HDRLEN + GENL_HDRLEN;
  while (offset + NLA_HDRLEN <= header->nlmsg_len) {
    struct nlattr attribute;
    memcpy(&attribute, bytes + offset, sizeof attribute);
    if (attribute.nla_len < NLA_HDRLEN || attribute.nla_len > header->nlmsg_len - offset) return NULL;
    if ((attribute.nla_type & NLA_TYPE_MASK) == type && attribute.nla_len >= NLA_HDRLEN + size) {
      return bytes + offset + NLA_HDRLEN;
    }
    offset += NLA_ALIGN(attribute.nla_len);
  }
  return NULL;
}

/**
 * Sends a message and reads until its acknowledgement.
 *
 * The value of the wanted attribute (none: type 0) goes to value_out, of the given size.
 */
static int32_t ask(
  int fd, struct message *message, uint16_t type, void *value_out, uint16_t size) {
  ((struct nlmsghdr *)message->bytes)->nlmsg_len = message->length;
  if (send(fd, message->bytes, message->length, 0) < 0) return -errno;
  _Alignas(struct nlmsghdr) uint8_t answer[ANSWER_BYTES];
  int32_t found = type == 0 ? 0 : -ENODATA;
  for (;;) {
    ssize_t count = recv(fd, answer, sizeof answer, 0);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return errno == EAGAIN ? -ETIMEDOUT : -errno;
    uint32_t left = (uint32_t)count;
    for (struct nlmsghdr *header = (struct nlmsghdr *)answer; NLMSG_OK(header, left);
         header = NLMSG_NEXT(header, left)) {
      if (header->nlmsg_type == NLMSG_ERROR) {
        struct nlmsgerr error;
        if (header->nlmsg_len < NLMSG_LENGTH(sizeof error.error)) return -EBADMSG;
        memcpy(&error.error, NLMSG_DATA(header), sizeof error.error);
        return error.error != 0 ? error.error : found;
      }
      const void *value = type == 0 ? NULL : find(header, type, size);
      if (value != NULL) {
        memcpy(value_out, value, size);
        found = 0;
      }
    }
  }
}

/** A generic netlink socket, and the number that nl80211 has in this kernel. */
static int32_t open_nl80211(uint16_t *family_out) {
  int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_GENERIC);
  if (fd < 0) return -errno;
  struct timeval limit = {.tv_sec = 1};
  setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  struct message message;
  begin(&message, GENL_ID_CTRL, CTRL_CMD_GETFAMILY);
  add(&message, CTRL_ATTR_FAMILY_NAME, NL80211_GENL_NAME, sizeof NL80211_GENL_NAME);
  int32_t result = ask(fd, &message, CTRL_ATTR_FAMILY_ID, family_out, sizeof *family_out);
  if (result == 0) return fd;
  close(fd);
  return result;
}

int32_t kernel_wifi_power_save(uint32_t interface_index) {
  uint16_t family = 0;
  int32_t fd = open_nl80211(&family);
  if (fd < 0) return fd;
  struct message message;
  begin(&message, family, NL80211_CMD_GET_POWER_SAVE);
  add(&message, NL80211_ATTR_IFINDEX, &interface_index, sizeof interface_index);
  uint32_t state = 0;
  int32_t result = ask(fd, &message, NL80211_ATTR_PS_STATE, &state, sizeof state);
  close(fd);
  return result < 0 ? result : state == NL80211_PS_ENABLED;
}

int32_t kernel_wifi_set_power_save(uint32_t interface_index, int32_t is_on) {
  uint16_t family = 0;
  int32_t fd = open_nl80211(&family);
  if (fd < 0) return fd;
  struct message message;
  uint32_t state = is_on ? NL80211_PS_ENABLED : NL80211_PS_DISABLED;
  begin(&message, family, NL80211_CMD_SET_POWER_SAVE);
  add(&message, NL80211_ATTR_IFINDEX, &interface_index, sizeof interface_index);
  add(&message, NL80211_ATTR_PS_STATE, &state, sizeof state);
  int32_t result = ask(fd, &message, 0, NULL, 0);
  close(fd);
  return result;
}
