// A program with pipes to its input and output, for apps that are no part of the executable.
#define _GNU_SOURCE
#include "CInterpose.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static void close_both(const int fds[2]) {
    close(fds[0]);
    close(fds[1]);
}

// The child shares our memory until it executes: it calls nothing that takes a lock, and tells its error through `failed`. It is not forked as
// others are, because a worker of `sim` holds a whole fleet, and each launch of an app would copy its page tables.
pid_t hr_spawn_program(const char *folder, char *const arguments[], char *const environment[], int ends[2]) {
    int in[2], out[2];
    if (pipe2(in, O_CLOEXEC)) return -errno;
    if (pipe2(out, O_CLOEXEC)) {
        int error = errno;
        close_both(in);
        return -error;
    }
    volatile int failed = 0;
    // No handler of ours may run in the child.
    sigset_t all, before;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &before);
    pid_t pid = vfork();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        struct sigaction standard = {.sa_handler = SIG_DFL};
        for (int number = 1; number < 32; number++) sigaction(number, &standard, NULL);
        if (dup2(in[0], 0) < 0 || dup2(out[1], 1) < 0 || chdir(folder)) {
            failed = errno;
            _exit(127);
        }
        syscall(SYS_close_range, 3U, ~0U, 0U);
        sigset_t none;
        sigemptyset(&none);
        sigprocmask(SIG_SETMASK, &none, NULL);
        execvpe(arguments[0], arguments, environment);
        failed = errno;
        _exit(127);
    }
    int error = pid < 0 ? errno : failed;
    sigprocmask(SIG_SETMASK, &before, NULL);
    close(in[0]);
    close(out[1]);
    if (error) {
        if (pid > 0) hr_wait(pid, 1);
        close(in[1]);
        close(out[0]);
        return -error;
    }
    ends[0] = out[0];
    ends[1] = in[1];
    for (int i = 0; i < 2; i++) fcntl(ends[i], F_SETFL, fcntl(ends[i], F_GETFL) | O_NONBLOCK);
    return pid;
}
