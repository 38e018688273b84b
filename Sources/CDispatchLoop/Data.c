// DispatchData: bytes that are shared and never change. Made inside a loop they are ours, one region each; else the real library's.
#include "Inside.h"
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

typedef struct hd_data {
    hd_object object;
    void *bytes;
    size_t size;
    void *destructor;  // a block; NULL: the bytes are ours and freed
    int is_mapped;
} hd_data;
HIDDEN hd_data _dispatch_data_empty = {.object = HD_HEAD(HD_DATA)};
// Named by their addresses only.
HIDDEN void *const _dispatch_data_destructor_free = (void *)&_dispatch_data_destructor_free;
HIDDEN void *const _dispatch_data_destructor_munmap = (void *)&_dispatch_data_destructor_munmap;

static int is_value_of(const void *destructor, const char *name, const void *own) {
    void *const *real = hd_real(name);
    return destructor == own || (real && destructor == *real);
}
static hd_data *data_of(void *object) {
    if (hd_is_ours(object)) return object;
    if (object == hd_real("_dispatch_data_empty")) return &_dispatch_data_empty;
    return NULL;
}
static hd_data *make(size_t size) {
    hd_data *data = hd_object_make(sizeof *data, HD_DATA);
    data->bytes = malloc(size ? size : 1);
    data->size = size;
    return data;
}
static hd_data *copied(const char *bytes, size_t size) {
    hd_data *data = make(size);
    if (size) memcpy(data->bytes, bytes, size);
    return data;
}
// Whether the call is about data of a loop.
static int is_inside(void *object) { return hd_here() ? data_of(object) != NULL : hd_is_ours(object); }

SHOWN void *dispatch_data_create(const void *bytes, size_t size, void *queue, void *destructor) {
    if (!hd_here() || hd_is_from_real_library(__builtin_return_address(0)))
        return REAL(dispatch_data_create, void *, (const void *, size_t, void *, void *))(
            bytes, size, queue ? hd_twin(queue) : NULL, destructor);
    if (!destructor) return copied(bytes, size);
    hd_data *data = hd_object_make(sizeof *data, HD_DATA);
    data->bytes = (void *)bytes;
    data->size = size;
    if (is_value_of(destructor, "_dispatch_data_destructor_munmap", _dispatch_data_destructor_munmap)) data->is_mapped = 1;
    else if (!is_value_of(destructor, "_dispatch_data_destructor_free", _dispatch_data_destructor_free))
        data->destructor = hd_copy(destructor);
    return data;
}
void hd_data_dispose(void *object) {
    hd_data *data = object;
    if (data->destructor) hd_call_and_release_block(data->destructor);
    else if (data->is_mapped) munmap(data->bytes, data->size);
    else free(data->bytes);
}
SHOWN size_t dispatch_data_get_size(void *object) {
    if (!is_inside(object)) return REAL(dispatch_data_get_size, size_t, (void *))(object);
    return data_of(object)->size;
}
SHOWN void *dispatch_data_create_map(void *object, const void **bytes, size_t *size) {
    if (!is_inside(object))
        return REAL(dispatch_data_create_map, void *, (void *, const void **, size_t *))(object, bytes, size);
    hd_data *data = data_of(object);
    if (bytes) *bytes = data->bytes;
    if (size) *size = data->size;
    dispatch_retain(data);
    return data;
}
SHOWN void *dispatch_data_create_subrange(void *object, size_t offset, size_t length) {
    if (!is_inside(object))
        return REAL(dispatch_data_create_subrange, void *, (void *, size_t, size_t))(object, offset, length);
    hd_data *data = data_of(object);
    if (offset > data->size) offset = data->size;
    if (length > data->size - offset) length = data->size - offset;
    return copied((char *)data->bytes + offset, length);
}
SHOWN void *dispatch_data_create_concat(void *first, void *second) {
    if (!is_inside(first) && !is_inside(second))
        return REAL(dispatch_data_create_concat, void *, (void *, void *))(first, second);
    // One of them may be the real library's, of several regions.
    const void *left, *right;
    size_t left_size, right_size;
    void *left_map = dispatch_data_create_map(first, &left, &left_size);
    void *right_map = dispatch_data_create_map(second, &right, &right_size);
    hd_data *both = make(left_size + right_size);
    if (left_size) memcpy(both->bytes, left, left_size);
    if (right_size) memcpy((char *)both->bytes + left_size, right, right_size);
    dispatch_release(left_map);
    dispatch_release(right_map);
    return both;
}
SHOWN void *dispatch_data_copy_region(void *object, size_t location, size_t *offset) {
    if (!is_inside(object))
        return REAL(dispatch_data_copy_region, void *, (void *, size_t, size_t *))(object, location, offset);
    if (offset) *offset = 0;
    dispatch_retain(data_of(object));
    return data_of(object);
}
SHOWN int dispatch_data_apply(void *object, void *applier) {
    if (!is_inside(object)) return REAL(dispatch_data_apply, int, (void *, void *))(object, applier);
    hd_data *data = data_of(object);
    struct layout {
        void *isa;
        int flags, reserved;
        unsigned char (*invoke)(void *, void *, size_t, const void *, size_t);
    } *block = applier;
    return data->size == 0 || block->invoke(block, data, 0, data->bytes, data->size) ? 1 : 0;
}
