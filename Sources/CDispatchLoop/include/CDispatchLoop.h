// libdispatch's C interface on one deterministic loop an app: queues, groups, semaphores, work items, timers and the waits of libc.
// The executable defines these symbols, so Dispatch, OperationQueue and Foundation use them without any flag (decision 0019).
#pragma once
#include <stdint.h>

// The queues, timers and waiting stacks of one app.
typedef struct hd_loop hd_loop;

// What a loop asks of the executor that drives it. `owner` is handed back in each call.
typedef struct hd_driver {
    void *owner;
    // One more unit can run: hd_run_one(loop, on_main) will be called once for it, in the order of these calls.
    void (*post)(void *owner, int on_main);
    // Runs units until none is left or hd_is_handing_over says so.
    void (*run)(void *owner);
} hd_driver;

hd_loop *hd_loop_make(hd_driver driver);
// Ends the loop: stacks that still wait are ended without running on, blocks that never ran are released.
void hd_loop_free(hd_loop *loop);
// The loop that calls of this thread belong to (NULL: none, they go to the real library). Returns the one of before.
hd_loop *hd_enter(hd_loop *loop);

// Declares that the calling thread drives the loops of this process from now on: steps begin on it, on a fiber. Those that another thread
// drives begin on a thread of the pool. The first such thread stays the driver.
void hd_drive_here(void);
// Calls `run` on a stack of its own and returns when nothing is left to do: all is done, or all that is left waits.
void hd_step(hd_loop *loop);
// Runs the first unit that was posted for the main thread, or for another one.
void hd_run_one(hd_loop *loop, int on_main);
// The unit was the end of a wait: another stack goes on, and this one must return from `run` at once.
int hd_is_handing_over(hd_loop *loop);
// When the earliest timer or deadline is due, in virtual nanoseconds; INT64_MAX: there is none.
int64_t hd_next_timer(hd_loop *loop);
// Takes the earliest timer, if it is due now, and does what it is for.
void hd_fire(hd_loop *loop);

// Waits until the instant, as Thread.sleep does: for a run loop that is run by hand.
void hd_sleep_until(int64_t nanoseconds);
// Waits until the key is woken, or until the instant.
void hd_wait_until(const void *key, int64_t nanoseconds);
void hd_wake_waiter(const void *key);
// The number of the job or item that this stack runs, as its driver gave it: a wait does not change it.
void hd_begin_unit(uint64_t number);
uint64_t hd_current_unit(void);
// Stacks of this loop that wait.
int hd_waiting(hd_loop *loop);
/// Whether the loop has met an object other than the main queue.
int hd_has_objects(hd_loop *loop);
// Pooled stacks of the process, idle ones too; and how many ended in the middle of a wait because their loop ended.
int hd_stacks(void);
uint64_t hd_abandoned(void);
// Whether the real library is there for calls from outside every loop. It is not in a static link.
int hd_has_real_library(void);
