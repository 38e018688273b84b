#include "OpenFile.h"
#include <pthread.h>
#include <string.h>

// The file: every call goes to the host.

static int file_close(sqlite3_file *base) {
    cdisk_file *f = (cdisk_file *)base;
    f->host->close(f->file);
    return SQLITE_OK;
}
static int file_read(sqlite3_file *base, void *into, int count, sqlite3_int64 offset) {
    cdisk_file *f = (cdisk_file *)base;
    int got = 0, status = f->host->read(f->file, into, count, offset, &got);
    if (status != SQLITE_OK || got == count) return status;
    memset((char *)into + got, 0, (size_t)(count - got));  // SQLite demands zeros after a short read
    return SQLITE_IOERR_SHORT_READ;
}
static int file_write(sqlite3_file *base, const void *from, int count, sqlite3_int64 offset) {
    cdisk_file *f = (cdisk_file *)base;
    return f->host->write(f->file, from, count, offset);
}
static int file_truncate(sqlite3_file *base, sqlite3_int64 size) {
    cdisk_file *f = (cdisk_file *)base;
    return f->host->truncate(f->file, size);
}
static int file_sync(sqlite3_file *base, int flags) {
    cdisk_file *f = (cdisk_file *)base;
    return f->host->sync(f->file);
}
static int file_size(sqlite3_file *base, sqlite3_int64 *size) {
    cdisk_file *f = (cdisk_file *)base;
    int64_t bytes = 0;
    int status = f->host->size(f->file, &bytes);
    *size = bytes;
    return status;
}
static int file_lock(sqlite3_file *base, int level) {
    cdisk_file *f = (cdisk_file *)base;
    return f->host->lock(f->file, level);
}
static int file_check_lock(sqlite3_file *base, int *result) {
    cdisk_file *f = (cdisk_file *)base;
    *result = f->host->locked_elsewhere(f->file);
    return SQLITE_OK;
}
static int file_control(sqlite3_file *base, int operation, void *argument) { return SQLITE_NOTFOUND; }
static int file_sector_size(sqlite3_file *base) { return 512; }
// A torn write never harms bytes outside its own range, so SQLite need not pad to sectors. SQLite assumes the same of real disks.
static int file_characteristics(sqlite3_file *base) { return SQLITE_IOCAP_POWERSAFE_OVERWRITE; }

#define SHARED_MEMBERS                                                                                             \
    .xClose = file_close, .xRead = file_read, .xWrite = file_write, .xTruncate = file_truncate, .xSync = file_sync, \
    .xFileSize = file_size, .xLock = file_lock, .xUnlock = file_lock, .xCheckReservedLock = file_check_lock,        \
    .xSectorSize = file_sector_size, .xDeviceCharacteristics = file_characteristics

const sqlite3_io_methods cdisk_file_methods = {.iVersion = 1, .xFileControl = file_control, SHARED_MEMBERS};

// A file of an app.

static int app_control(sqlite3_file *base, int operation, void *argument) {
    cdisk_file *f = (cdisk_file *)base;
    if (operation != SQLITE_FCNTL_PDB) return SQLITE_NOTFOUND;
    f->app->used_by(f->file, *(sqlite3 **)argument);
    return SQLITE_OK;
}
static int app_shm_map(sqlite3_file *base, int region, int size, int extend, void volatile **at) {
    cdisk_file *f = (cdisk_file *)base;
    return f->app->shm_map(f->file, region, size, extend, at);
}
static int app_shm_lock(sqlite3_file *base, int offset, int count, int flags) {
    cdisk_file *f = (cdisk_file *)base;
    return f->app->shm_lock(f->file, offset, count, flags);
}
static void app_shm_barrier(sqlite3_file *base) { __sync_synchronize(); }
static int app_shm_unmap(sqlite3_file *base, int removes) {
    cdisk_file *f = (cdisk_file *)base;
    f->app->shm_unmap(f->file, removes);
    return SQLITE_OK;
}

const sqlite3_io_methods cdisk_app_file_methods = {
    .iVersion = 2, .xFileControl = app_control, .xShmMap = app_shm_map, .xShmLock = app_shm_lock,
    .xShmBarrier = app_shm_barrier, .xShmUnmap = app_shm_unmap, SHARED_MEMBERS};

// Entropy: a stream from the seed of the running call, never the machine's.

static uint64_t entropy = 0x5eed;

int cdisk_randomness(sqlite3_vfs *vfs, int count, char *into) {
    for (int i = 0; i < count; i++) {
        entropy += 0x9e3779b97f4a7c15u;  // SplitMix64
        uint64_t z = entropy;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        into[i] = (char)(z ^ (z >> 31));
    }
    return count;
}
static void restart(uint64_t seed) {
    entropy = seed;
    sqlite3_randomness(0, NULL);  // documented: forgets its state and asks the default VFS again at the next draw
}
static pthread_mutex_t generator_lock = PTHREAD_MUTEX_INITIALIZER;

void cdisk_seed(uint64_t seed) {
    pthread_mutex_lock(&generator_lock);
    restart(seed);
    pthread_mutex_unlock(&generator_lock);
}

void cdisk_begin(uint64_t seed) {
    pthread_mutex_lock(&generator_lock);
    restart(seed);
}
void cdisk_end(void) { pthread_mutex_unlock(&generator_lock); }
