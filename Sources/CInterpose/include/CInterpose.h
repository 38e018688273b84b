// Clocks, entropy and threads of a deterministic participant; processes and descriptors of the hosts. Linux only.
#pragma once
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include "Sockets.h"

// One participant's private clock and entropy. While a context is entered, every clock and every random byte of the
// process comes from it, and a thread is a leak. The executable defines the libc symbols, so no linker flag is needed.
typedef struct hr_context {
    int64_t now_ns;        // virtual nanoseconds since the run began
    int64_t epoch_ns;      // what CLOCK_REALTIME shows at now_ns == 0
    uint64_t rng;          // SplitMix64 state of this participant's stream
    uint64_t drawn;        // rolling digest of all entropy drawn
} hr_context;

// Enters `next` (NULL: the real machine) and returns what was entered before.
hr_context *hr_enter(hr_context *next);
hr_context *hr_current(void);
// What the context of this thread belongs to, for whoever entered it; per thread, because tests run loops side by side.
void *hr_set_owner(void *next);
void *hr_owner(void);
// Whether the code that runs on this thread is that of an app's main thread, as which it sees itself (gettid, Thread.isMainThread). 1 at first.
int hr_set_on_main(int next);
int hr_on_main(void);
// Called instead of starting a thread inside a context. Must not return.
void hr_on_leak(void (*handler)(const char *what));
// Who called the function that asks: the outermost function of a library, and the app's function that called it ("" when there is none).
void hr_name_caller(char *library, char *app, size_t size);
// Reports a leak by hand, with the same handler.
void hr_leak(const char *what);

// fork, with the child bound to die with its parent. Returns as fork does.
pid_t hr_fork_bound(void);
// Another program as a child bound to die with its parent: arguments end with NULL, what it prints is appended to `log`; it inherits the
// descriptor `kept`, if that is not negative. Returns as fork does; a program that cannot be executed ends with 127 and says why in `log`.
pid_t hr_spawn_bound(const char *program, char *const arguments[], const char *log, int kept);
// The same with another environment, which ends with NULL.
pid_t hr_spawn_bound_in(
    const char *program, char *const arguments[], char *const environment[], const char *log, int kept);
// A program as a child bound to die with its parent, with its working directory and all of its environment; found by PATH where its name has no
// slash. Its standard error is ours. `ends`: what it prints is read from the first, what it reads is written to the second; neither blocks.
// Its process, or -errno.
pid_t hr_spawn_program(const char *folder, char *const arguments[], char *const environment[], int ends[2]);
// Whether a child has ended: its wait status in `status` and 1, 0 while it runs, -1 when it is no child.
int hr_has_ended(pid_t pid, int *status);
// What the process prints reaches its descriptor line by line: a killed participant must not take its log along.
void hr_line_buffered_output(void);
// Writes out what was printed. 0 when standard output has taken all of it, or its reader has left; else the error, -1 for an earlier one that
// nobody looked at: what it met was dropped, and the C library remembers no more of it.
int hr_output_error(void);
// Of the file of this executable (FNV-1a): tells builds apart, proves nothing. 0 when it cannot be read.
uint64_t hr_own_digest(void);
// A name of Swift's, readable; NULL for one that is none. The caller frees it.
char *hr_demangled(const char *name);
// Calls `each` with every name in this executable's own table of symbols that begins with `prefix`; nothing in one that was stripped.
void hr_own_symbols(const char *prefix, void *context, void (*each)(void *context, const char *name));
// A pipe: what is written to the second is read from the first. 0 or -errno.
int hr_pipe(int fds[2]);
// Two connected stream sockets. 0 or -errno.
int hr_socketpair(int fds[2]);
// Passes a descriptor with one byte over a UNIX socket. 0 or -errno; hr_receive_fd gives the descriptor or -errno.
int hr_send_fd(int socket, int fd);
int hr_receive_fd(int socket);
// From now on a read of the socket waits so long at most. 0 or -errno.
int hr_limit_waiting(int fd, int milliseconds);
// Bytes read, 0 end of file, -2 nothing came within the limit, -1 error.
ssize_t hr_read_some(int fd, void *buffer, size_t length);
// Whole buffers. hr_read_all: 1 done, else as hr_read_some.
int hr_read_all(int fd, void *buffer, size_t length);
int hr_write_all(int fd, const void *buffer, size_t length);
// Kills and reaps a child; its wait status, or -1.
int hr_wait(pid_t pid, int block);
// A page shared with the children forked later; NULL on failure.
void *hr_shared_page(void);
// Real monotonic nanoseconds, also inside a context.
int64_t hr_real_ns(void);
// What the machine's calendar clock shows, ns since 1970, also inside a context.
int64_t hr_wall_ns(void);
// Nanoseconds of CPU that this process has used, also inside a context.
int64_t hr_cpu_ns(void);
// A port of 127.0.0.1 on which nobody listens, or -errno. Whoever wants it must take it soon.
int hr_free_port(void);
