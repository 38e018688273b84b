#pragma once
/// What the two file systems for SQLite share: files of a host, its own stream of entropy, its calendar.
#include "CDisk.h"

/// Julian day 0 is this many milliseconds before 1970.
#define JULIAN_MILLISECONDS 210866760000000LL

/// A file that SQLite has open.
typedef struct {
    sqlite3_file base;
    const cdisk_host *host;
    /// Only of a file of an app: who gives it a shared-memory index.
    const cdisk_app_host *app;
    void *file;
} cdisk_file;

/// No shared memory and no mapping: nothing bypasses the host.
extern const sqlite3_io_methods cdisk_file_methods;
/// The same with the shared-memory index that several connections to one write-ahead log need.
extern const sqlite3_io_methods cdisk_app_file_methods;

/// SQLite's generator draws from it: a stream from the seed of the running call, never the machine's.
int cdisk_randomness(sqlite3_vfs *vfs, int count, char *into);
