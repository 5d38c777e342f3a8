#define _GNU_SOURCE
#include "CProcess.h"

#include <fcntl.h>
#include <sched.h>
#include <spawn.h>
#include <unistd.h>

int cprocess_pipe(int *readEnd, int *writeEnd) {
  int ends[2];
  int result = pipe2(ends, O_CLOEXEC);
  if (result == 0) {
    *readEnd = ends[0];
    *writeEnd = ends[1];
  }
  return result;
}

int cprocess_spawn_in_folder(void *actions, const char *folder) {
  return posix_spawn_file_actions_addchdir_np(actions, folder);
}

int cprocess_syncfs(int file) { return syncfs(file); }

int cprocess_processors(void) {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return 1;
  return CPU_COUNT(&set);
}
