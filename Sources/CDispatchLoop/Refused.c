// What the real library does for a process and a loop cannot do for an app: refused inside, passed on outside.
#include "Inside.h"
#include <stdint.h>
#include <sys/eventfd.h>

typedef intptr_t word;
// Six words carry the arguments of each of these functions on every machine that we know.
#define REFUSED(name, twin_of)                                                                             \
    SHOWN word name(word a, word b, word c, word d, word e, word f) {                                       \
        if (hd_entered())                                                                                   \
            hd_refuse("DispatchIO (" #name ") was used inside an app, where descriptors belong to the machine; " \
                      "use FileManager or FileHandle");                                                     \
        twin_of;                                                                                            \
        return REAL(name, word, (word, word, word, word, word, word))(a, b, c, d, e, f);                    \
    }
// The queue of a call.
#define QUEUE(argument) argument = (word)hd_twin((void *)argument)
REFUSED(dispatch_io_barrier, )
REFUSED(dispatch_io_close, )
REFUSED(dispatch_io_create, QUEUE(c))
REFUSED(dispatch_io_create_with_io, QUEUE(c))
REFUSED(dispatch_io_create_with_path, QUEUE(e))
REFUSED(dispatch_io_get_descriptor, )
REFUSED(dispatch_io_read, QUEUE(d))
REFUSED(dispatch_io_set_high_water, )
REFUSED(dispatch_io_set_interval, )
REFUSED(dispatch_io_set_low_water, )
REFUSED(dispatch_io_write, QUEUE(d))
REFUSED(dispatch_read, QUEUE(c))
REFUSED(dispatch_write, QUEUE(c))

// The doors of CFRunLoop and of the runtime.
// In a static link a descriptor that is never ready: CFRunLoop watches it.
static int silent_descriptor(void) {
    static int fd = -1;
    if (fd < 0) fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    return fd;
}
SHOWN int _dispatch_get_main_queue_port_4CF(void) {
    if (!hd_real("_dispatch_get_main_queue_port_4CF")) return silent_descriptor();
    return REAL(_dispatch_get_main_queue_port_4CF, int, (void))();
}
SHOWN int _dispatch_get_main_queue_handle_4CF(void) {
    if (!hd_real("_dispatch_get_main_queue_handle_4CF")) return silent_descriptor();
    return REAL(_dispatch_get_main_queue_handle_4CF, int, (void))();
}
SHOWN void _dispatch_main_queue_callback_4CF(void *message) {
    hd_loop *loop = hd_here();
    if (!loop) return REAL(_dispatch_main_queue_callback_4CF, void, (void *))(message);
    if (hd_entered()) return;
    hd_lane *main = hd_lane_of(loop, hd_main_queue());
    while (main->first && !main->running && !main->suspended) hd_run_one(loop, 1);
}
SHOWN void libdispatch_init(void) {
    if (hd_real("libdispatch_init")) REAL(libdispatch_init, void, (void))();
}
