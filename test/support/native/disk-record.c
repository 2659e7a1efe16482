/* Records, in order, every write, cut and sync of the files named orderly.* that a process makes, for the
   simulation of power cuts. Loaded with LD_PRELOAD; the record goes to the file DISK_RECORD names: for
   each step five 64-bit numbers (step, file, offset, length, number of the sync) and the bytes written.
   Steps: 1 write, 2 cut, 3 a sync begins, 4 it has succeeded. Files: 0 the database, 1 its log, 2 what was
   answered. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int64_t syncs = 0;

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static int file_of(int descriptor) {
  static const char *const names[] = { "/orderly.db", "/orderly.db-wal", "/orderly.answered" };
  char link[64], path[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length <= 0) return -1;
  path[length] = 0;
  const char *end = strrchr(path, '/');
  for (int i = 0; end && i < 3; i++) if (strcmp(end, names[i]) == 0) return i;
  return -1;
}

static void put(const void *bytes, size_t length) {
  static int record = -1;
  if (record < 0) record = open(getenv("DISK_RECORD"), O_WRONLY | O_CREAT | O_APPEND, 0600);
  if (record < 0 || REAL(write)(record, bytes, length) != (ssize_t)length) abort();
}

static void step(int64_t kind, int64_t file, int64_t offset, int64_t length, int64_t sync,
                 const void *bytes) {
  int64_t numbers[5] = { kind, file, offset, length, sync };
  put(numbers, sizeof numbers);
  if (kind == 1) put(bytes, (size_t)length);
}

static ssize_t write_at(int descriptor, const void *bytes, size_t length, off64_t offset) {
  int file = file_of(descriptor);
  if (file < 0) return REAL(pwrite64)(descriptor, bytes, length, offset);
  pthread_mutex_lock(&lock);
  ssize_t written = REAL(pwrite64)(descriptor, bytes, length, offset);
  if (written > 0) step(1, file, offset, written, 0, bytes);
  pthread_mutex_unlock(&lock);
  return written;
}

ssize_t pwrite64(int descriptor, const void *bytes, size_t length, off64_t offset) {
  return write_at(descriptor, bytes, length, offset);
}
ssize_t pwrite(int descriptor, const void *bytes, size_t length, off_t offset) {
  return write_at(descriptor, bytes, length, offset);
}

static int cut(int descriptor, off64_t length) {
  int file = file_of(descriptor);
  pthread_mutex_lock(&lock);
  int result = REAL(ftruncate64)(descriptor, length);
  if (result == 0 && file >= 0) step(2, file, length, 0, 0, NULL);
  pthread_mutex_unlock(&lock);
  return result;
}

int ftruncate64(int descriptor, off64_t length) { return cut(descriptor, length); }
int ftruncate(int descriptor, off_t length) { return cut(descriptor, length); }

static int synced(int descriptor, int (*sync)(int)) {
  int file = file_of(descriptor);
  if (file < 0) return sync(descriptor);
  pthread_mutex_lock(&lock);
  int64_t number = ++syncs;
  step(3, file, 0, 0, number, NULL);
  pthread_mutex_unlock(&lock);
  int result = sync(descriptor);
  pthread_mutex_lock(&lock);
  if (result == 0) step(4, file, 0, 0, number, NULL);
  pthread_mutex_unlock(&lock);
  return result;
}

int fsync(int descriptor) { return synced(descriptor, REAL(fsync)); }
int fdatasync(int descriptor) { return synced(descriptor, REAL(fdatasync)); }
