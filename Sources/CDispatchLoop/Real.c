// The way to the real libdispatch, for calls from outside every app's loop.
#define _GNU_SOURCE
#include "CInterpose.h"
#include "Inside.h"
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Names are string literals of this executable, so their addresses tell them apart. A slot keeps the first that claims it; another one of the
// same slot is looked up each time.
void *hd_real(const char *name) {
    enum { SIZE = 512 };
    static struct {
        const char *_Atomic name;
        void *_Atomic address;
    } known[SIZE];
    size_t slot = ((uintptr_t)name >> 3) % SIZE;
    if (atomic_load_explicit(&known[slot].name, memory_order_acquire) == name) return known[slot].address;
    void *address = dlsym(RTLD_NEXT, name);
    static atomic_flag writing = ATOMIC_FLAG_INIT;
    while (atomic_flag_test_and_set_explicit(&writing, memory_order_acquire)) {}
    if (!known[slot].name) {
        known[slot].address = address;
        atomic_store_explicit(&known[slot].name, name, memory_order_release);
    }
    atomic_flag_clear_explicit(&writing, memory_order_release);
    return address;
}
int hd_has_real_library(void) { return hd_real("dispatch_async_f") != NULL; }

static struct {
    uintptr_t from, to;
    int is_known;
} library;
static int find_library(struct dl_phdr_info *info, size_t size, void *address) {
    (void)size;
    uintptr_t from = UINTPTR_MAX, to = 0;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        if (info->dlpi_phdr[i].p_type != PT_LOAD) continue;
        uintptr_t start = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr, end = start + info->dlpi_phdr[i].p_memsz;
        if (start < from) from = start;
        if (end > to) to = end;
    }
    if ((uintptr_t)address < from || (uintptr_t)address >= to) return 0;
    library.from = from;
    library.to = to;
    return 1;
}
int hd_is_from_real_library(const void *return_address) {
    if (!library.is_known) {
        void *known = hd_real("dispatch_async_f");
        if (known) dl_iterate_phdr(find_library, known);
        library.is_known = 1;
    }
    return (uintptr_t)return_address >= library.from && (uintptr_t)return_address < library.to;
}

void *hd_real_or_refuse(const char *name) {
    void *address = hd_real(name);
    if (address) return address;
    char text[256];
    snprintf(text, sizeof text,
             "%s was called outside an app's loop, where a program linked with --static-swift-stdlib has no libdispatch; "
             "link it dynamically",
             name);
    hd_refuse(text);
}

static void *make_twin(hd_object *object) {
    if (object->kind == HD_GROUP) return REAL(dispatch_group_create, void *, (void))();
    if (object->kind == HD_SEMAPHORE) return REAL(dispatch_semaphore_create, void *, (long))(object->first_value);
    if (object->kind != HD_QUEUE) hd_refuse("a dispatch object of an app was used outside the app's loop");
    hd_queue *queue = (hd_queue *)object;
    if (queue->is_main) return hd_real("_dispatch_main_q");
    if (queue->is_global) return REAL(dispatch_get_global_queue, void *, (long, unsigned long))(queue->qos, 0);
    void *attribute = queue->width == 1 ? NULL : hd_real("_dispatch_queue_attr_concurrent");
    if (queue->is_inactive)
        attribute = REAL(dispatch_queue_attr_make_initially_inactive, void *, (void *))(attribute);
    void *target = queue->target ? hd_twin(queue->target) : NULL;
    return REAL(dispatch_queue_create_with_target, void *, (const char *, void *, void *))(queue->label, attribute, target);
}
void *hd_twin(void *o) {
    if (!hd_is_ours(o)) return o;
    hd_object *object = o;
    void *twin = atomic_load(&object->twin);
    if (twin) return twin;
    void *made = make_twin(object), *none = NULL;
    if (atomic_compare_exchange_strong(&object->twin, &none, made)) return made;
    if (object->kind != HD_QUEUE || !object->is_immortal) REAL(dispatch_release, void, (void *))(made);
    return none;
}

void hd_refuse(const char *what) {
    hr_leak(what);
    abort();
}
void hd_trap(const char *what) {
    fprintf(stderr, "dispatch: %s; an iPad ends the app here\n", what);
    fflush(stderr);
    __builtin_trap();
}
