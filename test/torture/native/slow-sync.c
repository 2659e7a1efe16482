/* Makes each disk sync of a process take SLOW_SYNC_MS longer, as an ordinary cloud disk does. Loaded
   with LD_PRELOAD. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <time.h>

static int slowly(const char *name, int descriptor) {
  const char *milliseconds = getenv("SLOW_SYNC_MS");
  long nanoseconds = (milliseconds ? atol(milliseconds) : 0) * 1000000L;
  struct timespec pause = { nanoseconds / 1000000000L, nanoseconds % 1000000000L };
  int (*sync)(int) = (int (*)(int))dlsym(RTLD_NEXT, name);
  nanosleep(&pause, NULL);
  return sync(descriptor);
}

int fdatasync(int descriptor) { return slowly("fdatasync", descriptor); }
int fsync(int descriptor) { return slowly("fsync", descriptor); }
