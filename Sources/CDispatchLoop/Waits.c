// Waits of libc inside an app's loop: the stack waits and the loop goes on. Outside every loop they are the machine's.
#define _GNU_SOURCE
#include "CInterpose.h"
#include "Inside.h"
#include <errno.h>
#include <pthread.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

SHOWN int pthread_mutex_trylock(pthread_mutex_t *mutex) {
    // A recursive one would let in the other fibers of its thread.
    if (hd_is_of_other_fiber(mutex, mutex->__data.__owner)) return EBUSY;
    int result = REAL(pthread_mutex_trylock, int, (pthread_mutex_t *))(mutex);
    if (!result && hd_entered()) hd_hold(mutex, 0);
    return result;
}
SHOWN int pthread_mutex_lock(pthread_mutex_t *mutex) {
    enum { BETWEEN_PROCESSES = 128 };
    if (!hd_entered() || mutex->__data.__kind & BETWEEN_PROCESSES)
        return REAL(pthread_mutex_lock, int, (pthread_mutex_t *))(mutex);
    int result, sights = 0;
    while ((result = pthread_mutex_trylock(mutex)) == EBUSY) {
        int wait = hd_await_holder(mutex->__data.__owner, mutex, &sights);
        // A library's own lock, which a thread outside of every loop holds for a moment.
        if (!wait) {
            result = REAL(pthread_mutex_lock, int, (pthread_mutex_t *))(mutex);
            if (!result) hd_hold(mutex, 0);
            return result;
        }
        // Of a stack that has ended in the middle of a wait: nobody will unlock it, and what it guards has ended too.
        if (wait == HD_ENDING) return 0;
    }
    return result;
}
SHOWN int pthread_mutex_unlock(pthread_mutex_t *mutex) {
    if (hd_entered()) hd_let_go(mutex);
    int result = REAL(pthread_mutex_unlock, int, (pthread_mutex_t *))(mutex);
    if (hd_entered() && hd_entered()->waiters) hd_wake(mutex, 0);
    return result;
}
static int holder_of(const pthread_rwlock_t *lock) {
    int writer = lock->__data.__cur_writer;
    return writer ? writer : hd_reader_of(lock);
}
SHOWN int pthread_rwlock_tryrdlock(pthread_rwlock_t *lock) {
    int result = REAL(pthread_rwlock_tryrdlock, int, (pthread_rwlock_t *))(lock);
    if (hd_entered() && !result) hd_hold(lock, 1);
    return result;
}
SHOWN int pthread_rwlock_rdlock(pthread_rwlock_t *lock) {
    if (!hd_entered()) return REAL(pthread_rwlock_rdlock, int, (pthread_rwlock_t *))(lock);
    int result, sights = 0;
    while ((result = pthread_rwlock_tryrdlock(lock)) == EBUSY) {
        int wait = hd_await_holder(holder_of(lock), lock, &sights);
        if (wait == HD_ENDING) return 0;
        if (wait) continue;
        result = REAL(pthread_rwlock_rdlock, int, (pthread_rwlock_t *))(lock);
        if (!result) hd_hold(lock, 1);
        return result;
    }
    return result;
}
SHOWN int pthread_rwlock_trywrlock(pthread_rwlock_t *lock) {
    int result = REAL(pthread_rwlock_trywrlock, int, (pthread_rwlock_t *))(lock);
    if (hd_entered() && !result) hd_hold(lock, 0);
    return result;
}
SHOWN int pthread_rwlock_wrlock(pthread_rwlock_t *lock) {
    if (!hd_entered()) return REAL(pthread_rwlock_wrlock, int, (pthread_rwlock_t *))(lock);
    int result, sights = 0;
    while ((result = pthread_rwlock_trywrlock(lock)) == EBUSY) {
        int wait = hd_await_holder(holder_of(lock), lock, &sights);
        if (!wait) {
            result = REAL(pthread_rwlock_wrlock, int, (pthread_rwlock_t *))(lock);
            if (!result) hd_hold(lock, 0);
            return result;
        }
        if (wait == HD_ENDING) return 0;
    }
    return result;
}
SHOWN int pthread_rwlock_unlock(pthread_rwlock_t *lock) {
    if (hd_entered()) hd_let_go(lock);
    int result = REAL(pthread_rwlock_unlock, int, (pthread_rwlock_t *))(lock);
    if (hd_entered() && hd_entered()->waiters) hd_wake(lock, 1);
    return result;
}
// Virtual nanoseconds from `start` to an instant; UINT64_MAX: never, as Date.distantFuture, for which 64 bits are too few.
static uint64_t span_to(const struct timespec *time, int64_t start) {
    int64_t span;
    if (__builtin_mul_overflow((int64_t)time->tv_sec, (int64_t)1000000000, &span) || __builtin_add_overflow(span, (int64_t)time->tv_nsec, &span)
        || __builtin_sub_overflow(span, start, &span))
        return time->tv_sec < 0 ? 0 : UINT64_MAX;
    return span > 0 ? (uint64_t)span : 0;
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
    return wait_on(condition, mutex, span_to(until, machine->epoch_ns));
}
SHOWN int pthread_cond_clockwait(pthread_cond_t *condition, pthread_mutex_t *mutex, clockid_t clock, const struct timespec *until) {
    hr_context *machine = hr_current();
    if (!hd_entered() || !machine)
        return REAL(pthread_cond_clockwait, int, (pthread_cond_t *, pthread_mutex_t *, clockid_t, const struct timespec *))(
            condition, mutex, clock, until);
    return wait_on(condition, mutex, span_to(until, clock == CLOCK_REALTIME ? machine->epoch_ns : 0));
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
    uint64_t now = hd_now(), longest = INT64_MAX - now;
    if (nanoseconds < SHORTEST) nanoseconds = SHORTEST;
    hd_sleep_until((int64_t)(now + (nanoseconds < longest ? nanoseconds : longest)));
}
SHOWN int nanosleep(const struct timespec *span, struct timespec *left) {
    if (!hd_entered()) return REAL(nanosleep, int, (const struct timespec *, struct timespec *))(span, left);
    rest(span_to(span, 0));
    return 0;
}
SHOWN int clock_nanosleep(clockid_t clock, int flags, const struct timespec *span, struct timespec *left) {
    if (!hd_entered())
        return REAL(clock_nanosleep, int, (clockid_t, int, const struct timespec *, struct timespec *))(
            clock, flags, span, left);
    struct timespec now;
    clock_gettime(clock, &now);
    uint64_t wanted = span_to(span, 0), from = flags & TIMER_ABSTIME ? span_to(&now, 0) : 0;
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
