/* Stops the threads of that name in a process for so many seconds, or until they are killed:
 * stop-thread PROCESS NAME SECONDS. */
#define _GNU_SOURCE /* __WALL */

#include "CProbe.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int is_named(const char *folder, const char *thread, const char *name) {
  char path[512], found[32] = "";
  snprintf(path, sizeof path, "%s/%s/comm", folder, thread);
  FILE *file = fopen(path, "r");
  if (file == NULL) return 0;
  const char *line = fgets(found, sizeof found, file);
  fclose(file);
  return line != NULL && strncmp(found, name, strlen(name)) == 0;
}

int main(int count, char **words) {
  if (count != 4) return 64;
  char folder[64];
  snprintf(folder, sizeof folder, "/proc/%s/task", words[1]);
  DIR *threads = opendir(folder);
  int stopped = 0;
  for (struct dirent *entry; threads != NULL && (entry = readdir(threads)) != NULL;)
    if (is_named(folder, entry->d_name, words[2])) stopped += rig_thread_stop(atoi(entry->d_name)) == 0;
  if (stopped == 0) return 1;
  /* SIGALRM ends this program, and the kernel lets the threads go on. */
  alarm((unsigned)atoi(words[3]));
  /* One that is killed stays, and its process with it, until its tracer took notice. */
  while (stopped > 0) {
    int status;
    if (waitpid(-1, &status, __WALL) < 0 || WIFEXITED(status) || WIFSIGNALED(status)) stopped--;
  }
  return 0;
}
