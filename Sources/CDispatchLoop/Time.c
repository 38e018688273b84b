// dispatch_time_t: one number for three clocks. Plain is uptime, with the top bit alone the monotonic clock, negative the calendar's.
#define _GNU_SOURCE
#include "Inside.h"
#include <time.h>

enum clock { UPTIME, MONOTONIC, WALL };
// 0 means "now" and 1 is kept free, so no instant is less.
enum { LEAST = 2 };

static uint64_t wall_now(void) {
    struct timespec time;
    clock_gettime(CLOCK_REALTIME, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}
static enum clock unpack(uint64_t when, uint64_t *value) {
    if (!(when >> 63)) {
        *value = when ? when : hd_now();
        return UPTIME;
    }
    if (!(when >> 62 & 1)) {
        *value = when << 1 ? when & ~(1ull << 63) : hd_now();
        return MONOTONIC;
    }
    // DISPATCH_WALLTIME_NOW is ~1.
    *value = when == ~1ull ? wall_now() : (uint64_t) - (int64_t)when;
    return WALL;
}
static uint64_t pack(enum clock clock, uint64_t value) {
    if (clock == WALL) return (uint64_t) - (int64_t)value;
    return clock == MONOTONIC ? value | 1ull << 63 : value;
}
SHOWN uint64_t dispatch_time(uint64_t when, int64_t delta) {
    if (when == UINT64_MAX) return when;
    uint64_t value;
    enum clock clock = unpack(when, &value);
    int64_t sum;
    if (__builtin_add_overflow((int64_t)value, delta, &sum) || sum >= (int64_t)1 << 62)
        return delta > 0 ? UINT64_MAX : pack(clock, LEAST);
    return pack(clock, sum < LEAST ? LEAST : (uint64_t)sum);
}
SHOWN uint64_t dispatch_walltime(const struct timespec *when, int64_t delta) {
    int64_t base = (int64_t)wall_now(), sum;
    if (when
        && (__builtin_mul_overflow((int64_t)when->tv_sec, (int64_t)1000000000, &base)
            || __builtin_add_overflow(base, (int64_t)when->tv_nsec, &base)))
        return when->tv_sec > 0 ? UINT64_MAX : pack(WALL, LEAST);
    if (__builtin_add_overflow(base, delta, &sum)) return delta > 0 ? UINT64_MAX : pack(WALL, LEAST);
    return sum < LEAST ? pack(WALL, LEAST) : pack(WALL, (uint64_t)sum);
}
uint64_t hd_instant(uint64_t when) {
    if (when == UINT64_MAX) return when;
    uint64_t value;
    if (unpack(when, &value) != WALL) return value;
    uint64_t wall = wall_now(), now = hd_now();
    return value <= wall ? now : now + (value - wall);
}
