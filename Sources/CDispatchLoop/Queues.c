// libdispatch's functions of queues.
#include "Inside.h"
#include <stdlib.h>
#include <string.h>
#include "CInterpose.h"

typedef struct hd_attribute {
    hd_object object;
    int is_concurrent, is_inactive, qos;
} hd_attribute;
typedef struct hd_specific {
    struct hd_specific *next;
    const void *key;
    void *value;
    hd_fn destroy;
} hd_specific;

HIDDEN hd_queue _dispatch_main_q = {
    .object = HD_HEAD(HD_QUEUE), .label = "com.apple.main-thread", .width = 1, .qos = 0x21, .is_main = 1};
HIDDEN hd_attribute _dispatch_queue_attr_concurrent = {.object = HD_HEAD(HD_ATTRIBUTE), .is_concurrent = 1};
// Apple's classes of quality of service, as <sys/qos.h> numbers them. All are equal here.
enum { INTERACTIVE = 0x21, INITIATED = 0x19, DEFAULT = 0x15, UTILITY = 0x11, BACKGROUND = 0x09, MAINTENANCE = 0x05 };
#define GLOBAL(number, name, q) \
    {.object = {.magic = HD_MAGIC, .kind = HD_QUEUE, .is_immortal = 1, .refs = 1, .id = UINT64_MAX - (number)}, \
     .label = "com.apple.root." name, .width = HD_WIDE, .qos = (q), .is_global = 1}
hd_queue hd_globals[HD_GLOBALS] = {
    GLOBAL(1, "default-qos", DEFAULT),
    GLOBAL(2, "user-interactive-qos", INTERACTIVE),
    GLOBAL(3, "user-initiated-qos", INITIATED),
    GLOBAL(4, "utility-qos", UTILITY),
    GLOBAL(5, "background-qos", BACKGROUND),
    GLOBAL(6, "maintenance-qos", MAINTENANCE),
};
hd_queue *hd_main_queue(void) { return &_dispatch_main_q; }
hd_queue *hd_queue_of(void *object) {
    if (!object) return &hd_globals[0];
    if (hd_is_ours(object)) return object;
    if (object == hd_real("_dispatch_main_q")) return &_dispatch_main_q;
    hd_refuse("a queue that libdispatch itself made was used inside an app's loop");
}
static hd_attribute *attribute_of(void *object) {
    if (!object || hd_is_ours(object)) return object;
    if (object == hd_real("_dispatch_queue_attr_concurrent")) return &_dispatch_queue_attr_concurrent;
    hd_refuse("an attribute that libdispatch itself made was used inside an app's loop");
}

// ---- making them

SHOWN void *dispatch_get_global_queue(long identifier, unsigned long flags) {
    if (hd_is_from_real_library(__builtin_return_address(0)))
        return REAL(dispatch_get_global_queue, void *, (long, unsigned long))(identifier, flags);
    switch (identifier) {
    case INTERACTIVE: return &hd_globals[1];
    case INITIATED: case 2: return &hd_globals[2];
    case UTILITY: case -2: return &hd_globals[3];
    case BACKGROUND: case -32768: return &hd_globals[4];
    case MAINTENANCE: return &hd_globals[5];
    default: return &hd_globals[0];
    }
}
static hd_attribute *derive(void *from) {
    hd_attribute *base = attribute_of(from), *made = hd_object_make(sizeof *made, HD_ATTRIBUTE);
    if (base) {
        made->is_concurrent = base->is_concurrent;
        made->is_inactive = base->is_inactive;
        made->qos = base->qos;
    }
    made->object.is_immortal = 1;  // as Apple's, which nobody releases
    return made;
}
SHOWN void *dispatch_queue_attr_make_initially_inactive(void *from) {
    if (hd_is_from_real_library(__builtin_return_address(0)))
        return REAL(dispatch_queue_attr_make_initially_inactive, void *, (void *))(from);
    hd_attribute *made = derive(from);
    made->is_inactive = 1;
    return made;
}
SHOWN void *dispatch_queue_attr_make_with_autorelease_frequency(void *from, long frequency) {
    if (hd_is_from_real_library(__builtin_return_address(0)))
        return REAL(dispatch_queue_attr_make_with_autorelease_frequency, void *, (void *, long))(from, frequency);
    return derive(from);
}
SHOWN void *dispatch_queue_attr_make_with_qos_class(void *from, unsigned qos, int priority) {
    if (hd_is_from_real_library(__builtin_return_address(0)))
        return REAL(dispatch_queue_attr_make_with_qos_class, void *, (void *, unsigned, int))(from, qos, priority);
    hd_attribute *made = derive(from);
    made->qos = (int)qos;
    return made;
}
static hd_queue *make(const char *label, void *attributes, void *target) {
    hd_queue *queue = hd_object_make(sizeof *queue, HD_QUEUE);
    hd_attribute *attribute = attribute_of(attributes);
    queue->label = strdup(label ? label : "");
    queue->width = attribute && attribute->is_concurrent ? HD_WIDE : 1;
    queue->is_inactive = attribute ? attribute->is_inactive : 0;
    queue->qos = attribute ? attribute->qos : 0;
    if (target) dispatch_retain(queue->target = hd_queue_of(target));
    return queue;
}
SHOWN void *dispatch_queue_create_with_target(const char *label, void *attributes, void *target) {
    if (hd_is_from_real_library(__builtin_return_address(0)))
        return REAL(dispatch_queue_create_with_target, void *, (const char *, void *, void *))(label, attributes, target);
    return make(label, attributes, target);
}
SHOWN void *dispatch_queue_create(const char *label, void *attributes) {
    if (hd_is_from_real_library(__builtin_return_address(0)))
        return REAL(dispatch_queue_create, void *, (const char *, void *))(label, attributes);
    return make(label, attributes, NULL);
}
void hd_queue_dispose(void *object) {
    hd_queue *queue = object;
    while (queue->specifics) {
        hd_specific *specific = queue->specifics;
        queue->specifics = specific->next;
        if (specific->destroy) specific->destroy(specific->value);
        free(specific);
    }
    if (queue->target) dispatch_release(queue->target);
    free((void *)queue->label);
}

// ---- what they are

SHOWN const char *dispatch_queue_get_label(void *object) {
    if (object) {
        if (!hd_is_ours(object) && object != hd_real("_dispatch_main_q"))
            return REAL(dispatch_queue_get_label, const char *, (void *))(object);
        return hd_queue_of(object)->label;
    }
    if (!hd_here()) return REAL(dispatch_queue_get_label, const char *, (void *))(NULL);
    if (hd_frame_top) return hd_frame_top->queue->label;
    return hr_on_main() ? _dispatch_main_q.label : hd_globals[0].label;
}
SHOWN unsigned dispatch_queue_get_qos_class(void *object, int *priority) {
    if (!hd_is_ours(object) && object != hd_real("_dispatch_main_q"))
        return REAL(dispatch_queue_get_qos_class, unsigned, (void *, int *))(object, priority);
    if (priority) *priority = 0;
    return (unsigned)hd_queue_of(object)->qos;
}
SHOWN void dispatch_queue_set_width(void *object, long width) {
    if (!hd_is_ours(object)) return REAL(dispatch_queue_set_width, void, (void *, long))(object, width);
    ((hd_queue *)object)->width = width == 1 ? 1 : HD_WIDE;
}
SHOWN void dispatch_set_target_queue(void *object, void *target) {
    hd_loop *loop = hd_here();
    if (!loop || !hd_is_ours(object))
        return REAL(dispatch_set_target_queue, void, (void *, void *))(hd_twin(object), hd_twin(target));
    if (((hd_object *)object)->kind != HD_QUEUE) hd_refuse("dispatch_set_target_queue of a source: give the queue when it is made");
    hd_queue *queue = object, *before = queue->target, *next = target ? hd_queue_of(target) : NULL;
    for (hd_queue *each = next; each; each = each->target)
        if (each == queue) hd_trap("a queue that targets itself");
    if (next) dispatch_retain(next);
    queue->target = next;
    if (before) dispatch_release(before);
}
static hd_specific **find(hd_queue *queue, const void *key) {
    hd_specific **place = &queue->specifics;
    while (*place && (*place)->key != key) place = &(*place)->next;
    return place;
}
SHOWN void dispatch_queue_set_specific(void *object, const void *key, void *value, hd_fn destroy) {
    if (!hd_is_ours(object) && !hd_here())
        return REAL(dispatch_queue_set_specific, void, (void *, const void *, void *, hd_fn))(object, key, value, destroy);
    if (!hd_here())
        REAL(dispatch_queue_set_specific, void, (void *, const void *, void *, hd_fn))(hd_twin(object), key, value, NULL);
    hd_specific **place = find(hd_queue_of(object), key), *specific = *place;
    if (specific && specific->destroy) specific->destroy(specific->value);
    if (specific && !value) {
        *place = specific->next;
        free(specific);
        return;
    }
    if (!value) return;
    if (!specific) *place = specific = calloc(1, sizeof *specific);
    specific->key = key;
    specific->value = value;
    specific->destroy = destroy;
}
SHOWN void *dispatch_queue_get_specific(void *object, const void *key) {
    if (!hd_is_ours(object) && !hd_here())
        return REAL(dispatch_queue_get_specific, void *, (void *, const void *))(object, key);
    hd_specific *specific = *find(hd_queue_of(object), key);
    return specific ? specific->value : NULL;
}
SHOWN void *dispatch_get_specific(const void *key) {
    if (!hd_here()) return REAL(dispatch_get_specific, void *, (const void *))(key);
    hd_queue *queue = hd_frame_top ? hd_frame_top->queue : hr_on_main() ? &_dispatch_main_q : &hd_globals[0];
    for (; queue; queue = queue->target) {
        hd_specific *specific = *find(queue, key);
        if (specific) return specific->value;
    }
    return NULL;
}
SHOWN void dispatch_assert_queue(void *object) {
    if (!hd_here()) return REAL(dispatch_assert_queue, void, (void *))(hd_twin(object));
    if (!hd_is_inside(hd_queue_of(object))) hd_trap("an assertion failed: this code does not run on the queue that it expects");
}
SHOWN void dispatch_assert_queue_barrier(void *object) {
    if (!hd_here()) return REAL(dispatch_assert_queue_barrier, void, (void *))(hd_twin(object));
    dispatch_assert_queue(object);
    hd_queue *queue = hd_queue_of(object);
    if (queue->width > 1 && !hd_lane_of(hd_here(), queue)->has_barrier)
        hd_trap("an assertion failed: this code does not run as a barrier");
}
SHOWN void dispatch_assert_queue_not(void *object) {
    if (!hd_here()) return REAL(dispatch_assert_queue_not, void, (void *))(hd_twin(object));
    if (hd_is_inside(hd_queue_of(object))) hd_trap("an assertion failed: this code runs on the queue that it must not be on");
}
