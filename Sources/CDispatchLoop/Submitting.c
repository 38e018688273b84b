// libdispatch's functions that put work on queues.
#include "Inside.h"
#include <stdlib.h>

static void put(hd_loop *loop, void *object, hd_fn fn, void *context, int is_barrier) {
    hd_queue *queue = hd_queue_of(object);
    hd_item *item = hd_item_make(fn, context);
    // A barrier on a global queue is plain work there too.
    item->is_barrier = is_barrier && !queue->is_global;
    hd_push(loop, queue, item);
}
// Work for the real library, or for our loop: whose is decided by where the call comes from.
#define FORWARD(name, parameters, arguments) \
    if (!loop) return REAL(name, void, parameters) arguments

SHOWN void dispatch_async_f(void *queue, void *context, hd_fn fn) {
    hd_loop *loop = hd_here();
    FORWARD(dispatch_async_f, (void *, void *, hd_fn), (hd_twin(queue), context, fn));
    put(loop, queue, fn, context, 0);
}
SHOWN void dispatch_async(void *queue, void *block) {
    hd_loop *loop = hd_here();
    FORWARD(dispatch_async, (void *, void *), (hd_twin(queue), block));
    put(loop, queue, hd_call_and_release_block, hd_copy(block), hd_block_is_barrier(block));
}
SHOWN void dispatch_barrier_async(void *queue, void *block) {
    hd_loop *loop = hd_here();
    FORWARD(dispatch_barrier_async, (void *, void *), (hd_twin(queue), block));
    put(loop, queue, hd_call_and_release_block, hd_copy(block), 1);
}
SHOWN void dispatch_barrier_async_f(void *queue, void *context, hd_fn fn) {
    hd_loop *loop = hd_here();
    FORWARD(dispatch_barrier_async_f, (void *, void *, hd_fn), (hd_twin(queue), context, fn));
    put(loop, queue, fn, context, 1);
}
SHOWN void dispatch_group_async(void *group, void *queue, void *block) {
    hd_loop *loop = hd_here();
    FORWARD(dispatch_group_async, (void *, void *, void *), (hd_twin(group), hd_twin(queue), block));
    extern void dispatch_group_enter(void *);
    dispatch_group_enter(group);
    hd_item *item = hd_item_make(hd_call_and_release_block, hd_copy(block));
    item->group = group;
    item->is_barrier = hd_block_is_barrier(block) && !hd_queue_of(queue)->is_global;
    hd_push(loop, hd_queue_of(queue), item);
}

static void run_now(hd_loop *loop, void *object, hd_fn fn, void *context, int is_barrier) {
    hd_queue *queue = hd_queue_of(object);
    hd_sync(loop, queue, (hd_item){.fn = fn, .context = context, .is_barrier = is_barrier && !queue->is_global});
}
SHOWN void dispatch_sync_f(void *queue, void *context, hd_fn fn) {
    hd_loop *loop = hd_here();
    FORWARD(dispatch_sync_f, (void *, void *, hd_fn), (hd_twin(queue), context, fn));
    run_now(loop, queue, fn, context, 0);
}
SHOWN void dispatch_sync(void *queue, void *block) {
    hd_loop *loop = hd_here();
    FORWARD(dispatch_sync, (void *, void *), (hd_twin(queue), block));
    run_now(loop, queue, hd_call_block, block, hd_block_is_barrier(block));
}
SHOWN void dispatch_barrier_sync(void *queue, void *block) {
    hd_loop *loop = hd_here();
    FORWARD(dispatch_barrier_sync, (void *, void *), (hd_twin(queue), block));
    run_now(loop, queue, hd_call_block, block, 1);
}
SHOWN void dispatch_async_and_wait(void *queue, void *block) {
    hd_loop *loop = hd_here();
    FORWARD(dispatch_async_and_wait, (void *, void *), (hd_twin(queue), block));
    run_now(loop, queue, hd_call_block, block, hd_block_is_barrier(block));
}

typedef struct later {
    hd_timer timer;
    hd_item *item;
    hd_loop *loop;
} later;
static void put_later(void *context) {
    later *due = context;
    hd_queue *queue = due->item->queue;
    hd_push(due->loop, queue, due->item);
    dispatch_release(queue);
    free(due);
}
static void drop_later(void *context) {
    later *due = context;
    hd_item_drop(due->item);
    free(due);
}
static void after(hd_loop *loop, uint64_t when, void *queue, hd_item *item) {
    uint64_t at = hd_instant(when);
    item->queue = hd_queue_of(queue);
    dispatch_retain(item->queue);
    // Never: it is let go at once, as it would be on an iPad only at the end of the process.
    if (at == UINT64_MAX) return hd_item_drop(item);
    later *due = calloc(1, sizeof *due);
    *due = (later){.timer = {.fire = put_later, .drop = drop_later, .context = due}, .item = item, .loop = loop};
    hd_timer_set(loop, &due->timer, at);
}
SHOWN void dispatch_after_f(uint64_t when, void *queue, void *context, hd_fn fn) {
    hd_loop *loop = hd_here();
    FORWARD(dispatch_after_f, (uint64_t, void *, void *, hd_fn), (when, hd_twin(queue), context, fn));
    after(loop, when, queue, hd_item_make(fn, context));
}
SHOWN void dispatch_after(uint64_t when, void *queue, void *block) {
    hd_loop *loop = hd_here();
    FORWARD(dispatch_after, (uint64_t, void *, void *), (when, hd_twin(queue), block));
    hd_item *item = hd_item_make(hd_call_and_release_block, hd_copy(block));
    item->is_barrier = hd_block_is_barrier(block) && !hd_queue_of(queue)->is_global;
    after(loop, when, queue, item);
}

// One after the other: an order that concurrent iterations may have too.
typedef struct iterations {
    void *block;
    size_t count;
} iterations;
static void run_iterations(void *context) {
    iterations *all = context;
    struct layout {
        void *isa;
        int flags, reserved;
        void (*invoke)(void *, size_t);
    } *block = all->block;
    for (size_t i = 0; i < all->count; i++) block->invoke(block, i);
}
SHOWN void dispatch_apply(size_t count, void *queue, void *block) {
    hd_loop *loop = hd_here();
    FORWARD(dispatch_apply, (size_t, void *, void *), (count, hd_twin(queue), block));
    iterations all = {block, count};
    if (queue) run_now(loop, queue, run_iterations, &all, 0);
    else run_iterations(&all);
}

// The states are the library's: 0 not yet, ~0 done, else under way on the thread of that number, with two bits for those that wait.
SHOWN void dispatch_once_f(long *predicate, void *context, hd_fn fn) {
    if (__atomic_load_n(predicate, __ATOMIC_ACQUIRE) == ~0l) return;
    if (!hd_here()) return REAL(dispatch_once_f, void, (long *, void *, hd_fn))(predicate, context, fn);
    enum { NUMBER = 0x3fffffff };
    long state = 0;
    int sights = 0;
    while (!__atomic_compare_exchange_n(predicate, &state, hd_thread(), 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
        if (state == ~0l) return;
        int wait = hd_await_holder((int)(state & NUMBER), predicate, &sights);
        if (!wait) return REAL(dispatch_once_f, void, (long *, void *, hd_fn))(predicate, context, fn);
        if (wait == HD_ENDING) return;
        state = 0;
    }
    hd_hold(predicate, 0);
    fn(context);
    hd_let_go(predicate);
    __atomic_store_n(predicate, ~0l, __ATOMIC_RELEASE);
    hd_wake(predicate, 1);
}
SHOWN void dispatch_once(long *predicate, void *block) { dispatch_once_f(predicate, block, hd_call_block); }

SHOWN void dispatch_main(void) {
    if (hd_entered()) hd_refuse("dispatch_main was called inside an app: an app's main thread is the system's");
    if (hd_has_real_library()) REAL(dispatch_main, void, (void))();
    const char never = 0;
    for (;;) hd_await(&never, UINT64_MAX);
}
