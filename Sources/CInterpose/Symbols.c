// The executable's own table of symbols: how its author's methods are called, which Swift tells nobody at run time.
#include "CInterpose.h"
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

// Of Swift's runtime (stdlib/public/runtime, Demangle).
extern char *swift_demangle(const char *name, size_t length, char *buffer, size_t *size, uint32_t flags);

char *hr_demangled(const char *name) { return swift_demangle(name, strlen(name), NULL, NULL, 0); }

static void walk(const char *file, size_t size, const char *prefix, void *context, void (*each)(void *, const char *)) {
    const ElfW(Ehdr) *head = (const void *)file;
    if (size < sizeof *head || memcmp(head->e_ident, ELFMAG, SELFMAG) || head->e_shentsize != sizeof(ElfW(Shdr))) return;
    if (head->e_shoff > size || (size - head->e_shoff) / sizeof(ElfW(Shdr)) < head->e_shnum) return;
    const ElfW(Shdr) *sections = (const void *)(file + head->e_shoff);
    size_t length = strlen(prefix);
    for (size_t i = 0; i < head->e_shnum; i++) {
        const ElfW(Shdr) *table = &sections[i];
        if (table->sh_type != SHT_SYMTAB || table->sh_link >= head->e_shnum) continue;
        const ElfW(Shdr) *names = &sections[table->sh_link];
        if (table->sh_offset > size || table->sh_size > size - table->sh_offset) continue;
        if (names->sh_offset > size || names->sh_size > size - names->sh_offset || names->sh_size == 0) continue;
        const char *text = file + names->sh_offset;
        if (text[names->sh_size - 1]) continue;
        const ElfW(Sym) *symbols = (const void *)(file + table->sh_offset);
        for (size_t n = 0; n < table->sh_size / sizeof *symbols; n++)
            if (symbols[n].st_name < names->sh_size && !strncmp(text + symbols[n].st_name, prefix, length))
                each(context, text + symbols[n].st_name);
    }
}

void hr_own_symbols(const char *prefix, void *context, void (*each)(void *context, const char *name)) {
    int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    struct stat file;
    if (fd < 0) return;
    if (!fstat(fd, &file) && file.st_size > 0) {
        void *bytes = mmap(NULL, (size_t)file.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (bytes != MAP_FAILED) {
            walk(bytes, (size_t)file.st_size, prefix, context, each);
            munmap(bytes, (size_t)file.st_size);
        }
    }
    close(fd);
}
