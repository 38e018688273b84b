// Objects: references, contexts, suspension.
#include "Inside.h"
#include <stdlib.h>
#include <string.h>
#include "CInterpose.h"

// Small numbers, NULL and the real library's objects, which begin with the address of their class, are not ours.
int hd_is_ours(const void *object) {
    enum { FIRST_PAGE = 4096 };
    return (uintptr_t)object >= FIRST_PAGE && ((const hd_object *)object)->magic == HD_MAGIC;
}

void *hd_object_make(size_t size, enum hd_kind kind) {
    static atomic_uint_fast64_t ids = 1;
    hd_object *object = calloc(1, size);
    hd_loop *loop = hd_here();
    object->magic = HD_MAGIC;
    object->kind = kind;
    object->refs = 1;
    object->id = atomic_fetch_add(&ids, 1);
    object->home = loop ? loop->id : 0;
    return object;
}

SHOWN void dispatch_retain(void *o) {
    if (!hd_is_ours(o)) {
        if (o != hd_real("_dispatch_main_q")) REAL(dispatch_retain, void, (void *))(o);
        return;
    }
    hd_object *object = o;
    if (!object->is_immortal) atomic_fetch_add(&object->refs, 1);
}
SHOWN void dispatch_release(void *o) {
    if (!hd_is_ours(o)) {
        if (o != hd_real("_dispatch_main_q")) REAL(dispatch_release, void, (void *))(o);
        return;
    }
    hd_object *object = o;
    if (object->is_immortal || atomic_fetch_sub(&object->refs, 1) > 1) return;
    if (object->kind == HD_SEMAPHORE) hd_semaphore_dispose(o);
    if (object->kind == HD_QUEUE) hd_queue_dispose(o);
    if (object->kind == HD_SOURCE) hd_source_dispose(o);
    if (object->kind == HD_DATA) hd_data_dispose(o);
    hd_share_drop(object);
    if (object->finalizer && object->context) object->finalizer(object->context);
    void *twin = atomic_load(&object->twin);
    if (twin) REAL(dispatch_release, void, (void *))(twin);
    object->magic = 0;
    free(object);
}

SHOWN void dispatch_set_context(void *o, void *context) {
    if (hd_is_ours(o)) ((hd_object *)o)->context = context;
    else REAL(dispatch_set_context, void, (void *, void *))(o, context);
}
SHOWN void *dispatch_get_context(void *o) {
    return hd_is_ours(o) ? ((hd_object *)o)->context : REAL(dispatch_get_context, void *, (void *))(o);
}
SHOWN void dispatch_set_finalizer_f(void *o, hd_fn finalizer) {
    if (hd_is_ours(o)) ((hd_object *)o)->finalizer = finalizer;
    else REAL(dispatch_set_finalizer_f, void, (void *, hd_fn))(o, finalizer);
}

SHOWN void dispatch_suspend(void *o) {
    hd_loop *loop = hd_here();
    if (!loop || !hd_is_ours(o)) return REAL(dispatch_suspend, void, (void *))(hd_twin(o));
    hd_object *object = o;
    if (object->kind == HD_SOURCE) hd_source_suspended(o);
    if (object->kind == HD_QUEUE) hd_lane_of(loop, o)->suspended++;
}
SHOWN void dispatch_activate(void *o) {
    hd_loop *loop = hd_here();
    if (!loop || !hd_is_ours(o)) return REAL(dispatch_activate, void, (void *))(hd_twin(o));
    hd_object *object = o;
    if (object->kind == HD_SOURCE) hd_source_activated(o);
    if (object->kind != HD_QUEUE) return;
    ((hd_queue *)o)->is_inactive = 0;
    hd_lane_schedule(loop, hd_lane_of(loop, o));
}
SHOWN void dispatch_resume(void *o) {
    hd_loop *loop = hd_here();
    if (!loop || !hd_is_ours(o)) return REAL(dispatch_resume, void, (void *))(hd_twin(o));
    hd_object *object = o;
    if (object->kind == HD_SOURCE) return hd_source_resumed(o);
    if (object->kind != HD_QUEUE) return;
    hd_lane *lane = hd_lane_of(loop, o);
    if (((hd_queue *)o)->is_inactive) return dispatch_activate(o);
    if (lane->suspended == 0) hd_trap("dispatch_resume of a queue that is not suspended");
    lane->suspended--;
    hd_lane_schedule(loop, lane);
}
