/* Memory that ends where no memory is: a byte read or written behind it ends the process, whoever does it. */
#ifndef FENCE_H
#define FENCE_H

#define _DEFAULT_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* `size` bytes up to a page that cannot be touched; never freed. With `align` bytes alignment they end a little before
 * it if the size is no multiple of that. */
static inline void *fenced(size_t size, size_t align)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t room = (size + align + page - 1) / page * page;
    char *memory = mmap(NULL, room + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED || mprotect(memory + room, page, PROT_NONE) != 0) {
        perror("mmap");
        exit(2);
    }
    return memory + (room - size) / align * align;
}

/* The bytes of a file; freed by the caller. */
static inline unsigned char *read_file(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    unsigned char *bytes;
    long end;
    if (!file || fseek(file, 0, SEEK_END) != 0 || (end = ftell(file)) < 0) {
        perror(path);
        exit(2);
    }
    rewind(file);
    *size = (size_t)end;
    bytes = malloc(*size + 1);
    if (!bytes || fread(bytes, 1, *size, file) != *size) {
        perror(path);
        exit(2);
    }
    fclose(file);
    return bytes;
}

static inline void write_file(const char *path, const unsigned char *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(bytes, 1, size, file) != size || fclose(file) != 0) {
        perror(path);
        exit(2);
    }
}

#endif
