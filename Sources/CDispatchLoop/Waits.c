// Waits of libc inside an app's loop: the stack waits and the loop goes on. Outside every loop they are the machine's.
#define _GNU_SOURCE
#include "CInterpose.h"
#include "Inside.h"
#include <errno.h>
#include <pthread.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

SHOWN int pthread_mutex_lock(pthread_mutex_t *mutex) {
    if (!hd_entered()) return REAL(pthread_mutex_lock, int, (pthread_mutex_t *))(mutex);
    int result;
    while ((result = pthread_mutex_trylock(mutex)) == EBUSY) {
        // A library's own lock, which a thread outside of this loop holds for a moment (SQLite, in a process of several loops).
        if (!hd_is_of_loop(mutex->__data.__owner)) return REAL(pthread_mutex_lock, int, (pthread_mutex_t *))(mutex);
        // Of a stack that has ended in the middle of a wait: nobody will unlock it, and what it guards has ended too.
        if (hd_await(mutex, UINT64_MAX) == HD_ENDING) return 0;
    }
    return result;
}
SHOWN int pthread_mutex_unlock(pthread_mutex_t *mutex) {
    int result = REAL(pthread_mutex_unlock, int, (pthread_mutex_t *))(mutex);
    if (hd_entered() && hd_entered()->waiters) hd_wake(mutex, 0);
    return result;
}
SHOWN int pthread_rwlock_rdlock(pthread_rwlock_t *lock) {
    if (!hd_entered()) return REAL(pthread_rwlock_rdlock, int, (pthread_rwlock_t *))(lock);
    int result;
    while ((result = pthread_rwlock_tryrdlock(lock)) == EBUSY) {
        if (lock->__data.__cur_writer && !hd_is_of_loop(lock->__data.__cur_writer))
            return REAL(pthread_rwlock_rdlock, int, (pthread_rwlock_t *))(lock);
        if (hd_await(lock, UINT64_MAX) == HD_ENDING) return 0;
    }
    return result;
}
SHOWN int pthread_rwlock_wrlock(pthread_rwlock_t *lock) {
    if (!hd_entered()) return REAL(pthread_rwlock_wrlock, int, (pthread_rwlock_t *))(lock);
    int result;
    while ((result = pthread_rwlock_trywrlock(lock)) == EBUSY) {
        if (lock->__data.__cur_writer && !hd_is_of_loop(lock->__data.__cur_writer))
            return REAL(pthread_rwlock_wrlock, int, (pthread_rwlock_t *))(lock);
        if (hd_await(lock, UINT64_MAX) == HD_ENDING) return 0;
    }
    return result;
}
SHOWN int pthread_rwlock_unlock(pthread_rwlock_t *lock) {
    int result = REAL(pthread_rwlock_unlock, int, (pthread_rwlock_t *))(lock);
    if (hd_entered() && hd_entered()->waiters) hd_wake(lock, 1);
    return result;
}
static int wait_on(pthread_cond_t *condition, pthread_mutex_t *mutex, uint64_t deadline) {
    pthread_mutex_unlock(mutex);
    int was_woken = hd_await(condition, deadline) != 0;
    pthread_mutex_lock(mutex);
    return was_woken ? 0 : ETIMEDOUT;
}
SHOWN int pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex) {
    if (hd_entered()) return wait_on(condition, mutex, UINT64_MAX);
    return REAL(pthread_cond_wait, int, (pthread_cond_t *, pthread_mutex_t *))(condition, mutex);
}
SHOWN int pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex, const struct timespec *until) {
    hr_context *machine = hr_current();
    if (!hd_entered() || !machine)
        return REAL(pthread_cond_timedwait, int, (pthread_cond_t *, pthread_mutex_t *, const struct timespec *))(
            condition, mutex, until);
    // By the calendar's clock, which is what a condition has unless it was made otherwise.
    int64_t at = until->tv_sec * 1000000000ll + until->tv_nsec - machine->epoch_ns;
    return wait_on(condition, mutex, at > 0 ? (uint64_t)at : 0);
}
SHOWN int pthread_cond_clockwait(pthread_cond_t *condition, pthread_mutex_t *mutex, clockid_t clock, const struct timespec *until) {
    hr_context *machine = hr_current();
    if (!hd_entered() || !machine)
        return REAL(pthread_cond_clockwait, int, (pthread_cond_t *, pthread_mutex_t *, clockid_t, const struct timespec *))(
            condition, mutex, clock, until);
    int64_t at = until->tv_sec * 1000000000ll + until->tv_nsec - (clock == CLOCK_REALTIME ? machine->epoch_ns : 0);
    return wait_on(condition, mutex, at > 0 ? (uint64_t)at : 0);
}
SHOWN int pthread_cond_signal(pthread_cond_t *condition) {
    if (hd_entered()) hd_wake(condition, 0);
    return REAL(pthread_cond_signal, int, (pthread_cond_t *))(condition);
}
SHOWN int pthread_cond_broadcast(pthread_cond_t *condition) {
    if (hd_entered()) hd_wake(condition, 1);
    return REAL(pthread_cond_broadcast, int, (pthread_cond_t *))(condition);
}

// ASSUMED: no sleep is shorter. Thread.sleep sleeps again for what rounding has left, and a sleep of no length would never end it.
enum { SHORTEST = 1000 };
static void rest(uint64_t nanoseconds) {
    hd_sleep_until((int64_t)(hd_now() + (nanoseconds < SHORTEST ? SHORTEST : nanoseconds)));
}
static uint64_t nanoseconds_of(const struct timespec *time) {
    return (uint64_t)time->tv_sec * 1000000000u + (uint64_t)time->tv_nsec;
}
SHOWN int nanosleep(const struct timespec *span, struct timespec *left) {
    if (!hd_entered()) return REAL(nanosleep, int, (const struct timespec *, struct timespec *))(span, left);
    rest(nanoseconds_of(span));
    return 0;
}
SHOWN int clock_nanosleep(clockid_t clock, int flags, const struct timespec *span, struct timespec *left) {
    if (!hd_entered())
        return REAL(clock_nanosleep, int, (clockid_t, int, const struct timespec *, struct timespec *))(
            clock, flags, span, left);
    struct timespec now;
    clock_gettime(clock, &now);
    uint64_t wanted = nanoseconds_of(span), from = flags & TIMER_ABSTIME ? nanoseconds_of(&now) : 0;
    if (wanted > from) rest(wanted - from);
    return 0;
}
SHOWN unsigned sleep(unsigned seconds) {
    if (!hd_entered()) return REAL(sleep, unsigned, (unsigned))(seconds);
    rest(seconds * 1000000000ull);
    return 0;
}
SHOWN int usleep(useconds_t microseconds) {
    if (!hd_entered()) return REAL(usleep, int, (useconds_t))(microseconds);
    rest(microseconds * 1000ull);
    return 0;
}

// Foundation's run loop would wait for these, and nobody runs it here: a timer that never fires must not pass for a quiet app.
static void refuse_run_loop(void) {
    hd_refuse("Foundation's own Timer or RunLoop was used inside an app, where nobody runs it; use Ubiquity's: write once in the app "
              "'public typealias Timer = Ubiquity.Timer' and 'public typealias RunLoop = Ubiquity.RunLoop'");
}
SHOWN int timerfd_create(int clock, int flags) {
    if (hd_entered()) refuse_run_loop();
    return REAL(timerfd_create, int, (int, int))(clock, flags);
}
SHOWN int timerfd_settime(int fd, int flags, const struct itimerspec *next, struct itimerspec *before) {
    if (hd_entered()) refuse_run_loop();
    return REAL(timerfd_settime, int, (int, int, const struct itimerspec *, struct itimerspec *))(fd, flags, next, before);
}
