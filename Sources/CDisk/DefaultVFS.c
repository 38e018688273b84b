#include "OpenFile.h"
#include <pthread.h>
#include <string.h>

// The default VFS: SQLite seeds its generator by it for the whole process, and code that names no VFS opens its files by it. Where an app
// runs they are the app's, in its sandbox; elsewhere it is the platform's own with fixed entropy and time.

static sqlite3_vfs default_vfs;
static sqlite3_vfs *platform;
static cdisk_app_host host;

/// The app that runs on this thread, or NULL.
static void *app(void) { return host.running ? host.running() : NULL; }

static int open_any(sqlite3_vfs *vfs, const char *name, sqlite3_file *base, int flags, int *out_flags) {
    void *running = app();
    if (!running) return platform->xOpen(platform, name, base, flags, out_flags);
    cdisk_file *f = (cdisk_file *)base;
    f->base.pMethods = NULL;  // SQLite closes only what has methods
    f->host = &host.files;
    f->app = &host;
    int status = host.files.open(running, name, flags, &f->file);
    if (status != SQLITE_OK) return status;
    f->base.pMethods = &cdisk_app_file_methods;
    if (out_flags) *out_flags = flags;
    return SQLITE_OK;
}
static int delete_any(sqlite3_vfs *vfs, const char *name, int sync_folder) {
    void *running = app();
    return running ? host.files.remove(running, name, sync_folder) : platform->xDelete(platform, name, sync_folder);
}
static int access_any(sqlite3_vfs *vfs, const char *name, int flags, int *result) {
    void *running = app();
    if (!running) return platform->xAccess(platform, name, flags, result);
    *result = host.files.exists(running, name);
    return SQLITE_OK;
}
// An app's working folder is the root, where it can write nothing: a relative path leads outside of its sandbox, as on an iPad.
static int full_path_any(sqlite3_vfs *vfs, const char *name, int size, char *out) {
    if (!app()) return platform->xFullPathname(platform, name, size, out);
    int slash = name[0] == '/' ? 0 : 1;
    if (strlen(name) + slash >= (size_t)size) return SQLITE_CANTOPEN;
    out[0] = '/';
    strcpy(out + slash, name);
    return SQLITE_OK;
}
// Waiting in a step would be for ever: a busy handler gives up after as many tries as it would have on an iPad.
static int sleep_any(sqlite3_vfs *vfs, int microseconds) {
    return app() ? microseconds : platform->xSleep(platform, microseconds);
}
static int time_any(sqlite3_vfs *vfs, sqlite3_int64 *milliseconds) {
    void *running = app();
    *milliseconds = JULIAN_MILLISECONDS + (running ? host.files.now(running) : 0);
    return SQLITE_OK;
}
static int time_in_days(sqlite3_vfs *vfs, double *days) {
    sqlite3_int64 milliseconds = 0;
    time_any(vfs, &milliseconds);
    *days = (double)milliseconds / 86400000.0;
    return SQLITE_OK;
}

static void prepare_once(void) {
    sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);  // fails harmlessly when SQLite is already in use
    if (sqlite3_initialize() != SQLITE_OK) return;
    platform = sqlite3_vfs_find(NULL);
    if (!platform) return;
    default_vfs = *platform;
    default_vfs.zName = "homeroom-default";
    default_vfs.pNext = NULL;
    if (default_vfs.szOsFile < (int)sizeof(cdisk_file)) default_vfs.szOsFile = sizeof(cdisk_file);
    default_vfs.xOpen = open_any;
    default_vfs.xDelete = delete_any;
    default_vfs.xAccess = access_any;
    default_vfs.xFullPathname = full_path_any;
    default_vfs.xSleep = sleep_any;
    default_vfs.xRandomness = cdisk_randomness;
    default_vfs.xCurrentTime = time_in_days;
    default_vfs.xCurrentTimeInt64 = time_any;
    sqlite3_vfs_register(&default_vfs, 1);
    sqlite3_randomness(0, NULL);
}

void cdisk_prepare(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, prepare_once);
}

void cdisk_serve_apps(const cdisk_app_host *served) {
    cdisk_prepare();
    host = *served;
}
