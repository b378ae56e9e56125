/** The plugin's socket in the file system. */
#ifndef RT_PLUGIN_SOCKET_H
#define RT_PLUGIN_SOCKET_H

#include <sys/stat.h>
#include <sys/un.h>

struct rt_plugin_socket {
  int listen_fd;
  struct sockaddr_un address;
  dev_t device; /**< with node: of the socket as made, so that no other is removed */
  ino_t node;
};

/** Listens at a path, see rt_plugin_load; one that nobody listens at any more is taken over. 0 or -errno, -EADDRINUSE
 *  when somebody does. [control] */
int rt_plugin_socket_open(struct rt_plugin_socket *own, const char *path);
/** Closes and removes it. [control] */
void rt_plugin_socket_close(struct rt_plugin_socket *own);

#endif
