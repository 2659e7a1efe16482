/* Makes syncs of one file fail, as a broken disk does, from when the file that FAIL_SYNC_WHEN names is
   there. FAIL_SYNC_OF is how the path of what can't be synced ends. Loaded with LD_PRELOAD. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int fails(int descriptor) {
  const char *when = getenv("FAIL_SYNC_WHEN"), *of = getenv("FAIL_SYNC_OF");
  char link[64], path[4096];
  if (!when || !of || access(when, F_OK) != 0) return 0;
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < (ssize_t)strlen(of)) return 0;
  path[length] = 0;
  return strcmp(path + length - strlen(of), of) == 0;
}

static int synced(const char *name, int descriptor) {
  int (*sync)(int) = (int (*)(int))dlsym(RTLD_NEXT, name);
  if (!fails(descriptor)) return sync(descriptor);
  errno = EIO;
  return -1;
}

int fdatasync(int descriptor) { return synced("fdatasync", descriptor); }
int fsync(int descriptor) { return synced("fsync", descriptor); }
