// Whose code called: names for the message about a thread that must not start.
#define _GNU_SOURCE
#include "CInterpose.h"
#include <dlfcn.h>
#include <elf.h>
#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

// Of the runtime, which every executable here has.
extern char *swift_demangle(const char *name, size_t length, char *out, size_t *size, uint32_t flags);

// The function of this executable around an offset from its start, by the file's symbol table: the loader knows only what is exported.
static const char *own_function(uintptr_t offset) {
    static const char *file;
    static size_t length;
    if (!file) {
        int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
        struct stat status;
        if (fd < 0 || fstat(fd, &status) != 0) return NULL;
        void *bytes = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        close(fd);
        if (bytes == MAP_FAILED) return NULL;
        file = bytes;
        length = (size_t)status.st_size;
    }
    const ElfW(Ehdr) *head = (const ElfW(Ehdr) *)file;
    if (length < sizeof *head || head->e_shoff == 0 || head->e_shoff + head->e_shnum * sizeof(ElfW(Shdr)) > length) return NULL;
    const ElfW(Shdr) *sections = (const ElfW(Shdr) *)(file + head->e_shoff);
    for (int i = 0; i < head->e_shnum; i++) {
        if (sections[i].sh_type != SHT_SYMTAB || sections[i].sh_link >= head->e_shnum) continue;
        const ElfW(Sym) *symbols = (const ElfW(Sym) *)(file + sections[i].sh_offset);
        const char *names = file + sections[sections[i].sh_link].sh_offset;
        for (size_t s = 0; s < sections[i].sh_size / sizeof *symbols; s++) {
            const ElfW(Sym) *symbol = &symbols[s];
            if ((symbol->st_info & 15) != STT_FUNC || offset < symbol->st_value) continue;
            if (offset < symbol->st_value + symbol->st_size) return names + symbol->st_name;
        }
    }
    return NULL;
}
static const char *function_at(void *address) {
    Dl_info where;
    if (!dladdr(address, &where)) return NULL;
    if (where.dli_sname) return where.dli_sname;
    return own_function((uintptr_t)address - (uintptr_t)where.dli_fbase);
}
// Of a library that apps call; in a static link it lies in this executable too.
static int is_of_library(const char *name) {
    static const char *const starts[] = {"$s10Foundation", "$s20FoundationEssentials", "$s8Dispatch", "$sS", "$ss"};
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        if (strncmp(name, starts[i], strlen(starts[i])) == 0) return 1;
    return strncmp(name, "$s", 2) != 0;
}
static void readable(const char *name, char *out, size_t size) {
    char *demangled = name ? swift_demangle(name, strlen(name), NULL, NULL, 0) : NULL;
    snprintf(out, size, "%s", demangled ? demangled : name ? name : "a private function");
    free(demangled);
}
void hr_name_caller(char *library, char *app, size_t size) {
    void *frames[64];
    int count = backtrace(frames, 64);
    const char *last = NULL;
    *app = 0;
    // The first two are this one and who asks.
    for (int i = 2; i < count; i++) {
        // A return address may lie behind the last instruction of its function.
        const char *name = function_at((char *)frames[i] - 1);
        if (!name) continue;
        if (!is_of_library(name)) {
            readable(name, app, size);
            break;
        }
        if (!last || strncmp(name, "$s", 2) == 0) last = name;
    }
    readable(last, library, size);
}
