#include "CDisk.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// Longest file name: the volume's own limit (1024) and SQLite's suffixes.
#define NAME_MAX_BYTES 1100
/// Julian day 0 is this many milliseconds before 1970.
#define JULIAN_MILLISECONDS 210866760000000LL

struct cdisk_volume {
    sqlite3_vfs vfs;
    cdisk_host host;
    void *volume;
    char name[32];
};

typedef struct {
    sqlite3_file base;
    const cdisk_host *host;
    void *file;
} open_file;

static cdisk_volume *mount_of(sqlite3_vfs *vfs) { return vfs->pAppData; }

// The file: every call goes to the host.

static int file_close(sqlite3_file *base) {
    open_file *f = (open_file *)base;
    f->host->close(f->file);
    return SQLITE_OK;
}
static int file_read(sqlite3_file *base, void *into, int count, sqlite3_int64 offset) {
    open_file *f = (open_file *)base;
    int got = 0, status = f->host->read(f->file, into, count, offset, &got);
    if (status != SQLITE_OK || got == count) return status;
    memset((char *)into + got, 0, (size_t)(count - got));  // SQLite demands zeros after a short read
    return SQLITE_IOERR_SHORT_READ;
}
static int file_write(sqlite3_file *base, const void *from, int count, sqlite3_int64 offset) {
    open_file *f = (open_file *)base;
    return f->host->write(f->file, from, count, offset);
}
static int file_truncate(sqlite3_file *base, sqlite3_int64 size) {
    open_file *f = (open_file *)base;
    return f->host->truncate(f->file, size);
}
static int file_sync(sqlite3_file *base, int flags) {
    open_file *f = (open_file *)base;
    return f->host->sync(f->file);
}
static int file_size(sqlite3_file *base, sqlite3_int64 *size) {
    open_file *f = (open_file *)base;
    int64_t bytes = 0;
    int status = f->host->size(f->file, &bytes);
    *size = bytes;
    return status;
}
static int file_lock(sqlite3_file *base, int level) {
    open_file *f = (open_file *)base;
    return f->host->lock(f->file, level);
}
static int file_check_lock(sqlite3_file *base, int *result) {
    open_file *f = (open_file *)base;
    *result = f->host->locked_elsewhere(f->file);
    return SQLITE_OK;
}
static int file_control(sqlite3_file *base, int operation, void *argument) { return SQLITE_NOTFOUND; }
static int file_sector_size(sqlite3_file *base) { return 512; }
// A torn write never harms bytes outside its own range, so SQLite need not pad to sectors. SQLite assumes the same of real disks.
static int file_characteristics(sqlite3_file *base) { return SQLITE_IOCAP_POWERSAFE_OVERWRITE; }

// Version 1: no shared memory and no mapping, so nothing bypasses the volume.
static const sqlite3_io_methods file_methods = {
    .iVersion = 1, .xClose = file_close, .xRead = file_read, .xWrite = file_write, .xTruncate = file_truncate,
    .xSync = file_sync, .xFileSize = file_size, .xLock = file_lock, .xUnlock = file_lock,
    .xCheckReservedLock = file_check_lock, .xFileControl = file_control, .xSectorSize = file_sector_size,
    .xDeviceCharacteristics = file_characteristics,
};

// Entropy: a stream from the seed of the running call, never the machine's.

static uint64_t entropy = 0x5eed;

static int fixed_randomness(sqlite3_vfs *vfs, int count, char *into) {
    for (int i = 0; i < count; i++) {
        entropy += 0x9e3779b97f4a7c15u;  // SplitMix64
        uint64_t z = entropy;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        into[i] = (char)(z ^ (z >> 31));
    }
    return count;
}
static pthread_mutex_t generator_lock = PTHREAD_MUTEX_INITIALIZER;

void cdisk_begin(uint64_t seed) {
    pthread_mutex_lock(&generator_lock);
    entropy = seed;
    sqlite3_randomness(0, NULL);  // documented: forgets its state and asks the default VFS again at the next draw
}
void cdisk_end(void) { pthread_mutex_unlock(&generator_lock); }

// The volume.

static int volume_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *base, int flags, int *out_flags) {
    open_file *f = (open_file *)base;
    f->base.pMethods = NULL;  // SQLite closes only what has methods
    f->host = &mount_of(vfs)->host;
    int status = f->host->open(mount_of(vfs)->volume, name, flags, &f->file);
    if (status != SQLITE_OK) return status;
    f->base.pMethods = &file_methods;
    if (out_flags) *out_flags = flags;
    return SQLITE_OK;
}
static int volume_delete(sqlite3_vfs *vfs, const char *name, int sync_folder) {
    return mount_of(vfs)->host.remove(mount_of(vfs)->volume, name, sync_folder);
}
static int volume_access(sqlite3_vfs *vfs, const char *name, int flags, int *result) {
    *result = mount_of(vfs)->host.exists(mount_of(vfs)->volume, name);
    return SQLITE_OK;
}
static int volume_full_path(sqlite3_vfs *vfs, const char *name, int size, char *out) {
    if (strlen(name) >= (size_t)size) return SQLITE_CANTOPEN;
    strcpy(out, name);
    return SQLITE_OK;
}
static int volume_sleep(sqlite3_vfs *vfs, int microseconds) { return microseconds; }  // virtual time stands still in a step
static int volume_time(sqlite3_vfs *vfs, sqlite3_int64 *milliseconds) {
    *milliseconds = JULIAN_MILLISECONDS + mount_of(vfs)->host.now(mount_of(vfs)->volume);
    return SQLITE_OK;
}
static int volume_time_days(sqlite3_vfs *vfs, double *days) {
    sqlite3_int64 milliseconds = 0;
    volume_time(vfs, &milliseconds);
    *days = (double)milliseconds / 86400000.0;
    return SQLITE_OK;
}
static int volume_last_error(sqlite3_vfs *vfs, int size, char *out) { return 0; }

// The default VFS seeds SQLite's generator for the whole process: the platform's own, but with fixed entropy and time.

static sqlite3_vfs default_vfs;
static int fixed_time(sqlite3_vfs *vfs, sqlite3_int64 *milliseconds) {
    *milliseconds = JULIAN_MILLISECONDS;
    return SQLITE_OK;
}
static int fixed_time_days(sqlite3_vfs *vfs, double *days) {
    *days = (double)JULIAN_MILLISECONDS / 86400000.0;
    return SQLITE_OK;
}
static void prepare_once(void) {
    sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);  // fails harmlessly when SQLite is already in use
    if (sqlite3_initialize() != SQLITE_OK) return;
    sqlite3_vfs *platform = sqlite3_vfs_find(NULL);
    if (!platform) return;
    default_vfs = *platform;
    default_vfs.zName = "homeroom-default";
    default_vfs.pNext = NULL;
    default_vfs.xRandomness = fixed_randomness;
    default_vfs.xCurrentTime = fixed_time_days;
    default_vfs.xCurrentTimeInt64 = fixed_time;
    sqlite3_vfs_register(&default_vfs, 1);
    sqlite3_randomness(0, NULL);
}

void cdisk_prepare(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, prepare_once);
}

static pthread_mutex_t mount_lock = PTHREAD_MUTEX_INITIALIZER;

cdisk_volume *cdisk_mount(void *volume, const cdisk_host *host) {
    static unsigned long mounted_count = 0;
    cdisk_prepare();
    cdisk_volume *m = calloc(1, sizeof *m);
    if (!m) return NULL;
    m->host = *host;
    m->volume = volume;
    pthread_mutex_lock(&mount_lock);
    snprintf(m->name, sizeof m->name, "homeroom-%lu", mounted_count++);
    pthread_mutex_unlock(&mount_lock);
    m->vfs = (sqlite3_vfs){
        .iVersion = 2, .szOsFile = sizeof(open_file), .mxPathname = NAME_MAX_BYTES, .zName = m->name, .pAppData = m,
        .xOpen = volume_open, .xDelete = volume_delete, .xAccess = volume_access, .xFullPathname = volume_full_path,
        .xRandomness = fixed_randomness, .xSleep = volume_sleep, .xCurrentTime = volume_time_days,
        .xGetLastError = volume_last_error, .xCurrentTimeInt64 = volume_time,
    };
    if (sqlite3_vfs_register(&m->vfs, 0) == SQLITE_OK) return m;
    free(m);
    return NULL;
}
const char *cdisk_name(const cdisk_volume *mounted) { return mounted->name; }
void cdisk_unmount(cdisk_volume *mounted) {
    sqlite3_vfs_unregister(&mounted->vfs);
    free(mounted);
}

int cdisk_open_file(const char *path, sqlite3 **database) {
    cdisk_prepare();
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
    int status = sqlite3_open_v2(path, database, flags, NULL);
    if (status == SQLITE_OK) sqlite3_extended_result_codes(*database, 1);
    return status;
}
int cdisk_open(const cdisk_volume *mounted, const char *path, sqlite3 **database) {
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
    int status = sqlite3_open_v2(path, database, flags, mounted->name);
    if (status != SQLITE_OK) return status;
    sqlite3_extended_result_codes(*database, 1);
    sqlite3_db_config(*database, SQLITE_DBCONFIG_LOOKASIDE, NULL, 256, 48);
    // A process that is killed does not checkpoint either: closing must leave the same bytes in every mode.
    sqlite3_db_config(*database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
    return SQLITE_OK;
}
int cdisk_bind_text(sqlite3_stmt *statement, int index, const char *text, int count) {
    return sqlite3_bind_text(statement, index, text, count, SQLITE_TRANSIENT);
}
int cdisk_bind_blob(sqlite3_stmt *statement, int index, const void *bytes, int count) {
    return count == 0 ? sqlite3_bind_zeroblob(statement, index, 0)
                      : sqlite3_bind_blob(statement, index, bytes, count, SQLITE_TRANSIENT);
}
