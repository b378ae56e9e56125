/**
 * CFaultyDisk: a file system of SQLite's for tests, over the system's own, that ends at a chosen step: as a process
 * that is killed there, or a machine whose power goes.
 *
 * One at a time in a process; its files are on the system's disk, so what is left can be opened without it.
 */
#ifndef CFAULTYDISK_H
#define CFAULTYDISK_H

#include <stdint.h>

/** What happens at the step. */
enum {
  /** This and all later steps do nothing: a process killed before it. */
  FAULTYDISK_KILLED = 0,
  /** Likewise, and of what was not synced nothing is left: a power cut. */
  FAULTYDISK_POWER_CUT = 1,
  /** Likewise, and of the write at the step the first half got through: torn. */
  FAULTYDISK_TORN = 2,
  /** The step fails as a full disk does, and so do all later ones that make a file longer. */
  FAULTYDISK_FULL = 3,
};

/** The name to open a database by. */
extern const char *const faultydisk_name;

/** Arms it: the fault comes at a step, counted from 1; 0: never. 0, or -1: it cannot be registered. */
int32_t faultydisk_arm(int32_t step, int32_t fault);
/** Steps so far: writes, syncs, truncations and removals. */
int32_t faultydisk_steps(void);
/** 1: the step has come. */
int32_t faultydisk_has_ended(void);
/** After a power cut and once all is closed: what was synced is what is in the files. */
void faultydisk_lose_unsynced(void);

#endif
