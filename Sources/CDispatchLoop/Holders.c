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
    hd_holding *lost;  // of stacks that ended
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
    hd_holding **end = &stack->holdings;
    while (*end) end = &(*end)->next;
    *end = all.lost;
    all.lost = stack->holdings;
    unlock_all();
}
void hd_forget_stacks(void) {
    for (hd_stack **place = &all.stacks; *place;)
        if ((*place)->fiber) place = &(*place)->other;
        else *place = (*place)->other;
    unlock_all();
}

// ---- locks that do not know who holds them

void hd_hold(const void *lock, int as_reader) {
    hd_stack *self = hd_this_stack();
    if (!self || !(as_reader || self->fiber)) return;
    hd_holding *holding = malloc(sizeof *holding);
    lock_all();
    *holding = (hd_holding){.next = self->holdings, .lock = lock};
    self->holdings = holding;
    unlock_all();
}
static int end_holding(hd_holding **place, const void *lock) {
    while (*place && (*place)->lock != lock) place = &(*place)->next;
    hd_holding *holding = *place;
    if (!holding) return 0;
    *place = holding->next;
    free(holding);
    return 1;
}
void hd_let_go(const void *lock) {
    hd_stack *self = hd_this_stack();
    if (!self) return;
    lock_all();
    // A lock may be let go of by other code of its app.
    if (!end_holding(&self->holdings, lock))
        for (hd_stack *stack = all.stacks; stack; stack = stack->other)
            if (stack->loop == self->loop && end_holding(&stack->holdings, lock)) break;
    unlock_all();
}
static int has(const hd_holding *holding, const void *lock) {
    while (holding && holding->lock != lock) holding = holding->next;
    return holding != NULL;
}
int hd_reader_of(const void *lock) {
    hd_loop *loop = hd_entered();
    int number = 0;
    lock_all();
    if (has(all.lost, lock)) number = HD_NOBODY;
    // One of the own loop before those of others: only that one can be waited for.
    for (hd_stack *stack = all.stacks; stack; stack = stack->other)
        if (has(stack->holdings, lock)) {
            number = stack->number;
            if (stack->loop == loop) break;
        }
    unlock_all();
    return number;
}
int hd_is_of_other_fiber(const void *lock, int thread) {
    hd_stack *self = hd_this_stack();
    if (!self || !self->fiber || self->number != thread) return 0;
    lock_all();
    int is_others = has(all.lost, lock);
    for (hd_stack *stack = all.stacks; stack; stack = stack->other)
        if (stack != self && stack->fiber && has(stack->holdings, lock)) is_others = 1;
    unlock_all();
    return is_others;
}

// ---- waiting for them

enum holder { OUTSIDE, OF_LOOP, RUNS, STANDS };
static enum holder find(int thread, const void *lock) {
    if (thread == HD_NOBODY) return STANDS;
    if (!thread) return OUTSIDE;
    enum holder holder = OUTSIDE;
    hd_loop *loop = hd_entered();
    lock_all();
    hd_stack *stack = all.stacks;
    while (stack && !(stack->number == thread && (!stack->fiber || has(stack->holdings, lock)))) stack = stack->other;
    const int is_lost = !stack && has(all.lost, lock);
    if (stack) holder = stack->loop == loop ? OF_LOOP : stack->is_running && !stack->fiber ? RUNS : STANDS;
    unlock_all();
    // A fiber or a thread that has ended: one of an ended loop.
    if (is_lost) holder = STANDS;
    else if (!stack && syscall(SYS_tgkill, syscall(SYS_getpid), thread, 0)) holder = STANDS;
    return holder;
}
int hd_await_holder(int thread, const void *key, int *sights) {
    if (!hd_entered()) return hd_await(key, UINT64_MAX), 1;
    switch (find(thread, key)) {
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
