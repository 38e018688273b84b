// Waiting. What has to wait keeps its frames on its stack, while another stack goes on with the loop. A stack is a pooled thread or a fiber
// (Fibers.c), but of one loop only one runs at a time: the baton is passed by hand, so the order is the loop's, and waits end in any order.
#define _GNU_SOURCE
#include "CInterpose.h"
#include "Inside.h"
#include <dlfcn.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>

// As much as a main thread has. Only what is used takes memory.
enum { STACK_BYTES = 8 << 20 };
static _Thread_local hd_stack *self;

// ---- the pool of the process

static struct {
    atomic_flag lock;
    hd_stack *idle;
    atomic_int made;
    atomic_uint_fast64_t abandoned;
} pool = {.lock = ATOMIC_FLAG_INIT};
static void lock_pool(void) {
    while (atomic_flag_test_and_set_explicit(&pool.lock, memory_order_acquire)) {}
}
static void unlock_pool(void) { atomic_flag_clear_explicit(&pool.lock, memory_order_release); }
// A forked child has none of its parent's threads.
static void forget_pool(void) {
    pool.idle = NULL;
    hd_forget_stacks();
    hd_forget_driver();
    atomic_store(&pool.made, 0);
    unlock_pool();
}
__attribute__((constructor)) static void watch_forks(void) { pthread_atfork(NULL, NULL, forget_pool); }
int hd_stacks(void) { return atomic_load(&pool.made); }
uint64_t hd_abandoned(void) { return atomic_load(&pool.abandoned); }

hd_stack *hd_this_stack(void) { return self; }
void hd_be_stack(hd_stack *stack) { self = stack; }
static void wait_for(sem_t *baton) {
    while (sem_wait(baton)) {}
}
static void hand_baton(hd_stack *stack) {
    if (stack->fiber) {
        // Only its driver can go on with it.
        stack->loop->fiber_is_due = 1;
        sem_post(&stack->loop->over);
        return;
    }
    stack->is_running = 1;
    sem_post(&stack->go);
}
static void *body(void *argument) {
    hd_stack *stack = self = argument;
    stack->number = hd_thread();
    jmp_buf way_out;
    stack->way_out = &way_out;
    // The loop ended under a wait: the frames above are left as they are, with what they hold.
    if (setjmp(way_out)) return NULL;
    for (;;) {
        wait_for(&stack->go);
        hd_loop *loop = stack->loop;
        loop->driver.run(loop->driver.owner);
        hd_stack *next = loop->successor;
        loop->successor = NULL;
        stack->loop = NULL;
        stack->is_running = 0;
        lock_pool();
        stack->next = pool.idle;
        pool.idle = stack;
        unlock_pool();
        if (next) hand_baton(next);
        else sem_post(&loop->over);
    }
}
static hd_stack *make_stack(void) {
    hd_stack *stack = calloc(1, sizeof *stack);
    stack->as_unit.stack = stack;
    sem_init(&stack->go, 0, 0);
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    // Signals are for the threads that handle them, but for those that a fault of this stack raises.
    sigset_t mask, before;
    sigfillset(&mask);
    const int own[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT, SIGSYS};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++) sigdelset(&mask, own[i]);
    pthread_sigmask(SIG_SETMASK, &mask, &before);
    // CInterpose's own refuses threads inside an app.
    int (*create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *) =
        (int (*)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *))dlsym(RTLD_NEXT, "pthread_create");
    pthread_t thread;
    int error = create(&thread, &attributes, body, stack);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    if (error) hd_refuse("no stack can be made for code that waits: too many wait, or memory is short");
    stack->thread = thread;
    hd_stack_came(stack);
    atomic_fetch_add(&pool.made, 1);
    return stack;
}
static void go_on(hd_loop *loop) {
    lock_pool();
    hd_stack *stack = pool.idle;
    if (stack) pool.idle = stack->next;
    unlock_pool();
    if (!stack) stack = make_stack();
    stack->loop = loop;
    hand_baton(stack);
}
// - Returns: the stack that is to go on, if the fiber is through and left one.
static hd_stack *through(hd_loop *loop, hd_stack *fiber) {
    hd_stack *next = loop->successor;
    loop->successor = NULL;
    hd_fiber_give(fiber);
    return next;
}
void hd_step(hd_loop *loop) {
    int is_fibers = hd_drives() && !loop->fiber;
    if (is_fibers) hd_fiber_take(loop);
    else go_on(loop);
    for (;;) {
        if (is_fibers) {
            if (!hd_fiber_run(loop->fiber)) go_on(loop);
            else {
                hd_stack *next = through(loop, loop->fiber);
                if (!next) return;
                hand_baton(next);
            }
        }
        wait_for(&loop->over);
        is_fibers = loop->fiber_is_due;
        loop->fiber_is_due = 0;
        if (!is_fibers) return;
    }
}

// ---- waits

static void resume(hd_waiter *waiter) {
    waiter->is_woken = 1;
    if (waiter->stack) hd_unit_push(waiter->stack->loop, &waiter->stack->as_unit);
}
static void unlink_waiter(hd_loop *loop, hd_waiter *waiter) {
    for (hd_waiter **place = &loop->waiters; *place; place = &(*place)->next)
        if (*place == waiter) {
            *place = waiter->next;
            return;
        }
}
static void deadline_came(void *context) {
    hd_waiter *waiter = context;
    waiter->timed_out = 1;
    unlink_waiter(waiter->stack->loop, waiter);
    resume(waiter);
}
static void enqueue(hd_loop *loop, hd_waiter *waiter) {
    hd_waiter **end = &loop->waiters;
    while (*end) end = &(*end)->next;
    *end = waiter;
}
static int park(const void *key, uint64_t deadline) {
    hd_loop *loop = self->loop;
    hd_waiter waiter = {.stack = self, .key = key};
    enqueue(loop, &waiter);
    if (deadline != UINT64_MAX) {
        waiter.timer = (hd_timer){.fire = deadline_came, .context = &waiter};
        hd_timer_set(loop, &waiter.timer, deadline);
    }
    self->next = loop->parked;
    loop->parked = self;
    self->is_running = 0;
    if (self->fiber) hd_fiber_wait(self);
    else {
        go_on(loop);
        wait_for(&self->go);
    }
    if (loop->is_ending) longjmp(*(jmp_buf *)self->way_out, 1);
    hd_stack **place = &loop->parked;
    while (*place != self) place = &(*place)->next;
    *place = self->next;
    return !waiter.timed_out;
}
// Outside of every stack, in a static link: what waits runs what is there until the wait is over.
static int pump(hd_loop *loop, const void *key, uint64_t deadline) {
    hd_waiter waiter = {.key = key};
    enqueue(loop, &waiter);
    while (!waiter.is_woken) {
        uint64_t now = hd_now(), next = loop->timers && loop->timers->at < deadline ? loop->timers->at : deadline;
        hd_lane *main = hd_lane_of(loop, hd_main_queue());
        if (loop->units.first) hd_run_one(loop, 0);
        else if (main->first && !main->running && !main->suspended) hd_run_one(loop, 1);
        else if (loop->timers && loop->timers->at <= now) hd_fire(loop);
        else if (deadline <= now) break;
        else if (next == UINT64_MAX) hd_refuse("a wait outside an app's loop, with nothing that could end it");
        else nanosleep(&(struct timespec){(time_t)((next - now) / 1000000000u), (long)((next - now) % 1000000000u)}, NULL);
    }
    unlink_waiter(loop, &waiter);
    return waiter.is_woken;
}
int hd_await(const void *key, uint64_t deadline) {
    hd_loop *loop = hd_here();
    if (loop->is_ending) longjmp(*(jmp_buf *)loop->way_out, 1);
    if (!hd_entered()) return pump(loop, key, deadline);
    if (!self || self->loop != loop) hd_refuse("code of an app waits outside a step, where nothing can end the wait");
    if (deadline <= hd_now()) return 0;
    return park(key, deadline);
}
void hd_wake(const void *key, int all) {
    hd_loop *loop = hd_here();
    for (hd_waiter **place = &loop->waiters; *place;) {
        hd_waiter *waiter = *place;
        if (waiter->key != key) {
            place = &waiter->next;
            continue;
        }
        *place = waiter->next;
        hd_timer_clear(loop, &waiter->timer);
        resume(waiter);
        if (!all) return;
    }
}
int hd_waiting(hd_loop *loop) {
    int count = 0;
    for (hd_stack *stack = loop->parked; stack; stack = stack->next) count++;
    return count;
}
void hd_sleep_until(int64_t nanoseconds) {
    const char key = 0;
    while ((int64_t)hd_now() < nanoseconds) hd_await(&key, (uint64_t)nanoseconds);
}
void hd_wait_until(const void *key, int64_t nanoseconds) { hd_await(key, (uint64_t)nanoseconds); }
void hd_wake_waiter(const void *key) { hd_wake(key, 0); }
static _Thread_local uint64_t current_unit;
void hd_begin_unit(uint64_t number) { current_unit = number; }
uint64_t hd_current_unit(void) { return current_unit; }

void hd_end_parked(hd_loop *loop) {
    // Waiters and their timers lie on the stacks that end.
    while (loop->waiters) {
        hd_timer_clear(loop, &loop->waiters->timer);
        loop->waiters = loop->waiters->next;
    }
    while (loop->parked) {
        hd_stack *stack = loop->parked;
        loop->parked = stack->next;
        atomic_fetch_add(&pool.abandoned, 1);
        if (stack->fiber) {
            hd_fiber_drop(stack);
            continue;
        }
        sem_post(&stack->go);
        pthread_join(stack->thread, NULL);
        hd_stack_went(stack);
        sem_destroy(&stack->go);
        free(stack);
        atomic_fetch_sub(&pool.made, 1);
    }
    // Stacks whose waits were over stand among the units.
    loop->units = (hd_units){NULL, &loop->units.first};
}
