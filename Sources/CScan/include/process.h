#ifndef MERGEWALK_PROCESS_H
#define MERGEWALK_PROCESS_H

#include <spawn.h>

// glibc declares these for GNU sources only, which Swift's view of it is not.
extern int pipe2(int ends[2], int flags);
extern int posix_spawn_file_actions_addchdir_np(posix_spawn_file_actions_t *actions, const char *folder);

/// A pipe whose ends no child inherits: the end to read from and the end to write to; 0, or -1 with `errno`.
static inline int mergewalk_pipe(int *readEnd, int *writeEnd) {
  int ends[2];
  int result = pipe2(ends, 02000000 /* O_CLOEXEC */);
  if (result == 0) {
    *readEnd = ends[0];
    *writeEnd = ends[1];
  }
  return result;
}

/// Lets a child start in a folder.
static inline int mergewalk_spawnInFolder(posix_spawn_file_actions_t *actions, const char *folder) {
  return posix_spawn_file_actions_addchdir_np(actions, folder);
}

#endif
