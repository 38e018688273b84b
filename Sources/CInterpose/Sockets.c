// Sockets and epoll for the fault proxy. Linux only.
#define _GNU_SOURCE
#include "Sockets.h"
#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int hr_resolve(const char *host, const char *port, int to_listen, hr_address *out) {
    struct addrinfo wanted = {.ai_socktype = SOCK_STREAM, .ai_flags = to_listen ? AI_PASSIVE : 0}, *found = NULL;
    int error = getaddrinfo(host[0] ? host : NULL, port, &wanted, &found);
    if (error) return error;
    const struct addrinfo *one = found;
    while (one && one->ai_family != AF_INET) one = one->ai_next;
    if (!one) one = found;
    out->length = one->ai_addrlen;
    memcpy(out->bytes, one->ai_addr, one->ai_addrlen);
    freeaddrinfo(found);
    return 0;
}

static int open_socket(const hr_address *address) {
    int fd = socket(((const struct sockaddr *)address->bytes)->sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    return fd < 0 ? -errno : fd;
}
static void switch_on(int fd, int level, int option) {
    int on = 1;
    setsockopt(fd, level, option, &on, sizeof on);
}

int hr_listen(const hr_address *address) {
    int fd = open_socket(address);
    if (fd < 0) return fd;
    switch_on(fd, SOL_SOCKET, SO_REUSEADDR);
    if (bind(fd, (const struct sockaddr *)address->bytes, address->length) || listen(fd, 4096)) {
        int error = -errno;
        close(fd);
        return error;
    }
    return fd;
}
int hr_local_port(int fd) {
    struct sockaddr_storage address;
    socklen_t length = sizeof address;
    if (getsockname(fd, (struct sockaddr *)&address, &length)) return -errno;
    return ntohs(address.ss_family == AF_INET6 ? ((struct sockaddr_in6 *)&address)->sin6_port
                                               : ((struct sockaddr_in *)&address)->sin_port);
}

int hr_accept(int listener, char *from, size_t length) {
    struct sockaddr_storage address;
    socklen_t size = sizeof address;
    int fd = accept4(listener, (struct sockaddr *)&address, &size, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd < 0) return -errno;
    switch_on(fd, IPPROTO_TCP, TCP_NODELAY);
    switch_on(fd, SOL_SOCKET, SO_KEEPALIVE);
    from[0] = 0;
    if (address.ss_family == AF_INET)
        inet_ntop(AF_INET, &((struct sockaddr_in *)&address)->sin_addr, from, (socklen_t)length);
    else if (address.ss_family == AF_INET6)
        inet_ntop(AF_INET6, &((struct sockaddr_in6 *)&address)->sin6_addr, from, (socklen_t)length);
    return fd;
}

int hr_connect(const hr_address *address) {
    int fd = open_socket(address);
    if (fd < 0) return fd;
    switch_on(fd, IPPROTO_TCP, TCP_NODELAY);
    switch_on(fd, SOL_SOCKET, SO_KEEPALIVE);
    if (connect(fd, (const struct sockaddr *)address->bytes, address->length) && errno != EINPROGRESS) {
        int error = -errno;
        close(fd);
        return error;
    }
    return fd;
}
int hr_socket_error(int fd) {
    int error = 0;
    socklen_t length = sizeof error;
    return getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &length) ? -errno : -error;
}

ssize_t hr_receive(int fd, void *buffer, size_t length) {
    ssize_t count;
    do count = recv(fd, buffer, length, MSG_DONTWAIT);
    while (count < 0 && errno == EINTR);
    return count < 0 ? -errno : count;
}
ssize_t hr_send(int fd, const void *buffer, size_t length) {
    ssize_t count;
    do count = send(fd, buffer, length, MSG_DONTWAIT | MSG_NOSIGNAL);
    while (count < 0 && errno == EINTR);
    return count < 0 ? -errno : count;
}
void hr_end_writing(int fd) { shutdown(fd, SHUT_WR); }
void hr_tear_down(int fd) {
    struct linger at_once = {1, 0};
    setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    close(fd);
}

int hr_poller(void) {
    int fd = epoll_create1(EPOLL_CLOEXEC);
    return fd < 0 ? -errno : fd;
}
int hr_watch(int poller, int fd, uint64_t key, uint32_t what, int watched) {
    struct epoll_event event = {.data.u64 = key};
    if (what & HR_READABLE) event.events |= EPOLLIN;
    if (what & HR_WRITABLE) event.events |= EPOLLOUT;
    int deed = what == 0 ? EPOLL_CTL_DEL : watched ? EPOLL_CTL_MOD : EPOLL_CTL_ADD;
    return epoll_ctl(poller, deed, fd, &event) ? -errno : 0;
}

// Waits may end 50 microseconds late by themselves: a thread's timer slack, which would be added to every delay.
static void wait_without_slack(void) {
    static __thread int is_exact;
    if (is_exact) return;
    is_exact = 1;
    prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
}
// Nanoseconds where the kernel has them; whole milliseconds, never too early, where it has not.
static int wait_exactly(int poller, struct epoll_event *events, int most, int64_t nanoseconds) {
    static int is_missing;
    if (nanoseconds < 0) return epoll_wait(poller, events, most, -1);
    wait_without_slack();
#ifdef SYS_epoll_pwait2
    if (!is_missing) {
        struct timespec limit = {nanoseconds / 1000000000, nanoseconds % 1000000000};
        long count = syscall(SYS_epoll_pwait2, poller, events, most, &limit, NULL, 0);
        if (count >= 0 || errno != ENOSYS) return (int)count;
        is_missing = 1;
    }
#endif
    int64_t milliseconds = (nanoseconds + 999999) / 1000000;
    return epoll_wait(poller, events, most, milliseconds > 3600000 ? 3600000 : (int)milliseconds);
}
int hr_wait_ready(int poller, hr_ready *out, int most, int64_t nanoseconds) {
    struct epoll_event events[256];
    int count = wait_exactly(poller, events, most > 256 ? 256 : most, nanoseconds);
    if (count < 0) return errno == EINTR ? 0 : -errno;
    for (int at = 0; at < count; at++) {
        uint32_t seen = events[at].events;
        out[at].key = events[at].data.u64;
        out[at].what = (seen & EPOLLIN ? HR_READABLE : 0) | (seen & EPOLLOUT ? HR_WRITABLE : 0) |
                       (seen & (EPOLLERR | EPOLLHUP) ? HR_GONE : 0);
    }
    return count;
}
int hr_waker(void) {
    int fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    return fd < 0 ? -errno : fd;
}
void hr_wake(int waker) {
    uint64_t one = 1;
    (void)!write(waker, &one, sizeof one);
}
