/* Lets a call fail for files whose path has a given end, as disks and file systems do. Loaded with LD_PRELOAD;
   FAIL_CALL is read, write, fsync, map or statx, FAIL_ERRNO a number, FAIL_END the end of the path (a slash: a folder).
   It fails from when the file FAIL_WHEN is there, and reads fail from the offset FAIL_FROM on; without them, always. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static int is_due(const char *call) {
  const char *wanted = getenv("FAIL_CALL"), *when = getenv("FAIL_WHEN");
  return wanted && strcmp(wanted, call) == 0 && (!when || access(when, F_OK) == 0);
}

static int fails(const char *call, int descriptor) {
  const char *end = getenv("FAIL_END");
  if (!is_due(call) || !end || descriptor < 0) return 0;
  char link[64], path[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  ssize_t length = readlink(link, path, sizeof path - 2);
  if (length <= 0) return 0;
  struct stat stats;
  if (fstat(descriptor, &stats) == 0 && S_ISDIR(stats.st_mode)) path[length++] = '/';
  path[length] = 0;
  for (const char *next = end; *next; next++) {
    size_t size = strcspn(next, ",");
    if (size <= (size_t)length && strncmp(path + length - size, next, size) == 0) {
      errno = atoi(getenv("FAIL_ERRNO"));
      return 1;
    }
    next += size;
    if (!*next) break;
  }
  return 0;
}

ssize_t pread64(int descriptor, void *bytes, size_t length, off64_t offset) {
  const char *from = getenv("FAIL_FROM");
  if ((!from || offset >= atoll(from)) && fails("read", descriptor)) return -1;
  return REAL(pread64)(descriptor, bytes, length, offset);
}
ssize_t pwrite64(int descriptor, const void *bytes, size_t length, off64_t offset) {
  return fails("write", descriptor) ? -1 : REAL(pwrite64)(descriptor, bytes, length, offset);
}
ssize_t pwrite(int descriptor, const void *bytes, size_t length, off_t offset) {
  return fails("write", descriptor) ? -1 : REAL(pwrite)(descriptor, bytes, length, offset);
}
int fsync(int descriptor) { return fails("fsync", descriptor) ? -1 : REAL(fsync)(descriptor); }
int fdatasync(int descriptor) { return fails("fsync", descriptor) ? -1 : REAL(fdatasync)(descriptor); }
void *mmap64(void *at, size_t length, int access, int flags, int descriptor, off64_t offset) {
  if (fails("map", descriptor)) return MAP_FAILED;
  return REAL(mmap64)(at, length, access, flags, descriptor, offset);
}
void *mmap(void *at, size_t length, int access, int flags, int descriptor, off_t offset) {
  if (fails("map", descriptor)) return MAP_FAILED;
  return REAL(mmap)(at, length, access, flags, descriptor, offset);
}
int statx(int folder, const char *path, int flags, unsigned mask, struct statx *stats) {
  if (!is_due("statx")) return REAL(statx)(folder, path, flags, mask, stats);
  errno = atoi(getenv("FAIL_ERRNO"));
  return -1;
}
