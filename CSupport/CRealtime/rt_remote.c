#define _GNU_SOURCE
#include "rt_remote.h"

#include "rt_clock.h"
#include "rt_session.h"
#include "rt_state.h"
#include "rt_wake.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* jackd answers in milliseconds, but may wait seconds for a client that hangs. */
enum { ANSWER_MILLISECONDS = 5000, WELCOME_MILLISECONDS = 2000, FAREWELL_MILLISECONDS = 200 };

/** The plugin has gone, or makes no sense: what it plays is over. */
static void lose(struct rt_engine *engine) {
  uint32_t running = RT_RUNNING;
  if (!atomic_compare_exchange_strong_explicit(&engine->state, &running, RT_SERVER_GONE, memory_order_release,
                                               memory_order_relaxed)) {
    return;
  }
  rt_wake(&engine->desk);
  rt_give_notice(engine);
}

/** Waits until there is something to receive. False: not within that time. */
static bool wait_readable(int socket_fd, int64_t deadline_nanoseconds) {
  for (;;) {
    const int64_t left = deadline_nanoseconds - rt_clock_nanoseconds();
    struct pollfd readable = {.fd = socket_fd, .events = POLLIN};
    const int ready = poll(&readable, 1, left > 0 ? (int)(left / 1000000) + 1 : 0);
    if (ready > 0) return true;
    if (ready == 0 || errno != EINTR) return false;
  }
}

static int64_t deadline_in(int milliseconds) {
  return rt_clock_nanoseconds() + milliseconds * INT64_C(1000000);
}

/** Takes one frame into rt_engine.answer and what it says of the graph.
 *  0, -EAGAIN, or another -errno: the link is over. */
static int take_answer(struct rt_engine *engine) {
  struct rt_link_answer *answer = engine->answer;
  const int64_t bytes =
      rt_link_receive(engine->link_fd, answer, sizeof *answer + RT_LINK_TEXT_BYTES, NULL, NULL);
  if (bytes == -EAGAIN) return -EAGAIN;
  if (bytes <= 0 || rt_link_check_answer(answer, (size_t)bytes) != 0) return -ENOTCONN;
  atomic_store_explicit(&engine->graph_changes, answer->graph_changes, memory_order_relaxed);
  return 0;
}

/** Waits for the answer of this serial. */
static int await_answer(struct rt_engine *engine, uint32_t serial, int milliseconds) {
  const int64_t deadline = deadline_in(milliseconds);
  for (;;) {
    /* Notices may come all the time. */
    if (!wait_readable(engine->link_fd, deadline) || rt_clock_nanoseconds() > deadline) return -ETIMEDOUT;
    const int error = take_answer(engine);
    if (error != 0 && error != -EAGAIN) return error;
    if (error == 0 && engine->answer->serial == serial) return 0;
    /* Taken here, but still to be looked at. */
    if (error == 0 && engine->answer->kind == RT_LINK_NOTICE) rt_give_notice(engine);
  }
}

/** Asks, and leaves the answer in rt_engine.answer. What it says, or -ENOTCONN. */
static int ask(struct rt_engine *engine, struct rt_link_request *request, int milliseconds) {
  if (rt_engine_state(engine) != RT_RUNNING) return -ENOTCONN;
  if (++engine->link_serial == 0) engine->link_serial = 1;
  request->serial = engine->link_serial;
  int error = rt_link_send(engine->link_fd, request, sizeof *request, NULL, 0);
  if (error == 0) error = await_answer(engine, request->serial, milliseconds);
  if (error == 0 && engine->answer->kind == request->kind) return engine->answer->result;
  lose(engine);
  return -ENOTCONN;
}

/** Copies a name; false when it is none of JACK's. */
static bool put_name(char *place, const char *name) {
  const size_t bytes = strlen(name) + 1;
  if (bytes > RT_PORT_NAME_BYTES) return false;
  memcpy(place, name, bytes);
  return true;
}

int rt_remote_set_port(struct rt_engine *engine, rt_output output, const char *port_name) {
  struct rt_link_request request = {.kind = RT_LINK_SET_PORT, .port = output};
  return put_name(request.source, port_name) ? ask(engine, &request, ANSWER_MILLISECONDS) : -ENAMETOOLONG;
}

void rt_remote_clear_port(struct rt_engine *engine, rt_output output) {
  struct rt_link_request request = {.kind = RT_LINK_CLEAR_PORT, .port = output};
  (void)ask(engine, &request, ANSWER_MILLISECONDS);
}

int rt_remote_connect(struct rt_engine *engine, const char *source, const char *destination) {
  struct rt_link_request request = {.kind = RT_LINK_CONNECT};
  if (!put_name(request.source, source) || !put_name(request.destination, destination)) return -ENOENT;
  return ask(engine, &request, ANSWER_MILLISECONDS);
}

int rt_remote_list(struct rt_engine *engine, uint32_t kind, char *text, uint32_t capacity) {
  struct rt_link_request request = {.kind = kind};
  const int bytes = ask(engine, &request, ANSWER_MILLISECONDS);
  if (bytes <= 0) return bytes;
  if ((uint32_t)bytes > capacity) return -ENOSPC;
  memcpy(text, engine->answer->text, (size_t)bytes);
  return bytes;
}

/* --- coming and going --- */

/** A socket connected to the plugin's, or -errno. */
static int connect_socket(const char *path) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  if (strlen(path) >= sizeof address.sun_path) return -ENAMETOOLONG;
  strcpy(address.sun_path, path);
  const int socket_fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (socket_fd < 0) return -errno;
  int error = 0;
  if (connect(socket_fd, (const struct sockaddr *)&address, sizeof address) != 0) error = -errno;
  /* Nobody is there, or whoever was has died, or too many wait for it. */
  if (error == -ECONNREFUSED || error == -ENOTDIR || error == -EAGAIN) error = -ENOENT;
  if (error == -EACCES || (error == 0 && !rt_link_trusts(socket_fd))) error = -EPERM;
  if (error == 0) return socket_fd;
  close(socket_fd);
  return error;
}

/** Hands over what is to be shared; fills welcome. 0 or -errno. */
static int introduce(const struct rt_engine *engine, int socket_fd, const char *client_name,
                     struct rt_link_welcome *welcome) {
  struct rt_link_hello hello = {.version = rt_link_own_version()};
  if (strlen(client_name) >= sizeof hello.client_name) return -ENAMETOOLONG;
  /* The last server's; this one's callback tells it anew. */
  atomic_store_explicit(&engine->desk.shared->is_freewheeling, 0, memory_order_relaxed);
  strcpy(hello.client_name, client_name);
  const int descriptors[RT_LINK_DESCRIPTORS] = {engine->memory_fd, engine->desk.wake_fd};
  const int error = rt_link_send(socket_fd, &hello, sizeof hello, descriptors, RT_LINK_DESCRIPTORS);
  if (error != 0) return error == -EPIPE ? -ENOENT : error;
  if (!wait_readable(socket_fd, deadline_in(WELCOME_MILLISECONDS))) return -ETIMEDOUT;
  char frame[RT_LINK_HELLO_BYTES];
  const int64_t bytes = rt_link_receive(socket_fd, frame, sizeof frame, NULL, NULL);
  if (bytes <= 0) return bytes == 0 || bytes == -ECONNRESET ? -ENOENT : (int)bytes;
  const int result = rt_link_check_welcome(frame, (size_t)bytes);
  if (result == 0) memcpy(welcome, frame, sizeof *welcome);
  return result;
}

static void set_input(struct rt_engine *engine, int32_t input) {
  struct rt_link_request request = {.kind = RT_LINK_SET_INPUT, .port = input};
  strcpy(request.source, engine->input_names[input]);
  (void)ask(engine, &request, ANSWER_MILLISECONDS);
}

/** Ports for the inputs and outputs that have names; inputs that have none lose a former comlinkd's. */
static void name_ports(struct rt_engine *engine) {
  for (int32_t input = 0; input < RT_MAX_INPUTS; input++) set_input(engine, input);
  for (rt_output output = 0; output < RT_MAX_OUTPUTS; output++) {
    const char *port_name = engine->output_names[output];
    /* One that cannot be had costs a peer its own port, not everybody the talk. */
    if (port_name[0] != '\0') (void)rt_remote_set_port(engine, output, port_name);
  }
}

static int open_link(struct rt_engine *engine, const char *socket_path, const char *client_name) {
  const int socket_fd = connect_socket(socket_path);
  if (socket_fd < 0) return socket_fd;
  struct rt_link_welcome welcome;
  int error = introduce(engine, socket_fd, client_name, &welcome);
  if (error == 0 && !rt_session_takes_rate(welcome.sample_rate)) error = -ERANGE;
  struct epoll_event frames = {.events = EPOLLIN};
  if (error == 0 && epoll_ctl(engine->watch_fd, EPOLL_CTL_ADD, socket_fd, &frames) != 0) error = -errno;
  if (error != 0) {
    close(socket_fd);
    return error;
  }
  engine->link_fd = socket_fd;
  engine->link_priority = welcome.priority;
  engine->is_resumed = welcome.is_resumed != 0;
  atomic_store_explicit(&engine->graph_changes, welcome.graph_changes, memory_order_relaxed);
  atomic_store_explicit(&engine->state, RT_RUNNING, memory_order_release);
  name_ports(engine);
  return 0;
}

int rt_engine_open_plugin(struct rt_engine *engine, const char *socket_path, const char *client_name) {
  if (engine->memory_fd < 0) return -EINVAL;
  pthread_mutex_lock(&engine->control);
  const int error = engine->link_fd >= 0 ? -EALREADY : open_link(engine, socket_path, client_name);
  pthread_mutex_unlock(&engine->control);
  return error;
}

bool rt_engine_is_resumed(const struct rt_engine *engine) {
  return engine->is_resumed;
}

void rt_remote_close(struct rt_engine *engine) {
  if (engine->link_fd < 0) return;
  struct rt_link_request request = {.kind = RT_LINK_LEAVE};
  /* So that the callback has left when the slots are settled. One that hangs is in the hands of whoever stopped it. */
  (void)ask(engine, &request, FAREWELL_MILLISECONDS);
  atomic_store_explicit(&engine->state, RT_CLOSED, memory_order_release);
  close(engine->link_fd);
  engine->link_fd = -1;
  rt_session_settle(engine);
}

void rt_remote_take_notices(struct rt_engine *engine) {
  if (engine->watch_fd < 0) return;
  pthread_mutex_lock(&engine->control);
  int error = engine->link_fd >= 0 ? 0 : -EAGAIN;
  while (error == 0) error = take_answer(engine);
  if (error != -EAGAIN) lose(engine);
  pthread_mutex_unlock(&engine->control);
}
