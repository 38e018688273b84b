// Non-blocking sockets and one epoll loop, for whoever carries real bytes. Failures are -errno unless said otherwise.
#pragma once
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

// An address with its port, as getaddrinfo gave it.
typedef struct hr_address {
    uint32_t length;
    unsigned char bytes[128];
} hr_address;

// An address of a name: the first of IPv4, where most servers listen that are called by a name as localhost; without such a one the first. 0, or getaddrinfo's own error for gai_strerror.
int hr_resolve(const char *host, const char *port, int to_listen, hr_address *out);
// A listening socket; its port where 0 was asked for.
int hr_listen(const hr_address *address);
int hr_local_port(int socket);
// The next connection, without delay for small packets; `from` gets the peer's address as text.
int hr_accept(int socket, char *from, size_t length);
// Begins to connect; the socket becomes writable when it is decided, hr_socket_error tells how (0: connected).
int hr_connect(const hr_address *address);
int hr_socket_error(int socket);
ssize_t hr_receive(int socket, void *buffer, size_t length);
ssize_t hr_send(int socket, const void *buffer, size_t length);
// No more bytes from us (the peer reads an end), or the end of the connection under the peer's hands; the latter closes.
void hr_end_writing(int socket);
void hr_tear_down(int socket);

enum { HR_READABLE = 1, HR_WRITABLE = 2, HR_GONE = 4 };
typedef struct hr_ready {
    uint64_t key;
    uint32_t what;
} hr_ready;
int hr_poller(void);
// What to watch a descriptor for (HR_GONE, which is always told, for nothing else); 0 and `watched` ends it. `watched`: whether it is watched already.
int hr_watch(int poller, int fd, uint64_t key, uint32_t what, int watched);
// Waits so many nanoseconds at most (negative: for ever). Number of ready descriptors; 0 also after a signal.
int hr_wait_ready(int poller, hr_ready *out, int most, int64_t nanoseconds);
// A descriptor that hr_wake makes readable, from any thread or signal handler.
int hr_waker(void);
void hr_wake(int waker);
