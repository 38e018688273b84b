// What the files of this folder share.
#pragma once
#include <semaphore.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include "CDispatchLoop.h"

#define SHOWN __attribute__((visibility("default")))
// Data symbols are hidden: in a dynamic link the real library goes on using its own, in a static link they stand in for it.
#define HIDDEN __attribute__((visibility("hidden")))

typedef void (*hd_fn)(void *);
typedef struct hd_queue hd_queue;
typedef struct hd_group hd_group;
typedef struct hd_lane hd_lane;
typedef struct hd_stack hd_stack;
typedef struct hd_fiber hd_fiber;

// ---- Objects.c

enum hd_kind { HD_QUEUE = 1, HD_GROUP, HD_SEMAPHORE, HD_SOURCE, HD_DATA, HD_ATTRIBUTE };

// The head of every object. It belongs to no loop: what a loop has of it is a share, and what the real library has of it, for calls from
// outside every loop, is its twin. So a queue in a `static let` serves all apps of a process and joins none of them.
typedef struct hd_object {
    uint64_t magic;
    enum hd_kind kind;
    int is_immortal;
    atomic_long refs;
    uint64_t id;    // never used twice, as addresses are
    uint64_t home;  // id of the loop that made it; 0: made outside
    void *context;
    hd_fn finalizer;
    void *_Atomic twin;
    struct hd_share *own;  // the share of its home
    long first_value;      // of a semaphore, in every loop
} hd_object;
#define HD_MAGIC 0x6d6f6f72656d6f48u
#define HD_HEAD(k) {.magic = HD_MAGIC, .kind = (k), .is_immortal = 1, .refs = 1}

int hd_is_ours(const void *object);
void *hd_object_make(size_t size, enum hd_kind kind);
void dispatch_retain(void *object);
void dispatch_release(void *object);
// What each kind lets go of with its last reference.
void hd_queue_dispose(void *object);
void hd_semaphore_dispose(void *object);
void hd_source_dispose(void *object);
void hd_data_dispose(void *object);

// ---- Loop.c

// One piece of work of a queue. A lane that targets another one stands in it as an item with `sub`.
typedef struct hd_item {
    struct hd_item *next;
    hd_fn fn;
    void *context;
    int is_barrier;
    hd_group *group;           // left when it has run
    struct hd_frame *outer;    // of the code that waits for it in dispatch_sync
    hd_queue *queue;
    hd_lane *sub;
} hd_item;

// What can run next: a lane's first item, or a stack whose wait is over.
typedef struct hd_unit {
    struct hd_unit *next;
    hd_lane *lane;
    hd_stack *stack;
} hd_unit;
typedef struct hd_units {
    hd_unit *first, **end;
} hd_units;

// A queue as one loop sees it.
struct hd_lane {
    hd_queue *queue;
    hd_item *first, **end;
    int running, has_barrier, suspended, is_scheduled;
    int unposted;  // of the main queue: items that the driver has yet to hear of
    hd_item as_item;
    hd_unit as_unit;
};

// What one loop has of an object: made at first use, gone with the object or the loop.
typedef struct hd_share {
    struct hd_share *next, **link;  // of the loop, in the order they were made
    struct hd_share *chain;         // of its bucket; the share of an object's home is in none
    hd_loop *loop;
    hd_object *object;
    uint64_t id;
    hd_lane lane;        // of a queue
    long value;          // of a group: how often entered; of a semaphore: its value
    hd_item *notify;     // of a group
    int is_own;          // of its object's home: the object is there as long as this is
} hd_share;

typedef struct hd_timer {
    struct hd_timer *next;
    uint64_t at, order;
    hd_fn fire;
    hd_fn drop;  // lets go of the context when the loop ends before; NULL: nothing to let go
    void *context;
    int is_set;
} hd_timer;

typedef struct hd_waiter {
    struct hd_waiter *next;
    hd_stack *stack;
    const void *key;
    int is_woken, timed_out;
    hd_timer timer;
} hd_waiter;

enum { HD_BUCKETS = 64 };
struct hd_loop {
    uint64_t id;
    hd_driver driver;
    hd_units units;     // of the background; what the main thread has is the main queue's lane
    hd_timer *timers;   // by (at, order)
    uint64_t order;
    hd_waiter *waiters;
    hd_stack *parked, *successor;
    hd_stack *fiber;    // on which code of it runs or waits; NULL: the next step may begin on one
    int fiber_is_due;   // the wait of its fiber is over: its driver goes on with it
    hd_share *shares, **shares_end;
    hd_share *buckets[HD_BUCKETS];
    sem_t over;
    int is_ending;
    void *way_out;  // of what waits while the loop ends: a jmp_buf
};

// The loop of this thread. In a static link, outside every loop, the process's own, which runs when somebody waits. NULL: forward.
hd_loop *hd_here(void);
// The same without the process's own: for locks, which threads outside of loops really wait for.
hd_loop *hd_entered(void);
hd_share *hd_share_of(hd_loop *loop, void *object);
void hd_share_drop(hd_object *object);
void hd_unit_push(hd_loop *loop, hd_unit *unit);
void hd_post(hd_loop *loop, int on_main);
uint64_t hd_now(void);
void hd_timer_set(hd_loop *loop, hd_timer *timer, uint64_t at);
void hd_timer_clear(hd_loop *loop, hd_timer *timer);

// ---- Stacks.c

struct hd_stack {
    hd_stack *next;
    hd_loop *loop;
    sem_t go;
    hd_unit as_unit;
    void *way_out;  // the jmp_buf of its first frame
    unsigned long thread;
    atomic_int number;     // the machine's number of its thread
    atomic_int is_running; // it has its loop's baton: neither idle nor in a wait
    hd_stack *other;       // of the list of all
    struct hd_holding *holdings;
    hd_fiber *fiber;       // NULL: a pooled thread
};
hd_stack *hd_this_stack(void);
void hd_be_stack(hd_stack *stack);
// Waits until the key is woken: 1, or the deadline is there: 0. Waiters of a key are woken in the order in which they came.
// Does not return when the loop ends: nothing will wake anybody any longer.
int hd_await(const void *key, uint64_t deadline);
void hd_wake(const void *key, int all);
void hd_end_parked(hd_loop *loop);

// ---- Fibers.c

// Whether this thread is the one that drives the loops of the process.
int hd_drives(void);
void hd_forget_driver(void);
hd_stack *hd_fiber_take(hd_loop *loop);
void hd_fiber_give(hd_stack *stack);
// Runs a step, or goes on with one that waited: 1 when it is through, 0: it waits.
int hd_fiber_run(hd_stack *stack);
// On the fiber: back to its driver.
void hd_fiber_wait(hd_stack *stack);
// Its frames are left as they are.
void hd_fiber_drop(hd_stack *stack);

// ---- Holders.c

// A lock that does not know who holds it: one of a reader, and each that a fiber holds, because it is marked with the thread that all fibers
// have.
typedef struct hd_holding {
    struct hd_holding *next;
    const void *lock;
} hd_holding;
void hd_stack_came(hd_stack *stack);
void hd_stack_went(hd_stack *stack);
void hd_forget_stacks(void);
int hd_thread(void);
void hd_hold(const void *lock, int as_reader);
void hd_let_go(const void *lock);
// A lock that is marked with the calling thread, and held by another fiber of it, which waits.
int hd_is_of_other_fiber(const void *lock, int thread);
// The number of a reader of the lock, HD_NOBODY: a stack that has ended; 0: no stack reads it.
int hd_reader_of(const void *lock);
// Waits for what the thread of that number holds, if the loop can: another of its stacks. 1: look again, 0: the holder is outside of all
// loops, a matter of the real lock. HD_ENDING: the loop ends, and the holder did with it. A holder that cannot let go ends the run.
// `sights`: 0 at first, how often such a holder was seen.
int hd_await_holder(int thread, const void *key, int *sights);
enum { HD_ENDING = -1, HD_NOBODY = -1 };

// ---- Queues.c and Lanes.c

struct hd_queue {
    hd_object object;
    const char *label;
    int width;
    int qos;
    int is_main, is_global, is_inactive;
    hd_queue *target;
    struct hd_specific *specifics;
};
enum { HD_WIDE = 1 << 30, HD_GLOBALS = 6 };
// What runs on this thread: the queue of the item, around it those of the code that waits for it in dispatch_sync.
typedef struct hd_frame {
    hd_queue *queue;
    struct hd_frame *outer;
} hd_frame;
extern _Thread_local hd_frame *hd_frame_top;

extern hd_queue hd_globals[HD_GLOBALS];
hd_queue *hd_main_queue(void);
// The queue that the caller means, whichever library's symbol it named. Ends the run for one of the real library's.
hd_queue *hd_queue_of(void *object);
hd_lane *hd_lane_of(hd_loop *loop, hd_queue *queue);
hd_item *hd_item_make(hd_fn fn, void *context);
void hd_item_drop(hd_item *item);
// The item gets a reference of its queue.
void hd_push(hd_loop *loop, hd_queue *queue, hd_item *item);
void hd_lane_turn(hd_loop *loop, hd_lane *lane);
void hd_lane_schedule(hd_loop *loop, hd_lane *lane);
int hd_is_inside(hd_queue *queue);
void hd_sync(hd_loop *loop, hd_queue *queue, hd_item item);

// ---- Groups.c, Sources.c, Blocks.c, Data.c, Time.c

void hd_group_leave(hd_loop *loop, hd_group *group);
void hd_source_resumed(void *source);
void hd_source_activated(void *source);
void hd_source_suspended(void *source);
void hd_call_block(void *block);
void hd_call_and_release_block(void *block);
void *hd_copy(const void *block);
int hd_block_is_barrier(const void *block);
uint64_t hd_instant(uint64_t when);

// ---- Real.c

// The real library's function of a name; NULL in a static link.
void *hd_real(const char *name);
// Whether the caller is the real library itself, which must get objects of its own.
int hd_is_from_real_library(const void *return_address);
// What the real library is to use for one of our objects outside every loop.
void *hd_twin(void *object);
// Ends the run: what was asked for has no meaning inside an app's loop, or no library outside of one.
_Noreturn void hd_refuse(const char *what);
// Ends the app, as an iPad would.
_Noreturn void hd_trap(const char *what);

// Forwards a call of the real library's: REAL(dispatch_x, void, (void *, int))(a, b).
#define REAL(name, result, parameters) ((result(*) parameters)hd_real_or_refuse(#name))
void *hd_real_or_refuse(const char *name);
