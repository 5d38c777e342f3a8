/* A file without a name, beside the store. */
#ifndef LIMIT_SPILL_H
#define LIMIT_SPILL_H
#include "common.h"
#include <unistd.h>

static inline int spill_open(const char *near) {
  char *path = sqlite3_mprintf("%s.XXXXXX", near);
  int file = mkstemp(path);
  if (file < 0 || unlink(path)) die_errno(path);
  sqlite3_free(path);
  return file;
}

static inline void spill_write(int file, const void *bytes, size_t count, uint64_t at) {
  if (pwrite(file, bytes, count, (off_t)at) != (ssize_t)count) die_errno("a spilled part");
}

static inline void spill_read(int file, void *bytes, size_t count, uint64_t at) {
  if (pread(file, bytes, count, (off_t)at) != (ssize_t)count) die_errno("a spilled part");
}

static inline void spill_close(int file) { close(file); }
#endif
