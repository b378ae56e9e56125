#include "CFaultyDisk.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *const faultydisk_name = "faulty";

enum { MOST_FILES = 8, MOST_PATH = 512 };

/* What of a file is safe: a copy made at its last sync. */
struct safe {
  char path[MOST_PATH];
  unsigned char *octets;
  size_t count;
  bool exists;
};

static struct {
  int32_t steps, fault_step, fault;
  bool has_ended;
  struct safe safe[MOST_FILES];
} disk;

static sqlite3_vfs *under;
static sqlite3_vfs over;

struct file {
  sqlite3_file base;
  struct safe *safe;
  sqlite3_file *real;
};

static sqlite3_file *real(sqlite3_file *file) { return ((struct file *)file)->real; }

static struct safe *safe_of(const char *path) {
  for (int i = 0; i < MOST_FILES; i++) {
    if (strcmp(disk.safe[i].path, path) == 0)
      return &disk.safe[i];
    if (disk.safe[i].path[0] == 0) {
      strncpy(disk.safe[i].path, path, MOST_PATH - 1);
      return &disk.safe[i];
    }
  }
  return NULL;
}

static void copy(struct safe *safe) {
  const int file = open(safe->path, O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return;
  const off_t size = lseek(file, 0, SEEK_END);
  free(safe->octets);
  safe->octets = malloc(size > 0 ? (size_t)size : 1);
  const ssize_t count = pread(file, safe->octets, (size_t)size, 0);
  safe->count = count > 0 ? (size_t)count : 0;
  safe->exists = true;
  close(file);
}

/* Counts a step. True: it is to be done. */
static bool step(void) {
  if (disk.has_ended)
    return false;
  disk.steps++;
  if (disk.fault_step == 0 || disk.steps < disk.fault_step)
    return true;
  if (disk.fault != FAULTYDISK_FULL || disk.steps == disk.fault_step)
    disk.has_ended = true;
  return false;
}

static int x_close(sqlite3_file *file) {
  const int result = real(file)->pMethods ? real(file)->pMethods->xClose(real(file)) : SQLITE_OK;
  free(real(file));
  file->pMethods = NULL;
  return result;
}

static int x_read(sqlite3_file *file, void *out, int count, sqlite3_int64 offset) {
  return real(file)->pMethods->xRead(real(file), out, count, offset);
}

static bool is_full(void) { return disk.fault == FAULTYDISK_FULL; }

static int x_write(sqlite3_file *file, const void *octets, int count, sqlite3_int64 offset) {
  const bool was_ended = disk.has_ended;
  if (step())
    return real(file)->pMethods->xWrite(real(file), octets, count, offset);
  if (is_full())
    return SQLITE_FULL;
  if (!was_ended && disk.fault == FAULTYDISK_TORN && count > 1)
    (void)real(file)->pMethods->xWrite(real(file), octets, count / 2, offset);
  return SQLITE_IOERR_WRITE;
}

static int x_truncate(sqlite3_file *file, sqlite3_int64 size) {
  return step() || is_full() ? real(file)->pMethods->xTruncate(real(file), size) : SQLITE_IOERR_TRUNCATE;
}

static int x_sync(sqlite3_file *file, int flags) {
  if (!step())
    return is_full() ? SQLITE_OK : SQLITE_IOERR_FSYNC;
  /* Not the real one, which takes long and tells nothing here. */
  (void)flags;
  copy(((struct file *)file)->safe);
  return SQLITE_OK;
}

static int x_size(sqlite3_file *file, sqlite3_int64 *size) {
  return real(file)->pMethods->xFileSize(real(file), size);
}
static int x_lock(sqlite3_file *file, int level) { return real(file)->pMethods->xLock(real(file), level); }
static int x_unlock(sqlite3_file *file, int level) { return real(file)->pMethods->xUnlock(real(file), level); }
static int x_reserved(sqlite3_file *file, int *out) {
  return real(file)->pMethods->xCheckReservedLock(real(file), out);
}
static int x_control(sqlite3_file *file, int code, void *argument) {
  return real(file)->pMethods->xFileControl(real(file), code, argument);
}
static int x_sector(sqlite3_file *file) { return real(file)->pMethods->xSectorSize(real(file)); }
static int x_traits(sqlite3_file *file) {
  (void)file;
  /* No promise of atomic or ordered writes. */
  return 0;
}

/* Version 1: no shared memory, which the exclusive locking mode does without. */
static const sqlite3_io_methods methods = {
    .iVersion = 1,
    .xClose = x_close,
    .xRead = x_read,
    .xWrite = x_write,
    .xTruncate = x_truncate,
    .xSync = x_sync,
    .xFileSize = x_size,
    .xLock = x_lock,
    .xUnlock = x_unlock,
    .xCheckReservedLock = x_reserved,
    .xFileControl = x_control,
    .xSectorSize = x_sector,
    .xDeviceCharacteristics = x_traits,
};

static int x_open(sqlite3_vfs *vfs, const char *path, sqlite3_file *file, int flags, int *out) {
  (void)vfs;
  struct file *own = (struct file *)file;
  own->base.pMethods = NULL;
  own->real = calloc(1, (size_t)under->szOsFile);
  if (own->real == NULL)
    return SQLITE_NOMEM;
  const int result = under->xOpen(under, path, own->real, flags, out);
  if (result != SQLITE_OK) {
    free(own->real);
    return result;
  }
  own->safe = path == NULL ? NULL : safe_of(path);
  if (own->safe != NULL && !own->safe->exists)
    copy(own->safe);
  own->base.pMethods = &methods;
  return SQLITE_OK;
}

static int x_delete(sqlite3_vfs *vfs, const char *path, int is_synced) {
  (void)vfs;
  if (!step())
    return is_full() ? SQLITE_OK : SQLITE_IOERR_DELETE;
  struct safe *safe = safe_of(path);
  if (safe != NULL && is_synced)
    safe->exists = false;
  return under->xDelete(under, path, 0);
}

int32_t faultydisk_arm(int32_t step, int32_t fault) {
  for (int i = 0; i < MOST_FILES; i++)
    free(disk.safe[i].octets);
  memset(&disk, 0, sizeof disk);
  disk.fault_step = step;
  disk.fault = fault;
  if (under != NULL)
    return 0;
  under = sqlite3_vfs_find(NULL);
  over = *under;
  over.zName = faultydisk_name;
  over.szOsFile = sizeof(struct file);
  over.pNext = NULL;
  over.xOpen = x_open;
  over.xDelete = x_delete;
  return sqlite3_vfs_register(&over, 0) == SQLITE_OK ? 0 : -1;
}

int32_t faultydisk_steps(void) { return disk.steps; }

int32_t faultydisk_has_ended(void) { return disk.has_ended; }

void faultydisk_lose_unsynced(void) {
  for (int i = 0; i < MOST_FILES && disk.safe[i].path[0] != 0; i++) {
    struct safe *safe = &disk.safe[i];
    if (!safe->exists) {
      (void)truncate(safe->path, 0);
      continue;
    }
    const int file = open(safe->path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (file < 0)
      continue;
    ssize_t written = write(file, safe->octets, safe->count);
    (void)written;
    close(file);
  }
}
