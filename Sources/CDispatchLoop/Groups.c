// libdispatch's groups and semaphores. Their counts are of each loop its own.
#include "Inside.h"
#include <stdlib.h>

struct hd_group {
    hd_object object;
};
typedef struct hd_semaphore {
    hd_object object;
} hd_semaphore;
// What Apple's functions return for a wait that timed out; any number but 0 would do.
enum { TIMED_OUT = 49 };

SHOWN void *dispatch_group_create(void) {
    if (hd_is_from_real_library(__builtin_return_address(0))) return REAL(dispatch_group_create, void *, (void))();
    return hd_object_make(sizeof(hd_group), HD_GROUP);
}
SHOWN void dispatch_group_enter(void *group) {
    hd_loop *loop = hd_here();
    if (!loop || !hd_is_ours(group)) return REAL(dispatch_group_enter, void, (void *))(hd_twin(group));
    hd_share_of(loop, group)->value++;
    dispatch_retain(group);
}
void hd_group_leave(hd_loop *loop, hd_group *group) {
    hd_share *share = hd_share_of(loop, group);
    if (share->value == 0) hd_trap("dispatch_group_leave without dispatch_group_enter");
    if (--share->value == 0) {
        hd_wake(group, 1);
        hd_item *item = share->notify;
        share->notify = NULL;
        while (item) {
            hd_item *next = item->next;
            hd_queue *queue = item->queue;
            hd_push(loop, queue, item);
            dispatch_release(queue);
            item = next;
        }
    }
    dispatch_release(group);
}
SHOWN void dispatch_group_leave(void *group) {
    hd_loop *loop = hd_here();
    if (!loop || !hd_is_ours(group)) return REAL(dispatch_group_leave, void, (void *))(hd_twin(group));
    hd_group_leave(loop, group);
}
SHOWN void dispatch_group_notify(void *group, void *object, void *block) {
    hd_loop *loop = hd_here();
    if (!loop || !hd_is_ours(group))
        return REAL(dispatch_group_notify, void, (void *, void *, void *))(hd_twin(group), hd_twin(object), block);
    hd_queue *queue = hd_queue_of(object);
    hd_item *item = hd_item_make(hd_call_and_release_block, hd_copy(block));
    hd_share *share = hd_share_of(loop, group);
    if (share->value == 0) return hd_push(loop, queue, item);
    dispatch_retain(item->queue = queue);
    hd_item **end = &share->notify;
    while (*end) end = &(*end)->next;
    *end = item;
}
SHOWN long dispatch_group_wait(void *group, uint64_t timeout) {
    hd_loop *loop = hd_here();
    if (!loop || !hd_is_ours(group)) return REAL(dispatch_group_wait, long, (void *, uint64_t))(hd_twin(group), timeout);
    uint64_t deadline = hd_instant(timeout);
    while (hd_share_of(loop, group)->value)
        if (hd_await(group, deadline) < 1) return TIMED_OUT;
    return 0;
}

SHOWN void *dispatch_semaphore_create(long value) {
    if (value < 0) return NULL;
    if (hd_is_from_real_library(__builtin_return_address(0)))
        return REAL(dispatch_semaphore_create, void *, (long))(value);
    hd_semaphore *semaphore = hd_object_make(sizeof *semaphore, HD_SEMAPHORE);
    semaphore->object.first_value = value;
    return semaphore;
}
// As Apple's: a semaphore that goes while somebody holds a unit of it is a mistake of the app.
void hd_semaphore_dispose(void *object) {
    hd_semaphore *semaphore = object;
    hd_share *share = semaphore->object.own;
    if (share && !share->loop->is_ending && share->value < semaphore->object.first_value)
        hd_trap("a DispatchSemaphore was let go of with a smaller value than it was made with");
}
// A signal that finds a waiter belongs to it, and the next wait cannot overtake: the value falls below 0 by each waiter.
SHOWN long dispatch_semaphore_signal(void *semaphore) {
    hd_loop *loop = hd_here();
    if (!loop || !hd_is_ours(semaphore)) return REAL(dispatch_semaphore_signal, long, (void *))(hd_twin(semaphore));
    if (++hd_share_of(loop, semaphore)->value > 0) return 0;
    hd_wake(semaphore, 0);
    return 1;
}
SHOWN long dispatch_semaphore_wait(void *semaphore, uint64_t timeout) {
    hd_loop *loop = hd_here();
    if (!loop || !hd_is_ours(semaphore))
        return REAL(dispatch_semaphore_wait, long, (void *, uint64_t))(hd_twin(semaphore), timeout);
    hd_share *share = hd_share_of(loop, semaphore);
    if (--share->value >= 0) return 0;
    dispatch_retain(semaphore);
    int was_woken = hd_await(semaphore, hd_instant(timeout)) == 1;
    if (!was_woken) share->value++;
    dispatch_release(semaphore);
    return was_woken ? 0 : TIMED_OUT;
}
