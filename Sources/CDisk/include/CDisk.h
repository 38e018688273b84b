#pragma once
/// The SQLite side of the power-loss disk: one VFS a volume, which hands every call on to the volume's owner.
/// Nothing here knows what a file holds; nothing here reads the machine's clock or entropy.
#include <sqlite3.h>
#include <stdint.h>

/// Extended result codes, as constants that Swift imports. https://www.sqlite.org/rescode.html
static const int cdisk_ioerr_read = SQLITE_IOERR_READ;
static const int cdisk_ioerr_write = SQLITE_IOERR_WRITE;
static const int cdisk_ioerr_sync = SQLITE_IOERR_FSYNC;
static const int cdisk_ioerr_truncate = SQLITE_IOERR_TRUNCATE;
static const int cdisk_ioerr_size = SQLITE_IOERR_FSTAT;
static const int cdisk_ioerr_delete = SQLITE_IOERR_DELETE;
static const int cdisk_ioerr_lock = SQLITE_IOERR_LOCK;
static const int cdisk_ioerr_delete_absent = SQLITE_IOERR_DELETE_NOENT;

/// What the owner of a volume answers for. `volume` is the pointer given to `cdisk_mount`, `file` what `open` stored.
/// Every function returns an SQLite result code unless it says otherwise.
typedef struct cdisk_host {
    /// `name` is NULL for a temporary file without a name.
    int (*open)(void *volume, const char *name, int flags, void **file);
    void (*close)(void *file);
    /// Returns SQLITE_OK or SQLITE_IOERR_READ; `*got` bytes were there, the rest of `into` is the caller's to clear.
    int (*read)(void *file, void *into, int count, int64_t offset, int *got);
    int (*write)(void *file, const void *from, int count, int64_t offset);
    int (*truncate)(void *file, int64_t size);
    int (*sync)(void *file);
    int (*size)(void *file, int64_t *size);
    /// `level` is an SQLITE_LOCK_ constant; SQLITE_BUSY when another handle has the file.
    int (*lock)(void *file, int level);
    /// 1 when another handle has the file, else 0.
    int (*locked_elsewhere)(void *file);
    int (*remove)(void *volume, const char *name, int sync_folder);
    /// 1 when there is such a file, else 0.
    int (*exists)(void *volume, const char *name);
    /// Virtual time in milliseconds since 1970.
    int64_t (*now)(void *volume);
} cdisk_host;

typedef struct cdisk_volume cdisk_volume;

/// Prepares SQLite once a process: fixed entropy and time in the default VFS, no memory statistics. Every mount does it too.
void cdisk_prepare(void);
/// Registers a VFS for one volume. NULL when memory is short. `host` is copied, `volume` must outlive the mount.
cdisk_volume *cdisk_mount(void *volume, const cdisk_host *host);
/// The name to give to `sqlite3_open_v2`.
const char *cdisk_name(const cdisk_volume *mounted);
/// Removes the VFS; no database may be open on it.
void cdisk_unmount(cdisk_volume *mounted);

/// Who answers for the databases of apps, which open them by the default VFS: `sqlite3_open`, GRDB and everything that is built on SQLite.
typedef struct cdisk_app_host {
    /// As for a volume; `volume` is what `running` gave. A `file` may outlive its app: then every function refuses.
    cdisk_host files;
    /// The app whose code runs on this thread now; NULL: the default VFS is the platform's own.
    void *(*running)(void);
    /// The shared-memory index of a write-ahead log: memory of the app, for there is one process to each app.
    int (*shm_map)(void *file, int region, int size, int extend, void volatile **at);
    int (*shm_lock)(void *file, int offset, int count, int flags);
    void (*shm_unmap)(void *file, int removes);
    /// The connection that uses the file, before its first transaction.
    void (*used_by)(void *file, sqlite3 *connection);
} cdisk_app_host;

/// From now on the default VFS serves apps, when one runs, by this host. Once a process, before any app; `host` is copied.
void cdisk_serve_apps(const cdisk_app_host *host);
/// Restarts SQLite's process-wide generator for an app's code, without keeping it: another user of SQLite restarts it too.
void cdisk_seed(uint64_t seed);

/// Restarts SQLite's process-wide generator from `seed` and keeps it for the calling thread until `cdisk_end`. Salts of journals
/// come from it: the bytes on a disk depend on the seed alone, not on who else uses SQLite. Calls do not nest.
void cdisk_begin(uint64_t seed);
void cdisk_end(void);

/// Opens a database with a small fixed cost: little lookaside memory, no checkpoint at close. Result code of SQLite.
int cdisk_open(const cdisk_volume *mounted, const char *path, sqlite3 **database);
/// Opens a database in a real file of the machine, with the machine's own syncs: for a server, not for runs.
int cdisk_open_file(const char *path, sqlite3 **database);
/// Binds with a copy of the bytes: `SQLITE_TRANSIENT` is a cast that Swift does not import.
int cdisk_bind_text(sqlite3_stmt *statement, int index, const char *text, int count);
int cdisk_bind_blob(sqlite3_stmt *statement, int index, const void *bytes, int count);
