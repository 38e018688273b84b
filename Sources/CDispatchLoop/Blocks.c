// Blocks, laid out by hand so that no compiler flag is needed, and work items: blocks that know whether they were cancelled or have run.
// Their layout is Clang's documented one: "Block Implementation Specification".
#include "Inside.h"
#include <stdlib.h>

typedef struct block_description {
    unsigned long reserved, size;
    void (*copy)(void *, const void *);
    void (*dispose)(const void *);
} block_description;
typedef struct block {
    void *isa;
    volatile int flags;
    int reserved;
    void (*invoke)(void *);
    block_description *description;
} block;
extern void *_Block_copy(const void *);
extern void _Block_release(const void *);
extern void *_NSConcreteMallocBlock[32];
// BLOCK_NEEDS_FREE, BLOCK_HAS_COPY_DISPOSE, and one reference, which is counted from the second bit on.
enum { ON_HEAP = 1 << 24 | 1 << 25 | 2, BARRIER_FLAG = 1 };

void hd_call_block(void *object) { ((block *)object)->invoke(object); }
void hd_call_and_release_block(void *object) {
    hd_call_block(object);
    _Block_release(object);
}
void *hd_copy(const void *object) { return _Block_copy(object); }

// What all copies of one work item share.
typedef struct work {
    long refs;
    int is_cancelled, is_done;
    unsigned long flags;
    void *group;  // entered until it has run
} work;
typedef struct work_block {
    block head;
    void *inner;
    work *shared;
} work_block;

extern void *dispatch_group_create(void);
extern void dispatch_group_enter(void *), dispatch_group_leave(void *), dispatch_group_notify(void *, void *, void *);
extern long dispatch_group_wait(void *, uint64_t);

static void run_work(void *object) {
    work_block *item = object;
    work *shared = item->shared;
    if (!shared->is_cancelled) hd_call_block(item->inner);
    if (shared->is_done) return;
    shared->is_done = 1;
    dispatch_group_leave(shared->group);
}
static void copy_work(void *to, const void *from) {
    (void)from;
    ((work_block *)to)->shared->refs++;
    ((work_block *)to)->inner = _Block_copy(((work_block *)to)->inner);
}
static void dispose_work(const void *object) {
    const work_block *item = object;
    _Block_release(item->inner);
    if (--item->shared->refs > 0) return;
    // An item that never ran keeps the reference of its group's enter.
    if (!item->shared->is_done) dispatch_release(item->shared->group);
    dispatch_release(item->shared->group);
    free(item->shared);
}
static block_description work_description = {0, sizeof(work_block), copy_work, dispose_work};

SHOWN void *dispatch_block_create(unsigned long flags, void *inner) {
    if (!hd_here()) return REAL(dispatch_block_create, void *, (unsigned long, void *))(flags, inner);
    work_block *item = calloc(1, sizeof *item);
    item->head = (block){_NSConcreteMallocBlock, ON_HEAP, 0, run_work, &work_description};
    item->inner = _Block_copy(inner);
    item->shared = calloc(1, sizeof *item->shared);
    *item->shared = (work){.refs = 1, .flags = flags, .group = dispatch_group_create()};
    dispatch_group_enter(item->shared->group);
    return item;
}
SHOWN void *dispatch_block_create_with_qos_class(unsigned long flags, unsigned qos, int priority, void *inner) {
    if (!hd_here())
        return REAL(dispatch_block_create_with_qos_class, void *, (unsigned long, unsigned, int, void *))(
            flags, qos, priority, inner);
    return dispatch_block_create(flags, inner);
}
static work *work_of(const void *object) {
    return object && ((const block *)object)->invoke == run_work ? ((const work_block *)object)->shared : NULL;
}
int hd_block_is_barrier(const void *object) {
    work *item = work_of(object);
    return item && item->flags & BARRIER_FLAG;
}
SHOWN void dispatch_block_cancel(void *object) {
    work *item = work_of(object);
    if (!item) return REAL(dispatch_block_cancel, void, (void *))(object);
    item->is_cancelled = 1;
}
SHOWN long dispatch_block_testcancel(void *object) {
    work *item = work_of(object);
    return item ? item->is_cancelled : REAL(dispatch_block_testcancel, long, (void *))(object);
}
SHOWN long dispatch_block_wait(void *object, uint64_t timeout) {
    work *item = work_of(object);
    if (!item) return REAL(dispatch_block_wait, long, (void *, uint64_t))(object, timeout);
    return dispatch_group_wait(item->group, timeout);
}
SHOWN void dispatch_block_notify(void *object, void *queue, void *notification) {
    work *item = work_of(object);
    if (!item) return REAL(dispatch_block_notify, void, (void *, void *, void *))(object, hd_twin(queue), notification);
    dispatch_group_notify(item->group, queue, notification);
}
