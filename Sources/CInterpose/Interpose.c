// Interposition of libc: these definitions live in the executable, so every library of the process binds to them.
#define _GNU_SOURCE
#include "CInterpose.h"
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/times.h>
#include <time.h>
#include <unistd.h>

#define SHOWN __attribute__((visibility("default")))

// Every participant of a process runs on one thread; another thread that asks gets the real machine.
static __thread hr_context *current;
static void (*leak_handler)(const char *);

hr_context *hr_enter(hr_context *next) {
    hr_context *before = current;
    current = next;
    return before;
}
hr_context *hr_current(void) { return current; }
static __thread void *owner;
void *hr_set_owner(void *next) {
    void *before = owner;
    owner = next;
    return before;
}
void *hr_owner(void) { return owner; }
static __thread int on_main = 1;
int hr_set_on_main(int next) {
    int before = on_main;
    on_main = next;
    return before;
}
int hr_on_main(void) { return on_main; }
void hr_on_leak(void (*handler)(const char *)) { leak_handler = handler; }
void hr_leak(const char *what) {
    current = NULL;
    if (leak_handler) leak_handler(what);
    fprintf(stderr, "homeroom: determinism leak: %s\n", what);
    abort();
}

static long raw_syscall(long n, long a, long b, long c, long d, long e, long f) {
    long result;
#if defined(__x86_64__)
    register long r10 __asm__("r10") = d;
    register long r8 __asm__("r8") = e;
    register long r9 __asm__("r9") = f;
    __asm__ volatile("syscall" : "=a"(result) : "a"(n), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
#elif defined(__aarch64__)
    register long x8 __asm__("x8") = n;
    register long x0 __asm__("x0") = a;
    register long x1 __asm__("x1") = b;
    register long x2 __asm__("x2") = c;
    register long x3 __asm__("x3") = d;
    register long x4 __asm__("x4") = e;
    register long x5 __asm__("x5") = f;
    __asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5) : "memory");
    result = x0;
#else
#error "unknown machine"
#endif
    return result;
}

static uint64_t draw(hr_context *c) {
    uint64_t z = (c->rng += 0x9e3779b97f4a7c15ull);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    z ^= z >> 31;
    c->drawn = (c->drawn ^ z) * 0x100000001b3ull;
    return z;
}
static ssize_t fill(hr_context *c, void *buffer, size_t length) {
    unsigned char *bytes = buffer;
    for (size_t at = 0; at < length; at += 8) {
        uint64_t number = draw(c);
        memcpy(bytes + at, &number, length - at < 8 ? length - at : 8);
    }
    return (ssize_t)length;
}

SHOWN long syscall(long n, ...) {
    va_list list;
    va_start(list, n);
    long a = va_arg(list, long), b = va_arg(list, long), c = va_arg(list, long);
    long d = va_arg(list, long), e = va_arg(list, long), f = va_arg(list, long);
    va_end(list);
    if (n == SYS_getrandom && current) return fill(current, (void *)a, (size_t)b);
    // The main thread's number is the process's (getpid below).
    if (n == SYS_gettid && current && on_main) return 1;
    long result = raw_syscall(n, a, b, c, d, e, f);
    if (result < 0 && result > -4096) {
        errno = (int)-result;
        return -1;
    }
    return result;
}
SHOWN ssize_t getrandom(void *buffer, size_t length, unsigned flags) {
    return syscall(SYS_getrandom, buffer, length, flags);
}
SHOWN int getentropy(void *buffer, size_t length) {
    return getrandom(buffer, length, 0) == (ssize_t)length ? 0 : -1;
}
SHOWN void arc4random_buf(void *buffer, size_t length) { (void)getrandom(buffer, length, 0); }
SHOWN uint32_t arc4random(void) {
    uint32_t number = 0;
    arc4random_buf(&number, sizeof number);
    return number;
}
// Without the numbers that would favour the small remainders.
SHOWN uint32_t arc4random_uniform(uint32_t bound) {
    if (bound < 2) return 0;
    uint32_t least = -bound % bound, number;
    do number = arc4random();
    while (number < least);
    return number % bound;
}
// The old generators keep one state a process, which apps of one process would share: inside a context they draw from it.
#define OLD_GENERATOR(type, name, drawn)                           \
    SHOWN type name(void) {                                        \
        if (current) return drawn;                                 \
        static type (*real)(void);                                 \
        if (!real) real = (type(*)(void))dlsym(RTLD_NEXT, #name); \
        return real();                                             \
    }
OLD_GENERATOR(int, rand, (int)(arc4random() & 0x7fffffff))
OLD_GENERATOR(long, random, (long)(arc4random() & 0x7fffffff))
OLD_GENERATOR(long, lrand48, (long)(arc4random() & 0x7fffffff))
OLD_GENERATOR(long, mrand48, (long)(int32_t)arc4random())
OLD_GENERATOR(double, drand48, (double)arc4random() / 4294967296.0)

// The library's own draws its letters past getrandom, and has a warning that a linker prints in every static build (Foundation calls it).
SHOWN char *mktemp(char *name) {
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    size_t length = strlen(name);
    if (length < 6 || strcmp(name + length - 6, "XXXXXX") != 0) {
        errno = EINVAL;
        if (length) *name = 0;
        return name;
    }
    for (int tries = 0; tries < 1000; tries++) {
        for (size_t i = length - 6; i < length; i++) name[i] = letters[arc4random_uniform(sizeof letters - 1)];
        if (access(name, F_OK) != 0 && errno == ENOENT) return name;
    }
    errno = EEXIST;
    *name = 0;
    return name;
}

static int virtual_time(clockid_t clock, struct timespec *out) {
    int64_t ns = current->now_ns + (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE ? current->epoch_ns : 0);
    out->tv_sec = ns / 1000000000;
    out->tv_nsec = ns % 1000000000;
    return 0;
}
SHOWN int clock_gettime(clockid_t clock, struct timespec *out) {
    if (current) return virtual_time(clock, out);
    return (int)syscall(SYS_clock_gettime, (long)clock, out);
}
SHOWN int gettimeofday(struct timeval *restrict out, void *restrict zone) {
    (void)zone;
    struct timespec time;
    clock_gettime(CLOCK_REALTIME, &time);
    out->tv_sec = time.tv_sec;
    out->tv_usec = time.tv_nsec / 1000;
    return 0;
}
SHOWN time_t time(time_t *out) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (out) *out = now.tv_sec;
    return now.tv_sec;
}
SHOWN int timespec_get(struct timespec *out, int base) {
    return base == TIME_UTC && clock_gettime(CLOCK_REALTIME, out) == 0 ? base : 0;
}
// What a process has used of its machine says nothing to a participant but how late it is.
SHOWN clock_t clock(void) { return (clock_t)((current ? current->now_ns : hr_cpu_ns()) / (1000000000 / CLOCKS_PER_SEC)); }
SHOWN clock_t times(struct tms *out) {
    if (!current) return (clock_t)syscall(SYS_times, out);
    if (out) memset(out, 0, sizeof *out);
    return (clock_t)(current->now_ns / 10000000);
}
SHOWN int getrusage(__rusage_who_t who, struct rusage *out) {
    if (!current) return (int)syscall(SYS_getrusage, (long)who, out);
    memset(out, 0, sizeof *out);
    return 0;
}
// One process in `sim`, many in `fleet`: to a participant it has no number.
SHOWN pid_t getpid(void) { return current ? 1 : (pid_t)syscall(SYS_getpid); }
SHOWN pid_t gettid(void) { return (pid_t)syscall(SYS_gettid); }
int64_t hr_real_ns(void) {
    struct timespec time;
    raw_syscall(SYS_clock_gettime, CLOCK_MONOTONIC, (long)&time, 0, 0, 0, 0);
    return time.tv_sec * 1000000000ll + time.tv_nsec;
}
int64_t hr_wall_ns(void) {
    struct timespec time;
    raw_syscall(SYS_clock_gettime, CLOCK_REALTIME, (long)&time, 0, 0, 0, 0);
    return time.tv_sec * 1000000000ll + time.tv_nsec;
}
int64_t hr_cpu_ns(void) {
    struct timespec time;
    raw_syscall(SYS_clock_gettime, CLOCK_PROCESS_CPUTIME_ID, (long)&time, 0, 0, 0, 0);
    return time.tv_sec * 1000000000ll + time.tv_nsec;
}

// UUID() reads /dev/urandom: inside a context it reads a file of seeded bytes instead. It ends, which the device does not (ASSUMED: nobody
// reads more than a page at a time).
static int is_entropy(const char *path) {
    return current && path && (!strcmp(path, "/dev/urandom") || !strcmp(path, "/dev/random"));
}
static int open_any(int folder, const char *path, int flags, int mode) {
    if (is_entropy(path)) {
        unsigned char bytes[4096];
        fill(current, bytes, sizeof bytes);
        int fd = (int)syscall(SYS_memfd_create, "entropy", 1);
        if (fd >= 0) {
            (void)!write(fd, bytes, sizeof bytes);
            lseek(fd, 0, SEEK_SET);
        }
        return fd;
    }
    return (int)syscall(SYS_openat, (long)folder, path, (long)flags, (long)mode);
}
SHOWN int open(const char *path, int flags, ...) {
    va_list list;
    va_start(list, flags);
    int mode = va_arg(list, int);
    va_end(list);
    return open_any(AT_FDCWD, path, flags, mode);
}
SHOWN int open64(const char *path, int flags, ...) {
    va_list list;
    va_start(list, flags);
    int mode = va_arg(list, int);
    va_end(list);
    return open_any(AT_FDCWD, path, flags, mode);
}
SHOWN int openat(int folder, const char *path, int flags, ...) {
    va_list list;
    va_start(list, flags);
    int mode = va_arg(list, int);
    va_end(list);
    return open_any(folder, path, flags, mode);
}
SHOWN int openat64(int folder, const char *path, int flags, ...) {
    va_list list;
    va_start(list, flags);
    int mode = va_arg(list, int);
    va_end(list);
    return open_any(folder, path, flags, mode);
}
// libc's own fopen calls open inside of libc, where nothing can step in.
static FILE *open_stream(const char *path, const char *mode, const char *name) {
    if (is_entropy(path)) return fdopen(open_any(AT_FDCWD, path, O_RDONLY, 0), "r");
    FILE *(*real)(const char *, const char *) = (FILE * (*)(const char *, const char *)) dlsym(RTLD_NEXT, name);
    return real(path, mode);
}
SHOWN FILE *fopen(const char *restrict path, const char *restrict mode) { return open_stream(path, mode, "fopen"); }
SHOWN FILE *fopen64(const char *restrict path, const char *restrict mode) { return open_stream(path, mode, "fopen64"); }

// A thread would bring its own order into a participant: named and refused.
SHOWN int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*body)(void *), void *argument) {
    static int (*real)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    if (current) {
        char library[256], app[256], text[800];
        hr_name_caller(library, app, sizeof app);
        snprintf(text, sizeof text,
                 "a thread was started inside a deterministic participant, by %s%s%s; use DispatchQueue, OperationQueue or "
                 "async/await, which run on the app's loop, instead of threads of its own",
                 library, app[0] ? ", called by " : "", app);
        hr_leak(text);
    }
    if (!real) real = (int (*)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *))dlsym(RTLD_NEXT, "pthread_create");
    return real(thread, attributes, body, argument);
}
