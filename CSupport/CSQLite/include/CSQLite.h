/**
 * CSQLite: what Comlink uses of SQLite. The shim hides its structs, its macros for destructors and its lifetimes of
 * column memory: values are copied in, and read before the next step.
 *
 * A connection and its statements are for one thread at a time. All functions are [control] and may wait for a disk.
 * Results are 0, or -(SQLite's extended result code), see csqlite_words.
 */
#ifndef CSQLITE_H
#define CSQLITE_H

#include <stddef.h>
#include <stdint.h>

typedef struct csqlite csqlite;
typedef struct csqlite_statement csqlite_statement;

enum { CSQLITE_ROW = 1 };

/** Primary result codes that somebody can do something about. */
enum { CSQLITE_BUSY = 5, CSQLITE_CORRUPT = 11, CSQLITE_FULL = 13, CSQLITE_NOT_A_DATABASE = 26 };

/** Opens a database, made where it is missing. vfs: a file system's name; NULL: the system's. */
int32_t csqlite_open(csqlite **out, const char *path, const char *vfs);
/** Closes it, statements that are left included; NULL is allowed. */
void csqlite_close(csqlite *database);
/** What a result means, in English words. */
const char *csqlite_words(int32_t result);
/** The code without the details of the extended one. */
int32_t csqlite_primary(int32_t result);

/** Runs statements that give no rows. */
int32_t csqlite_run(csqlite *database, const char *sql);
/** Rows that the last statement changed. */
int32_t csqlite_changes(csqlite *database);

/** Prepares one statement. */
int32_t csqlite_prepare(csqlite *database, const char *sql, csqlite_statement **out);
void csqlite_finalize(csqlite_statement *statement);
/** Binds a parameter, counted from 1; octets are copied. */
int32_t csqlite_bind_number(csqlite_statement *statement, int32_t index, int64_t value);
int32_t csqlite_bind_bytes(csqlite_statement *statement, int32_t index, const void *bytes, size_t count);
int32_t csqlite_bind_text(csqlite_statement *statement, int32_t index, const char *text, size_t count);
int32_t csqlite_bind_null(csqlite_statement *statement, int32_t index);
/** CSQLITE_ROW: a row is there; 0: there is none (more). */
int32_t csqlite_step(csqlite_statement *statement);
/** Ready for another round; parameters are null again. */
void csqlite_reset(csqlite_statement *statement);

/** A column of the row, counted from 0; a null is 0, or no octets. */
int64_t csqlite_column_number(csqlite_statement *statement, int32_t index);
/** Octets of text or blob, good until the next step or reset. */
const void *csqlite_column_bytes(csqlite_statement *statement, int32_t index, size_t *count);

#endif
