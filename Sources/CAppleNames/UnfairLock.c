// ASSUMED: who holds a lock is not told apart; Apple's ends a process that unlocks what another thread has locked.
#include "os_lock.h"
#include <CDispatchLoop.h>
#include <CInterpose.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

bool os_unfair_lock_trylock(os_unfair_lock_t lock) {
    return !__atomic_exchange_n(&lock->_os_unfair_lock_opaque, 1, __ATOMIC_ACQUIRE);
}
void os_unfair_lock_lock(os_unfair_lock_t lock) {
    while (!os_unfair_lock_trylock(lock)) {
        if (hr_current()) hd_wait_until(lock, INT64_MAX);
        else sched_yield();
    }
}
static void end(const char *what) {
    fprintf(stderr, "os_unfair_lock: %s; an iPad ends the app here\n", what);
    abort();
}
void os_unfair_lock_unlock(os_unfair_lock_t lock) {
    if (!__atomic_exchange_n(&lock->_os_unfair_lock_opaque, 0, __ATOMIC_RELEASE)) end("unlocked, and nobody had locked it");
    if (hr_current()) hd_wake_waiter(lock);
}
void os_unfair_lock_assert_owner(const os_unfair_lock *lock) {
    if (!__atomic_load_n(&lock->_os_unfair_lock_opaque, __ATOMIC_RELAXED)) end("it should be held, and is not");
}
void os_unfair_lock_assert_not_owner(const os_unfair_lock *lock) {
    if (__atomic_load_n(&lock->_os_unfair_lock_opaque, __ATOMIC_RELAXED)) end("it should not be held, and is");
}
