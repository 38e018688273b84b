// One app's loop: what can run, in order; timers by virtual time; its shares of objects.
#define _GNU_SOURCE
#include "CInterpose.h"
#include "Inside.h"
#include <setjmp.h>
#include <stdlib.h>
#include <time.h>

static _Thread_local hd_loop *here;
// Of a static link: nobody drives it, a wait runs what is there (Stacks.c).
static hd_loop *process_loop;

static hd_loop *make(hd_driver driver) {
    static atomic_uint_fast64_t ids = 1;
    hd_loop *loop = calloc(1, sizeof *loop);
    loop->id = atomic_fetch_add(&ids, 1);
    loop->driver = driver;
    loop->units.end = &loop->units.first;
    loop->shares_end = &loop->shares;
    sem_init(&loop->over, 0, 0);
    return loop;
}
hd_loop *hd_loop_make(hd_driver driver) { return make(driver); }
hd_loop *hd_enter(hd_loop *loop) {
    hd_loop *before = here;
    here = loop;
    return before;
}
hd_loop *hd_here(void) {
    if (here || hd_has_real_library()) return here;
    if (!process_loop) process_loop = make((hd_driver){0});
    return process_loop;
}
hd_loop *hd_entered(void) { return here; }
uint64_t hd_now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

// ---- units

void hd_post(hd_loop *loop, int on_main) {
    if (loop->driver.post && !loop->is_ending) loop->driver.post(loop->driver.owner, on_main);
}
void hd_unit_push(hd_loop *loop, hd_unit *unit) {
    unit->next = NULL;
    *loop->units.end = unit;
    loop->units.end = &unit->next;
    hd_post(loop, 0);
}
void hd_run_one(hd_loop *loop, int on_main) {
    if (on_main) return hd_lane_turn(loop, hd_lane_of(loop, hd_main_queue()));
    hd_unit *unit = loop->units.first;
    if (!unit) return;
    loop->units.first = unit->next;
    if (!loop->units.first) loop->units.end = &loop->units.first;
    if (unit->stack) loop->successor = unit->stack;
    else hd_lane_turn(loop, unit->lane);
}
int hd_is_handing_over(hd_loop *loop) { return loop->successor != NULL; }

// ---- timers

void hd_timer_set(hd_loop *loop, hd_timer *timer, uint64_t at) {
    hd_timer_clear(loop, timer);
    timer->at = at;
    timer->order = ++loop->order;
    timer->is_set = 1;
    hd_timer **place = &loop->timers;
    while (*place && (*place)->at <= at) place = &(*place)->next;
    timer->next = *place;
    *place = timer;
}
void hd_timer_clear(hd_loop *loop, hd_timer *timer) {
    if (!timer->is_set) return;
    timer->is_set = 0;
    for (hd_timer **place = &loop->timers; *place; place = &(*place)->next)
        if (*place == timer) {
            *place = timer->next;
            return;
        }
}
int64_t hd_next_timer(hd_loop *loop) {
    if (!loop->timers || loop->timers->at > INT64_MAX) return INT64_MAX;
    return (int64_t)loop->timers->at;
}
void hd_fire(hd_loop *loop) {
    hd_timer *timer = loop->timers;
    if (!timer || timer->at > hd_now()) return;
    loop->timers = timer->next;
    timer->is_set = 0;
    timer->fire(timer->context);
}

// ---- shares

static hd_share *make_share(hd_loop *loop, hd_object *object) {
    hd_share *share = calloc(1, sizeof *share);
    share->loop = loop;
    share->object = object;
    share->id = object->id;
    share->link = loop->shares_end;
    *loop->shares_end = share;
    loop->shares_end = &share->next;
    if (object->kind == HD_QUEUE) {
        hd_lane *lane = &share->lane;
        lane->queue = (hd_queue *)object;
        lane->end = &lane->first;
        lane->as_item.sub = lane;
        lane->as_unit.lane = lane;
    }
    share->value = object->first_value;
    return share;
}
static hd_share **bucket(hd_loop *loop, uint64_t id) { return &loop->buckets[id % HD_BUCKETS]; }
hd_share *hd_share_of(hd_loop *loop, void *o) {
    hd_object *object = o;
    if (object->home == loop->id) {
        if (!object->own) {
            object->own = make_share(loop, object);
            object->own->is_own = 1;
        }
        return object->own;
    }
    for (hd_share *share = *bucket(loop, object->id); share; share = share->chain)
        if (share->id == object->id) return share;
    hd_share *share = make_share(loop, object);
    share->chain = *bucket(loop, object->id);
    *bucket(loop, object->id) = share;
    return share;
}
static void unlink_share(hd_share *share) {
    *share->link = share->next;
    if (share->next) share->next->link = share->link;
    else share->loop->shares_end = share->link;
    free(share);
}
// The shares of other loops stay until their loops end: an id is never used twice, so nobody finds them.
void hd_share_drop(hd_object *object) {
    if (object->own) unlink_share(object->own);
    hd_loop *loop = hd_here();
    if (!loop) return;
    for (hd_share **place = bucket(loop, object->id); *place; place = &(*place)->chain)
        if ((*place)->id == object->id) {
            hd_share *share = *place;
            *place = share->chain;
            unlink_share(share);
            return;
        }
}

int hd_has_objects(hd_loop *loop) {
    uint64_t main = ((hd_object *)hd_main_queue())->id;
    for (hd_share *share = loop->shares; share; share = share->next)
        if (share->id != main) return 1;
    return 0;
}

// ---- the end

static hd_item *pop_any(hd_loop *loop) {
    for (hd_share *share = loop->shares; share; share = share->next) {
        hd_item **first = &share->lane.first;
        while (*first && (*first)->sub) *first = (*first)->next;
        if (!*first) first = &share->notify;
        if (!*first) continue;
        hd_item *item = *first;
        *first = item->next;
        if (first == &share->lane.first && !*first) share->lane.end = first;
        return item;
    }
    return NULL;
}
// Lets go of one thing that never ran. 0: there is none left.
static int let_go(hd_loop *loop) {
    hd_frame *const frame = hd_frame_top;
    jmp_buf way_out;
    loop->way_out = &way_out;
    // What is released waits, for what will never come: its frames are left as they are, like those of a stack that waits.
    if (setjmp(way_out)) {
        hd_frame_top = frame;
        hd_enter(loop);
        return 1;
    }
    hd_item *item = pop_any(loop);
    if (item) {
        hd_item_drop(item);
        return 1;
    }
    hd_timer *timer = loop->timers;
    if (!timer) return 0;
    hd_timer_clear(loop, timer);
    if (timer->drop) timer->drop(timer->context);
    return 1;
}
void hd_loop_free(hd_loop *loop) {
    loop->is_ending = 1;
    hd_end_parked(loop);
    hd_loop *before = hd_enter(loop);
    // What is released may put new work on queues: a bound, because it could do so for ever.
    for (int turns = 0; turns < 100000 && let_go(loop); turns++) {}
    hd_enter(before);
    while (loop->shares) {
        hd_share *share = loop->shares;
        // Its object outlives the loop: a queue in a static. The object of another share may be gone.
        if (share->is_own) share->object->own = NULL;
        unlink_share(share);
    }
    sem_destroy(&loop->over);
    free(loop);
}
