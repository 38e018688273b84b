// The stack on which a step begins, on the thread that drives it. Switching to it costs no more than a call, and most steps need no other:
// only where code of one waits does the loop go on with pooled threads (Stacks.c), until that code is through.
#define _GNU_SOURCE
#include "Inside.h"
#include <link.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

// As much as a main thread has. Only what is used takes memory.
enum { STACK_BYTES = 8 << 20, AREAS = 32 };

struct hd_fiber {
    void *memory;
    jmp_buf inside, outside;
    hd_stack *outer;  // the stack from which its step was begun; NULL: none
    int has_begun, waits;
    unsigned char *own, *driver;  // see `areas`
};

// ---- what belongs to a stack, though it is kept for the thread

// The runtime keeps what runs and what it accesses for each thread, in places that point into the stack. A fiber that waits takes its values
// along, and the driver gets back those that it had. They are few: the areas of this executable and of Swift's libraries, some 200 bytes.
static struct {
    void *start;
    size_t size;
} areas[AREAS];
static int area_count;
static size_t area_bytes;
static pthread_t driver;
static int has_driver;

static int note_area(struct dl_phdr_info *info, size_t size, void *unused) {
    (void)size, (void)unused;
    const int is_swift = !*info->dlpi_name || strstr(info->dlpi_name, "/libswift") || strstr(info->dlpi_name, "/lib_")
        || strstr(info->dlpi_name, "/libFoundation");
    if (!is_swift || !info->dlpi_tls_data) return 0;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const size_t bytes = info->dlpi_phdr[i].p_memsz;
        if (info->dlpi_phdr[i].p_type != PT_TLS || !bytes) continue;
        if (area_count == AREAS) hd_refuse("more libraries with state of their own for each thread than a fiber can take along");
        areas[area_count].start = info->dlpi_tls_data;
        areas[area_count++].size = bytes;
        area_bytes += bytes;
    }
    return 0;
}
static void keep(unsigned char *copy) {
    for (int i = 0; i < area_count; copy += areas[i++].size) memcpy(copy, areas[i].start, areas[i].size);
}
static void bring_back(const unsigned char *copy) {
    for (int i = 0; i < area_count; copy += areas[i++].size) memcpy(areas[i].start, copy, areas[i].size);
}
int hd_drives(void) { return has_driver && pthread_equal(pthread_self(), driver); }
// A child of another thread than the driver's has no driver yet.
void hd_forget_driver(void) {
    if (!hd_drives()) has_driver = 0;
}

// ---- fibers

// Only the driver's thread touches it.
static hd_stack *idle;

void hd_drive_here(void) {
    if (has_driver) return;
    driver = pthread_self();
    area_count = 0;
    area_bytes = 0;
    dl_iterate_phdr(note_area, NULL);
    has_driver = 1;
}

static void begin(void) {
    hd_stack *stack = hd_this_stack();
    for (;;) {
        stack->loop->driver.run(stack->loop->driver.owner);
        stack->fiber->waits = 0;
        if (!_setjmp(stack->fiber->inside)) _longjmp(stack->fiber->outside, 1);
    }
}
static hd_stack *make(void) {
    hd_stack *stack = calloc(1, sizeof *stack);
    hd_fiber *fiber = stack->fiber = calloc(1, sizeof *fiber);
    stack->as_unit.stack = stack;
    fiber->own = calloc(2, area_bytes);
    fiber->driver = fiber->own + area_bytes;
    const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK;
    fiber->memory = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE, flags, -1, 0);
    if (fiber->memory == MAP_FAILED) hd_refuse("no stack can be made for a step: too much code waits, or memory is short");
    // What runs over the end must not meet another stack.
    mprotect(fiber->memory, (size_t)sysconf(_SC_PAGESIZE), PROT_NONE);
    hd_stack_came(stack);
    return stack;
}
hd_stack *hd_fiber_take(hd_loop *loop) {
    hd_stack *stack = idle;
    if (stack) idle = stack->next;
    else stack = make();
    stack->number = hd_thread();
    stack->fiber->outer = hd_this_stack();
    stack->loop = loop;
    return loop->fiber = stack;
}
void hd_fiber_give(hd_stack *stack) {
    stack->loop->fiber = NULL;
    stack->loop = NULL;
    stack->next = idle;
    idle = stack;
}
int hd_fiber_run(hd_stack *stack) {
    hd_fiber *fiber = stack->fiber;
    if (!hd_drives()) hd_refuse("code that waits since an earlier step would go on in another thread than the one that drives its app");
    stack->is_running = 1;
    keep(fiber->driver);
    if (fiber->waits) bring_back(fiber->own);
    else hd_be_stack(stack);
    if (!_setjmp(fiber->outside)) {
        if (fiber->has_begun) _longjmp(fiber->inside, 1);
        fiber->has_begun = 1;
        ucontext_t first;
        getcontext(&first);
        first.uc_stack.ss_sp = fiber->memory;
        first.uc_stack.ss_size = STACK_BYTES;
        first.uc_link = NULL;
        makecontext(&first, begin, 0);
        setcontext(&first);
    }
    stack->is_running = 0;
    if (fiber->waits) {
        keep(fiber->own);
        bring_back(fiber->driver);
        return 0;
    }
    hd_be_stack(fiber->outer);
    return 1;
}
void hd_fiber_wait(hd_stack *stack) {
    stack->fiber->waits = 1;
    if (!_setjmp(stack->fiber->inside)) _longjmp(stack->fiber->outside, 1);
}
void hd_fiber_drop(hd_stack *stack) {
    stack->loop->fiber = NULL;
    hd_stack_went(stack);
    munmap(stack->fiber->memory, STACK_BYTES);
    free(stack->fiber->own);
    free(stack->fiber);
    free(stack);
}
