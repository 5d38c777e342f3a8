#define _GNU_SOURCE
#include "CProcess.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/file.h>
#include <unistd.h>
#ifdef __linux__
#include <sched.h>
#endif

int cprocess_pipe(int *readEnd, int *writeEnd) {
  int ends[2];
#ifdef __linux__
  int result = pipe2(ends, O_CLOEXEC);
#else
  /* A child that another thread starts in between inherits the ends; there is no call for both. */
  int result = pipe(ends);
  if (result == 0 && (fcntl(ends[0], F_SETFD, FD_CLOEXEC) != 0 || fcntl(ends[1], F_SETFD, FD_CLOEXEC) != 0)) {
    close(ends[0]);
    close(ends[1]);
    return -1;
  }
#endif
  if (result == 0) {
    *readEnd = ends[0];
    *writeEnd = ends[1];
  }
  return result;
}

int cprocess_spawn_in_folder(void *actions, const char *folder) {
  return posix_spawn_file_actions_addchdir_np(actions, folder);
}

int cprocess_syncfs(int file) {
#ifdef __linux__
  return syncfs(file);
#else
  /* The second call waits for the drive, which has got everything from the first. */
  sync();
  return fcntl(file, F_FULLFSYNC);
#endif
}

/* Systems without locks of open file descriptions, such as gVisor, refuse them with EINVAL. Earlier versions had only a lock
 * of flock: a shared one keeps them out, and is refused while one of them has it. */
int cprocess_lock(int file) {
#ifdef F_OFD_SETLK
  struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
  if (fcntl(file, F_OFD_SETLK, &lock) == 0) return flock(file, LOCK_SH | LOCK_NB);
  if (errno != EINVAL) return -1;
#endif
  return flock(file, LOCK_EX | LOCK_NB);
}

int cprocess_is_locked(int file) {
#ifdef F_OFD_GETLK
  struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
  if (fcntl(file, F_OFD_GETLK, &lock) != 0) {
    if (errno != EINVAL) return -1;
  } else if (lock.l_type != F_UNLCK) {
    return 1;
  }
#endif
  if (flock(file, LOCK_SH | LOCK_NB) != 0) return errno == EWOULDBLOCK ? 1 : -1;
  flock(file, LOCK_UN);
  return 0;
}

int cprocess_processors(void) {
#ifdef __linux__
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return 1;
  return CPU_COUNT(&set);
#else
  long count = sysconf(_SC_NPROCESSORS_ONLN);
  return count < 1 ? 1 : (int)count;
#endif
}
