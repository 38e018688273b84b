// Lanes: what one loop has on a queue, and which of it may run. First in, first out; a lane that targets another takes turns in it.
#include "Inside.h"
#include <stdlib.h>
#include "CInterpose.h"

_Thread_local hd_frame *hd_frame_top;

hd_item *hd_item_make(hd_fn fn, void *context) {
    hd_item *item = calloc(1, sizeof *item);
    item->fn = fn;
    item->context = context;
    return item;
}
// Without running it: its loop has ended. Only blocks are known to be ours to release.
void hd_item_drop(hd_item *item) {
    extern void _Block_release(const void *);
    if (item->fn == hd_call_and_release_block) _Block_release(item->context);
    if (item->group) dispatch_release(item->group);
    if (item->queue) dispatch_release(item->queue);
    free(item);
}
hd_lane *hd_lane_of(hd_loop *loop, hd_queue *queue) { return &hd_share_of(loop, queue)->lane; }

static int may_start(const hd_lane *lane, int is_barrier) {
    if (lane->suspended || lane->queue->is_inactive) return 0;
    if (lane->queue->width == 1) return !lane->running;
    return !lane->has_barrier && !(is_barrier && lane->running);
}
static int is_on_main(const hd_queue *queue) {
    while (queue->target) queue = queue->target;
    return queue->is_main;
}
static void append(hd_lane *lane, hd_item *item) {
    item->next = NULL;
    if (!lane->first) lane->end = &lane->first;
    *lane->end = item;
    lane->end = &item->next;
    if (lane->queue->is_main) lane->unposted++;
}
void hd_lane_schedule(hd_loop *loop, hd_lane *lane) {
    // Each item of the main queue has its place among the jobs of the main actor; whether the thread is free the driver knows.
    if (lane->queue->is_main) {
        for (; lane->unposted && !lane->suspended; lane->unposted--) hd_post(loop, 1);
        return;
    }
    if (lane->is_scheduled || !lane->first || !may_start(lane, lane->first->is_barrier)) return;
    lane->is_scheduled = 1;
    if (!lane->queue->target) return hd_unit_push(loop, &lane->as_unit);
    hd_lane *target = hd_lane_of(loop, lane->queue->target);
    append(target, &lane->as_item);
    hd_lane_schedule(loop, target);
}
void hd_push(hd_loop *loop, hd_queue *queue, hd_item *item) {
    hd_lane *lane = hd_lane_of(loop, queue);
    item->queue = queue;
    dispatch_retain(queue);
    append(lane, item);
    hd_lane_schedule(loop, lane);
}

static void begin(hd_lane *lane, int is_barrier) {
    lane->running++;
    if (is_barrier && lane->queue->width > 1) lane->has_barrier = 1;
}
static void end(hd_loop *loop, hd_lane *lane, int is_barrier) {
    lane->running--;
    if (is_barrier) lane->has_barrier = 0;
    hd_lane_schedule(loop, lane);
}
static void call(hd_queue *queue, const hd_item *item) {
    hd_frame frame = {queue, item->outer}, *before = hd_frame_top;
    hd_frame_top = &frame;
    item->fn(item->context);
    hd_frame_top = before;
}
void hd_lane_turn(hd_loop *loop, hd_lane *lane) {
    lane->is_scheduled = 0;
    hd_item *item = lane->first;
    // Between its scheduling and its turn it may have been suspended.
    if (!item) return;
    if (!may_start(lane, item->is_barrier)) {
        if (lane->queue->is_main) lane->unposted++;
        return;
    }
    lane->first = item->next;
    int is_barrier = item->is_barrier;
    hd_queue *queue = lane->queue, *of_item = item->queue;
    dispatch_retain(queue);
    begin(lane, is_barrier);
    // The next of a concurrent queue runs while this one waits.
    hd_lane_schedule(loop, lane);
    if (item->sub) hd_lane_turn(loop, item->sub);
    else {
        call(queue, item);
        if (item->group) hd_group_leave(loop, item->group);
        free(item);
    }
    end(loop, lane, is_barrier);
    if (of_item) dispatch_release(of_item);
    dispatch_release(queue);
}

// ---- dispatch_sync

int hd_is_inside(hd_queue *queue) {
    for (hd_frame *frame = hd_frame_top; frame; frame = frame->outer)
        for (hd_queue *each = frame->queue; each; each = each->target)
            if (each == queue) return 1;
    return queue->is_main && hr_on_main();
}
typedef struct turn {
    hd_item item;
    int is_done;
} turn;
static void take_turn(void *context) {
    turn *taken = context;
    taken->item.fn(taken->item.context);
    taken->is_done = 1;
    hd_wake(taken, 1);
}
static int is_free(hd_loop *loop, hd_queue *queue, int is_barrier) {
    if (is_on_main(queue) && !hr_on_main()) return 0;
    for (hd_queue *each = queue; each; each = each->target) {
        // The main thread is the caller's already.
        if (each->is_main) continue;
        hd_lane *lane = hd_lane_of(loop, each);
        if (lane->first || !may_start(lane, each == queue && is_barrier)) return 0;
    }
    return 1;
}
void hd_sync(hd_loop *loop, hd_queue *queue, hd_item item) {
    if (queue->width == 1 && hd_is_inside(queue)) hd_trap("dispatch_sync on a queue that the caller runs on");
    item.outer = hd_frame_top;
    // Nobody takes turns any longer, and the caller counts on it that the item has run.
    if (loop->is_ending) return call(queue, &item);
    if (!is_free(loop, queue, item.is_barrier)) {
        turn taken = {.item = item};
        hd_item *waiting = hd_item_make(take_turn, &taken);
        waiting->is_barrier = item.is_barrier;
        waiting->outer = item.outer;
        hd_push(loop, queue, waiting);
        while (!taken.is_done) hd_await(&taken, UINT64_MAX);
        return;
    }
    // The item may give the queue another target: what it began on is what it ends on.
    size_t length = 0;
    for (hd_queue *each = queue; each; each = each->target) length++;
    hd_queue *chain[length];
    for (size_t i = 0; i < length; i++) {
        chain[i] = i ? chain[i - 1]->target : queue;
        dispatch_retain(chain[i]);
        begin(hd_lane_of(loop, chain[i]), !i && item.is_barrier);
    }
    call(queue, &item);
    for (size_t i = 0; i < length; i++) end(loop, hd_lane_of(loop, chain[i]), !i && item.is_barrier);
    for (size_t i = 0; i < length; i++) dispatch_release(chain[i]);
}
