// Processes and descriptors for the fleet host.
#define _GNU_SOURCE
#include "CInterpose.h"
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

pid_t hr_fork_bound(void) {
    pid_t parent = getpid();
    pid_t pid = fork();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        // The parent may have died before the line above took effect.
        if (getppid() != parent) _exit(0);
    }
    return pid;
}

static void say(const char *words) {
    ssize_t written = write(2, words, strlen(words));
    (void)written;
}
pid_t hr_spawn_bound(const char *program, char *const arguments[], const char *log, int kept) {
    return hr_spawn_bound_in(program, arguments, environ, log, kept);
}
pid_t hr_spawn_bound_in(
    const char *program, char *const arguments[], char *const environment[], const char *log, int kept) {
    pid_t pid = hr_fork_bound();
    if (pid != 0) return pid;
    // Ignored signals and blocked ones would outlive exec.
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    for (int number = 1; number < 32; number++) signal(number, SIG_DFL);
    // A limit on the size of files is an error of a write, not the end of who writes.
    signal(SIGXFSZ, SIG_IGN);
    int fd = open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    if (fd < 0) fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
    dup2(fd, 1);
    dup2(fd, 2);
    if (kept >= 0) fcntl(kept, F_SETFD, 0);
    execve(program, arguments, environment);
    // The log is where its starter looks. Between fork and exec nothing may take a lock: no printf.
    const char *reason = strerrordesc_np(errno);
    say(program);
    say(" cannot be executed: ");
    say(reason ? reason : "no reason is known");
    say("\n");
    _exit(127);
}
int hr_has_ended(pid_t pid, int *status) {
    pid_t got;
    do got = waitpid(pid, status, WNOHANG);
    while (got < 0 && errno == EINTR);
    return got == pid ? 1 : (int)got;
}

void hr_line_buffered_output(void) { setvbuf(stdout, NULL, _IOLBF, 0); }

int hr_output_error(void) {
    int error = fflush(stdout) == 0 ? -1 : errno;
    if (!ferror(stdout) || error == EPIPE) return 0;
    struct pollfd reader = {.fd = fileno(stdout)};
    int has_left = poll(&reader, 1, 0) > 0 && (reader.revents & (POLLERR | POLLHUP));
    return error < 0 && has_left ? 0 : error;
}

uint64_t hr_own_digest(void) {
    FILE *file = fopen("/proc/self/exe", "re");
    if (!file) return 0;
    uint64_t digest = 0xcbf29ce484222325;
    static unsigned char part[1 << 16];
    for (size_t count; (count = fread(part, 1, sizeof part, file)) > 0;)
        for (size_t i = 0; i < count; i++) digest = (digest ^ part[i]) * 0x100000001b3;
    fclose(file);
    return digest;
}

int hr_pipe(int fds[2]) { return pipe2(fds, O_CLOEXEC) ? -errno : 0; }
int hr_socketpair(int fds[2]) { return socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) ? -errno : 0; }

int hr_send_fd(int socket, int fd) {
    char byte = 0, control[CMSG_SPACE(sizeof fd)] = {0};
    struct iovec data = {&byte, 1};
    struct msghdr message = {.msg_iov = &data, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof fd);
    memcpy(CMSG_DATA(header), &fd, sizeof fd);
    return sendmsg(socket, &message, MSG_NOSIGNAL) == 1 ? 0 : -errno;
}
int hr_receive_fd(int socket) {
    char byte, control[CMSG_SPACE(sizeof(int))];
    struct iovec data = {&byte, 1};
    struct msghdr message = {.msg_iov = &data, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
    ssize_t got;
    do got = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
    while (got < 0 && errno == EINTR);
    if (got != 1) return got == 0 ? -EPIPE : -errno;
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    if (!header || header->cmsg_type != SCM_RIGHTS) return -EPROTO;
    int fd;
    memcpy(&fd, CMSG_DATA(header), sizeof fd);
    return fd;
}

int hr_limit_waiting(int fd, int milliseconds) {
    struct timeval limit = {milliseconds / 1000, milliseconds % 1000 * 1000};
    return setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit) ? -errno : 0;
}
ssize_t hr_read_some(int fd, void *buffer, size_t length) {
    for (;;) {
        ssize_t got = read(fd, buffer, length);
        if (got >= 0) return got;
        if (errno == EINTR) continue;
        if (errno == EAGAIN) return -2;
        return errno == ECONNRESET ? 0 : -1;
    }
}
int hr_read_all(int fd, void *buffer, size_t length) {
    char *at = buffer;
    while (length > 0) {
        ssize_t got = hr_read_some(fd, at, length);
        if (got <= 0) return (int)got;
        at += got;
        length -= (size_t)got;
    }
    return 1;
}
int hr_write_all(int fd, const void *buffer, size_t length) {
    const char *at = buffer;
    while (length > 0) {
        ssize_t put = send(fd, at, length, MSG_NOSIGNAL);
        if (put < 0 && errno == ENOTSOCK) put = write(fd, at, length);
        if (put < 0) {
            if (errno == EINTR) continue;
            return -errno;
        }
        at += put;
        length -= (size_t)put;
    }
    return 0;
}
int hr_wait(pid_t pid, int block) {
    int status = 0;
    pid_t got;
    do got = waitpid(pid, &status, block ? 0 : WNOHANG);
    while (got < 0 && errno == EINTR);
    return got == pid ? status : -1;
}
void *hr_shared_page(void) {
    void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return page == MAP_FAILED ? NULL : page;
}
// Below the ports that Linux gives to outgoing connections: while a server is down, one of its own clients could otherwise be given its
// port and even connect to itself.
int hr_free_port(void) {
    enum { first = 20000, count = 12000 };
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    for (int i = 0, start = getpid(); i < count; i++) {
        int port = first + (start + i) % count, fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        if (fd < 0) return -errno;
        address.sin_port = htons(port);
        int taken = bind(fd, (struct sockaddr *)&address, sizeof address);
        close(fd);
        if (!taken) return port;
    }
    return -EADDRINUSE;
}
