/* Makes reads of one file fail, as a disk does that was taken away. FAIL_READ_OF is how the path of the file
   ends, FAIL_READ_FROM the offset from which on they fail. Loaded with LD_PRELOAD. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

ssize_t pread64(int descriptor, void *buffer, size_t length, off64_t offset) {
  static ssize_t (*read_at)(int, void *, size_t, off64_t);
  const char *of = getenv("FAIL_READ_OF"), *from = getenv("FAIL_READ_FROM");
  char link[64], path[4096];
  if (!read_at) read_at = (ssize_t (*)(int, void *, size_t, off64_t))dlsym(RTLD_NEXT, "pread64");
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  ssize_t end = readlink(link, path, sizeof path - 1);
  path[end < 0 ? 0 : end] = 0;
  if (!of || !from || offset < atoll(from) || end < (ssize_t)strlen(of) ||
      strcmp(path + end - strlen(of), of) != 0)
    return read_at(descriptor, buffer, length, offset);
  errno = EIO;
  return -1;
}
