#include "OpenFile.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// Longest file name: the volume's own limit (1024) and SQLite's suffixes.
#define NAME_MAX_BYTES 1100

struct cdisk_volume {
    sqlite3_vfs vfs;
    cdisk_host host;
    void *volume;
    char name[32];
};

static cdisk_volume *mount_of(sqlite3_vfs *vfs) { return vfs->pAppData; }

// The volume.

static int volume_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *base, int flags, int *out_flags) {
    cdisk_file *f = (cdisk_file *)base;
    f->base.pMethods = NULL;  // SQLite closes only what has methods
    f->host = &mount_of(vfs)->host;
    int status = f->host->open(mount_of(vfs)->volume, name, flags, &f->file);
    if (status != SQLITE_OK) return status;
    f->base.pMethods = &cdisk_file_methods;
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
        .iVersion = 2, .szOsFile = sizeof(cdisk_file), .mxPathname = NAME_MAX_BYTES, .zName = m->name, .pAppData = m,
        .xOpen = volume_open, .xDelete = volume_delete, .xAccess = volume_access, .xFullPathname = volume_full_path,
        .xRandomness = cdisk_randomness, .xSleep = volume_sleep, .xCurrentTime = volume_time_days,
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
