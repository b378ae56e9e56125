#include "CSQLite.h"

#include <sqlite3.h>

_Static_assert(CSQLITE_BUSY == SQLITE_BUSY && CSQLITE_CORRUPT == SQLITE_CORRUPT, "codes");
_Static_assert(CSQLITE_FULL == SQLITE_FULL && CSQLITE_NOT_A_DATABASE == SQLITE_NOTADB, "codes");

static sqlite3 *plain(csqlite *database) { return (sqlite3 *)database; }
static sqlite3_stmt *bare(csqlite_statement *statement) { return (sqlite3_stmt *)statement; }

int32_t csqlite_open(csqlite **out, const char *path, const char *vfs) {
  sqlite3 *database = NULL;
  /* Private to this process: no shared cache, one thread at a time. */
  const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX |
                    SQLITE_OPEN_PRIVATECACHE;
  const int result = sqlite3_open_v2(path, &database, flags, vfs);
  if (result != SQLITE_OK) {
    sqlite3_close_v2(database);
    return -result;
  }
  sqlite3_extended_result_codes(database, 1);
  *out = (csqlite *)database;
  return 0;
}

void csqlite_close(csqlite *database) { (void)sqlite3_close_v2(plain(database)); }

const char *csqlite_words(int32_t result) { return sqlite3_errstr(-result); }

int32_t csqlite_primary(int32_t result) { return -result & 0xFF; }

int32_t csqlite_run(csqlite *database, const char *sql) {
  return -sqlite3_exec(plain(database), sql, NULL, NULL, NULL);
}

int32_t csqlite_changes(csqlite *database) { return sqlite3_changes(plain(database)); }

int32_t csqlite_prepare(csqlite *database, const char *sql, csqlite_statement **out) {
  sqlite3_stmt *statement = NULL;
  const int result =
      sqlite3_prepare_v3(plain(database), sql, -1, SQLITE_PREPARE_PERSISTENT, &statement, NULL);
  *out = (csqlite_statement *)statement;
  return -result;
}

void csqlite_finalize(csqlite_statement *statement) { (void)sqlite3_finalize(bare(statement)); }

int32_t csqlite_bind_number(csqlite_statement *statement, int32_t index, int64_t value) {
  return -sqlite3_bind_int64(bare(statement), index, value);
}

int32_t csqlite_bind_bytes(csqlite_statement *statement, int32_t index, const void *bytes, size_t count) {
  /* A null pointer would bind NULL. */
  return -sqlite3_bind_blob64(bare(statement), index, count == 0 ? "" : bytes, count, SQLITE_TRANSIENT);
}

int32_t csqlite_bind_text(csqlite_statement *statement, int32_t index, const char *text, size_t count) {
  return -sqlite3_bind_text64(bare(statement), index, count == 0 ? "" : text, count, SQLITE_TRANSIENT,
                              SQLITE_UTF8);
}

int32_t csqlite_bind_null(csqlite_statement *statement, int32_t index) {
  return -sqlite3_bind_null(bare(statement), index);
}

int32_t csqlite_step(csqlite_statement *statement) {
  const int result = sqlite3_step(bare(statement));
  return result == SQLITE_ROW ? CSQLITE_ROW : result == SQLITE_DONE ? 0 : -result;
}

void csqlite_reset(csqlite_statement *statement) {
  (void)sqlite3_reset(bare(statement));
  (void)sqlite3_clear_bindings(bare(statement));
}

int64_t csqlite_column_number(csqlite_statement *statement, int32_t index) {
  return sqlite3_column_int64(bare(statement), index);
}

const void *csqlite_column_bytes(csqlite_statement *statement, int32_t index, size_t *count) {
  const void *bytes = sqlite3_column_blob(bare(statement), index);
  *count = (size_t)sqlite3_column_bytes(bare(statement), index);
  return bytes;
}
