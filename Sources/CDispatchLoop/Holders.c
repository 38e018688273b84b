// Who holds a lock: a stack of the loop that wants it, which the loop can wait for; a thread of the machine, which the real lock waits for; or
// a stack that will not let go while this loop stands still.
#define _GNU_SOURCE
#include "Inside.h"
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static struct {
    atomic_flag lock;
    hd_stack *stacks;
    hd_reading *lost;  // of stacks that ended
} all = {.lock = ATOMIC_FLAG_INIT};
static void lock_all(void) {
    while (atomic_flag_test_and_set_explicit(&all.lock, memory_order_acquire)) {}
}
static void unlock_all(void) { atomic_flag_clear_explicit(&all.lock, memory_order_release); }

// The machine's number: locks are marked with it.
int hd_thread(void) { return (int)syscall(SYS_gettid); }

void hd_stack_came(hd_stack *stack) {
    lock_all();
    stack->other = all.stacks;
    all.stacks = stack;
    unlock_all();
}
void hd_stack_went(hd_stack *stack) {
    lock_all();
    hd_stack **place = &all.stacks;
    while (*place != stack) place = &(*place)->other;
    *place = stack->other;
    hd_reading **end = &stack->readings;
    while (*end) end = &(*end)->next;
    *end = all.lost;
    all.lost = stack->readings;
    unlock_all();
}
void hd_forget_stacks(void) {
    all.stacks = NULL;
    unlock_all();
}

// ---- readers, whom a lock itself does not know

void hd_reading_began(const void *lock) {
    hd_stack *self = hd_this_stack();
    if (!self) return;
    hd_reading *reading = malloc(sizeof *reading);
    lock_all();
    *reading = (hd_reading){.next = self->readings, .lock = lock};
    self->readings = reading;
    unlock_all();
}
static int end_reading(hd_reading **place, const void *lock) {
    while (*place && (*place)->lock != lock) place = &(*place)->next;
    hd_reading *reading = *place;
    if (!reading) return 0;
    *place = reading->next;
    free(reading);
    return 1;
}
void hd_reading_ended(const void *lock) {
    hd_stack *self = hd_this_stack();
    lock_all();
    // A reader may be let go of by other code of its app.
    if (!self || !end_reading(&self->readings, lock))
        for (hd_stack *stack = all.stacks; stack; stack = stack->other)
            if (self && stack->loop == self->loop && end_reading(&stack->readings, lock)) break;
    unlock_all();
}
static int has(const hd_reading *reading, const void *lock) {
    while (reading && reading->lock != lock) reading = reading->next;
    return reading != NULL;
}
int hd_reader_of(const void *lock) {
    hd_loop *loop = hd_entered();
    int number = 0;
    lock_all();
    if (has(all.lost, lock)) number = HD_NOBODY;
    // One of the own loop before those of others: only that one can be waited for.
    for (hd_stack *stack = all.stacks; stack; stack = stack->other)
        if (has(stack->readings, lock)) {
            number = stack->number;
            if (stack->loop == loop) break;
        }
    unlock_all();
    return number;
}

// ---- waiting for them

enum holder { OUTSIDE, OF_LOOP, RUNS, STANDS };
static enum holder find(int thread) {
    if (thread == HD_NOBODY) return STANDS;
    if (!thread) return OUTSIDE;
    enum holder holder = OUTSIDE;
    hd_loop *loop = hd_entered();
    lock_all();
    hd_stack *stack = all.stacks;
    while (stack && stack->number != thread) stack = stack->other;
    if (stack) holder = stack->loop == loop ? OF_LOOP : stack->is_running ? RUNS : STANDS;
    unlock_all();
    // A thread that has ended: one of an ended loop.
    if (!stack && syscall(SYS_tgkill, syscall(SYS_getpid), thread, 0)) holder = STANDS;
    return holder;
}
int hd_await_holder(int thread, const void *key, int *sights) {
    if (!hd_entered()) return hd_await(key, UINT64_MAX), 1;
    switch (find(thread)) {
    case OF_LOOP:
        hd_await(key, UINT64_MAX);
        return 1;
    case RUNS:
        // In a process of several loops, on another thread: for a moment.
        sched_yield();
        return 1;
    case STANDS:
        if (hd_entered()->is_ending) return HD_ENDING;
        // Between two looks it may have let go.
        if (++*sights < 3) return 1;
        hd_refuse("a lock or a dispatch_once is wanted that an app holds in a wait, or held in one when it ended, and this is another app: a "
                  "static must not hold one across a wait; keep it in AppLink.current.singleton, which each app has for itself");
    default: return 0;
    }
}
