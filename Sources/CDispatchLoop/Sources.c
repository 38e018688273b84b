// libdispatch's sources: timers by virtual time, and counters. Descriptors and signals belong to the machine and are refused.
#include "Inside.h"
#include <stdlib.h>

typedef struct hd_source_type {
    int id;
} hd_source_type;
enum { DATA_ADD = 1, DATA_OR, DATA_REPLACE, READ, SIGNAL, TIMER, WRITE };
#define TYPE(name, number) HIDDEN hd_source_type _dispatch_source_type_##name = {number};
TYPE(data_add, DATA_ADD)
TYPE(data_or, DATA_OR)
TYPE(data_replace, DATA_REPLACE)
TYPE(read, READ)
TYPE(signal, SIGNAL)
TYPE(timer, TIMER)
TYPE(write, WRITE)
static int type_of(const hd_source_type *type) {
#define IS(name) \
    if (type == &_dispatch_source_type_##name || type == hd_real("_dispatch_source_type_" #name)) \
        return _dispatch_source_type_##name.id;
    IS(timer)
    IS(data_add)
    IS(data_or)
    IS(data_replace)
    return 0;
}
// ASSUMED: a timer that repeats faster than this would leave the loop nothing else to do.
enum { LEAST_INTERVAL = 1000000 };

typedef struct hd_source {
    hd_object object;
    hd_loop *loop;
    int type;
    hd_queue *target;
    uintptr_t handle;
    unsigned long mask;
    void *event, *cancel, *registration;
    hd_fn event_fn;
    unsigned long pending, data;  // what came since the last event; what the event that runs is about
    int is_active, suspended, is_cancelled, is_queued;
    uint64_t interval;
    hd_timer timer;
} hd_source;

static void put(hd_source *source, hd_fn fn) {
    dispatch_retain(source);
    hd_push(source->loop, source->target, hd_item_make(fn, source));
}
static void run_event(void *context) {
    hd_source *source = context;
    source->is_queued = 0;
    if (source->is_cancelled || source->suspended) return dispatch_release(source);
    source->data = source->pending;
    source->pending = 0;
    if (source->event_fn) source->event_fn(source->object.context);
    else if (source->event) {
        // The handler may replace itself.
        void *handler = hd_copy(source->event);
        hd_call_and_release_block(handler);
    }
    dispatch_release(source);
}
static void run_cancel(void *context) {
    hd_source *source = context;
    void *handler = source->cancel;
    source->cancel = NULL;
    if (handler) hd_call_and_release_block(handler);
    dispatch_release(source);
}
static void run_registration(void *context) {
    hd_source *source = context;
    void *handler = source->registration;
    source->registration = NULL;
    if (handler) hd_call_and_release_block(handler);
    dispatch_release(source);
}
static void queue_event(hd_source *source) {
    if (!source->pending || source->is_queued || !source->is_active || source->suspended || source->is_cancelled) return;
    source->is_queued = 1;
    put(source, run_event);
}
static void tick(void *context) {
    hd_source *source = context;
    uint64_t at = source->timer.at, missed = (hd_now() - at) / source->interval;
    source->pending += 1 + missed;
    // What was missed while the app was suspended is one event, and the next is in the future.
    at += missed * source->interval;
    if (source->interval != UINT64_MAX && at < UINT64_MAX - source->interval)
        hd_timer_set(source->loop, &source->timer, at + source->interval);
    queue_event(source);
}

SHOWN void *dispatch_source_create(const void *type, uintptr_t handle, unsigned long mask, void *queue) {
    hd_loop *loop = hd_here();
    if (!loop || hd_is_from_real_library(__builtin_return_address(0)))
        return REAL(dispatch_source_create, void *, (const void *, uintptr_t, unsigned long, void *))(
            type, handle, mask, queue ? hd_twin(queue) : NULL);
    int kind = type_of(type);
    if (!kind) hd_refuse("a DispatchSource of a descriptor, a signal or a process was made inside an app: they belong to the machine; timers and data sources work");
    hd_source *source = hd_object_make(sizeof *source, HD_SOURCE);
    source->loop = loop;
    source->type = kind;
    source->handle = handle;
    source->mask = mask;
    source->interval = UINT64_MAX;
    source->timer = (hd_timer){.fire = tick, .context = source};
    dispatch_retain(source->target = hd_queue_of(queue));
    return source;
}
// A source that its app lets go of stops, cancelled or not.
void hd_source_dispose(void *object) {
    extern void _Block_release(const void *);
    hd_source *source = object;
    if (source->timer.is_set) hd_timer_clear(source->loop, &source->timer);
    if (source->event) _Block_release(source->event);
    if (source->cancel) _Block_release(source->cancel);
    if (source->registration) _Block_release(source->registration);
    dispatch_release(source->target);
}
void hd_source_suspended(void *object) { ((hd_source *)object)->suspended++; }
void hd_source_activated(void *object) {
    hd_source *source = object;
    if (source->is_active) return;
    source->is_active = 1;
    if (source->registration) put(source, run_registration);
    queue_event(source);
}
void hd_source_resumed(void *object) {
    hd_source *source = object;
    if (!source->is_active) return hd_source_activated(object);
    if (source->suspended == 0) hd_trap("dispatch_resume of a source that is not suspended");
    source->suspended--;
    queue_event(source);
}

static void replace(void **handler, const void *block) {
    extern void _Block_release(const void *);
    void *before = *handler;
    *handler = block ? hd_copy(block) : NULL;
    if (before) _Block_release(before);
}
#define OF_REAL(name, result, parameters, arguments) \
    if (!hd_is_ours(object)) return REAL(name, result, parameters) arguments;
SHOWN void dispatch_source_set_event_handler(void *object, void *block) {
    OF_REAL(dispatch_source_set_event_handler, void, (void *, void *), (object, block))
    replace(&((hd_source *)object)->event, block);
}
SHOWN void dispatch_source_set_event_handler_f(void *object, hd_fn fn) {
    OF_REAL(dispatch_source_set_event_handler_f, void, (void *, hd_fn), (object, fn))
    ((hd_source *)object)->event_fn = fn;
}
SHOWN void dispatch_source_set_cancel_handler(void *object, void *block) {
    OF_REAL(dispatch_source_set_cancel_handler, void, (void *, void *), (object, block))
    replace(&((hd_source *)object)->cancel, block);
}
SHOWN void dispatch_source_set_registration_handler(void *object, void *block) {
    OF_REAL(dispatch_source_set_registration_handler, void, (void *, void *), (object, block))
    replace(&((hd_source *)object)->registration, block);
}
SHOWN unsigned long dispatch_source_get_data(void *object) {
    OF_REAL(dispatch_source_get_data, unsigned long, (void *), (object))
    return ((hd_source *)object)->data;
}
SHOWN uintptr_t dispatch_source_get_handle(void *object) {
    OF_REAL(dispatch_source_get_handle, uintptr_t, (void *), (object))
    return ((hd_source *)object)->handle;
}
SHOWN unsigned long dispatch_source_get_mask(void *object) {
    OF_REAL(dispatch_source_get_mask, unsigned long, (void *), (object))
    return ((hd_source *)object)->mask;
}
SHOWN long dispatch_source_testcancel(void *object) {
    OF_REAL(dispatch_source_testcancel, long, (void *), (object))
    return ((hd_source *)object)->is_cancelled;
}
SHOWN void dispatch_source_set_timer(void *object, uint64_t start, uint64_t interval, uint64_t leeway) {
    OF_REAL(dispatch_source_set_timer, void, (void *, uint64_t, uint64_t, uint64_t), (object, start, interval, leeway))
    hd_source *source = object;
    if (source->type != TIMER) hd_trap("dispatch_source_set_timer of a source that is not a timer");
    if (source->is_cancelled) return;
    source->pending = 0;
    source->interval = interval < LEAST_INTERVAL ? LEAST_INTERVAL : interval;
    uint64_t at = hd_instant(start);
    if (at == UINT64_MAX) hd_timer_clear(source->loop, &source->timer);
    else hd_timer_set(source->loop, &source->timer, at);
}
SHOWN void dispatch_source_merge_data(void *object, unsigned long value) {
    OF_REAL(dispatch_source_merge_data, void, (void *, unsigned long), (object, value))
    hd_source *source = object;
    if (source->type == DATA_ADD) source->pending += value;
    if (source->type == DATA_OR) source->pending |= value;
    if (source->type == DATA_REPLACE) source->pending = value;
    queue_event(source);
}
SHOWN void dispatch_source_cancel(void *object) {
    OF_REAL(dispatch_source_cancel, void, (void *), (object))
    hd_source *source = object;
    if (source->is_cancelled) return;
    source->is_cancelled = 1;
    hd_timer_clear(source->loop, &source->timer);
    if (source->cancel) put(source, run_cancel);
}
