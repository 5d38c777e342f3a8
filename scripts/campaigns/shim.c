/* A library that is loaded into a command before all others (LD_PRELOAD) and counts the calls by which it changes files.
 *
 * So every place where a process may die, a disk may fill or a signal may come is reached on purpose, none by luck. The
 * tests (Sources/MergewalkTestSupport/Shim.swift) and the campaigns beside this file use it. The environment says what
 * it does; without any of these it does nothing:
 *
 *   SHIM_KILL_AT=N     the process dies by SIGKILL before call N; SHIM_KILL_AFTER=N: behind it
 *   SHIM_STOP_AT=N     the process stops before call N until it gets SIGCONT
 *   SHIM_SIGNAL_AT=N   before call N the process gets the signal SHIM_SIGNAL
 *   SHIM_FAIL_AT=N     call N fails with SHIM_ERRNO (EIO); with SHIM_STAYS=1 so do all later ones
 *   SHIM_SHORT=1       calls that fail and write bytes write half of them instead; other calls succeed
 *   SHIM_ALL=1         calls that create, open for writing, and make or remove folders, count too
 *   SHIM_READS=1       reads count, and nothing else
 *   SHIM_NO_SYNC=1     nothing is synced: faster, and no difference where only processes die
 *   SHIM_AHEAD=S       clocks of the day are S seconds ahead; with SHIM_AHEAD_AT=N from call N on
 *   SHIM_COUNT=PATH    the number of calls goes into a file at the end
 *   SHIM_TRACE=PATH    a line for each call goes into a file
 *   SHIM_RECORD=PATH   what each call does to files, and what it writes, goes into a file (power.py reads it)
 *   SHIM_FILES=PATH    lines with the number and time of files, and which number and times the command is shown instead:
 *                      so files that were copied are those that they were
 *   SHIM_BOOT=PATH     the file has the identity of the machine's start, in place of /proc/sys/kernel/random/boot_id
 *   SHIM_NO_PROC=1     files below /proc cannot be opened;  SHIM_NO_THREADS=1: no second thread can be made
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <string.h>
#define open open_of_libc
#define open64 open64_of_libc
#define openat openat_of_libc
#define openat64 openat64_of_libc
#include <fcntl.h>
#undef open
#undef open64
#undef openat
#undef openat64
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

static long long kill_at, kill_after, stop_at, signal_at, fail_at, ahead_at, count;
static int signal_number, fail_errno, stays, shortened, all, reads, no_sync, no_proc, no_threads, trace = -1, journal = -1;
static time_t ahead;
static const char *count_path, *boot_path;

static long long number(const char *name, long long otherwise) {
  const char *text = getenv(name);
  return text ? atoll(text) : otherwise;
}

static void read_shown(const char *path);

__attribute__((constructor)) static void start(void) {
  kill_at = number("SHIM_KILL_AT", -1);
  kill_after = number("SHIM_KILL_AFTER", -1);
  stop_at = number("SHIM_STOP_AT", -1);
  signal_at = number("SHIM_SIGNAL_AT", -1);
  signal_number = (int)number("SHIM_SIGNAL", SIGTERM);
  fail_at = number("SHIM_FAIL_AT", -1);
  fail_errno = (int)number("SHIM_ERRNO", EIO);
  stays = (int)number("SHIM_STAYS", 0);
  shortened = (int)number("SHIM_SHORT", 0);
  all = (int)number("SHIM_ALL", 0);
  reads = (int)number("SHIM_READS", 0);
  no_sync = (int)number("SHIM_NO_SYNC", 0);
  ahead = (time_t)number("SHIM_AHEAD", 0);
  ahead_at = number("SHIM_AHEAD_AT", -1);
  no_proc = (int)number("SHIM_NO_PROC", 0);
  no_threads = (int)number("SHIM_NO_THREADS", 0);
  count_path = getenv("SHIM_COUNT");
  const char *path = getenv("SHIM_TRACE");
  if (path) trace = (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  path = getenv("SHIM_RECORD");
  if (path) journal = (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  boot_path = getenv("SHIM_BOOT");
  path = getenv("SHIM_FILES");
  if (path) read_shown(path);
  /* What the command starts is not counted. */
  unsetenv("LD_PRELOAD");
}

__attribute__((destructor)) static void end(void) {
  char text[24];
  if (!count_path) return;
  int file = (int)syscall(SYS_openat, AT_FDCWD, count_path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (file < 0) return;
  int length = snprintf(text, sizeof text, "%lld", count);
  syscall(SYS_write, file, text, (size_t)length);
  syscall(SYS_close, file);
}

/* Files that are shown as others: number and time, and what is shown. */
static struct shown { unsigned long long inode; long long time; unsigned long long former; long long changed, status; }
  *shown_files;
static size_t shown_count;

static void read_shown(const char *path) {
  FILE *file = fopen(path, "r");
  struct shown next;
  if (!file) return;
  while (fscanf(file, "%llu %lld %llu %lld %lld", &next.inode, &next.time, &next.former, &next.changed, &next.status) == 5) {
    shown_files = realloc(shown_files, (shown_count + 1) * sizeof next);
    shown_files[shown_count++] = next;
  }
  fclose(file);
}

static int show(int result, struct stat *info) {
  if (result != 0) return result;
  for (size_t i = 0; i < shown_count; i++) {
    if (shown_files[i].inode != info->st_ino) continue;
    info->st_ino = shown_files[i].former;
    if (info->st_mtim.tv_sec * 1000000000LL + info->st_mtim.tv_nsec != shown_files[i].time) break;
    info->st_mtim.tv_sec = shown_files[i].changed / 1000000000, info->st_mtim.tv_nsec = shown_files[i].changed % 1000000000;
    info->st_ctim.tv_sec = shown_files[i].status / 1000000000, info->st_ctim.tv_nsec = shown_files[i].status % 1000000000;
    break;
  }
  return result;
}

static void die(void) {
  kill(getpid(), SIGKILL);
  for (;;) pause();
}

/* Counts a call and does what is due before it; says whether it is to fail. */
static int fails(long long *mine, const char *name, const char *path, int file) {
  long long n = *mine = __atomic_add_fetch(&count, 1, __ATOMIC_SEQ_CST);
  if (trace >= 0) {
    char line[512];
    int length = snprintf(line, sizeof line, "%lld %s %s %d\n", n, name, path ? path : "-", file);
    syscall(SYS_write, trace, line, length < (int)sizeof line ? (size_t)length : sizeof line - 1);
  }
  if (n == kill_at) die();
  if (n == stop_at) kill(getpid(), SIGSTOP);
  if (n == signal_at) kill(getpid(), signal_number);
  if (n == fail_at || (stays && fail_at > 0 && n > fail_at)) {
    errno = fail_errno;
    return 1;
  }
  return 0;
}

/* Records: a call and what it did are one step, so that no thread gets in between. */
static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;

static void begin(void) {
  if (journal >= 0) pthread_mutex_lock(&turn);
}

static long long nanoseconds(struct timespec t) { return t.tv_sec * 1000000000LL + t.tv_nsec; }

static void record_bytes(const void *bytes, size_t length) {
  for (size_t done = 0; done < length;) {
    long put = syscall(SYS_write, journal, (const char *)bytes + done, length - done);
    if (put < 0) _exit(99);
    done += (size_t)put;
  }
}

/* Ends what `begin` began: writes down a call that succeeded. A line has a letter, the file's number, two numbers and
 * two paths, which have no tabs here; bytes that were written come behind it. */
static void record(int succeeded, char what, int file, long long from, long long count, const char *a, const char *b,
                   const void *bytes) {
  if (journal < 0) return;
  int error = errno;
  if (succeeded) {
    struct stat64 info = {0};
    if (file >= 0) fstat64(file, &info);
    else if (what == 'D') lstat64(a, &info);
    else if (b) lstat64(b, &info);
    char line[2 * 4096 + 150];
    int length = snprintf(line, sizeof line, "%c\t%llu\t%lld\t%lld\t%s\t%s\t%lld\t%lld\n", what,
                          (unsigned long long)info.st_ino, from, count, a ? a : "", b ? b : "",
                          nanoseconds(info.st_mtim), nanoseconds(info.st_ctim));
    record_bytes(line, (size_t)length);
    if (bytes) record_bytes(bytes, (size_t)count);
  }
  pthread_mutex_unlock(&turn);
  errno = error;
}

/* Where a write that has just ended began. */
static long long start_of(int file, ssize_t length) { return journal < 0 ? 0 : lseek(file, 0, SEEK_CUR) - length; }

#define REAL(name) static __typeof__(name) *real; if (!real) real = (__typeof__(name) *)dlsym(RTLD_NEXT, #name)

/* A call that counts when `when` holds. */
#define COUNTED(type, name, when, path, file, call, ...) \
  REAL(name); \
  if (reads || !(when)) return call; \
  long long mine; \
  if (fails(&mine, #name, path, file) && !shortened) return (type)-1; \
  begin(); \
  type result = call; \
  record(result != (type)-1, __VA_ARGS__); \
  if (mine == kill_after) die(); \
  return result

/* The same for a call that writes `n` bytes: half of them when calls fall short. */
#define WRITTEN(name, when, call, from) \
  REAL(name); \
  if (reads || !(when)) return call; \
  long long mine; \
  if (fails(&mine, #name, NULL, f)) { if (!shortened) return -1; if (n > 1) n /= 2; } \
  begin(); \
  ssize_t result = call; \
  record(result > 0, 'W', f, from, result, NULL, NULL, b); \
  if (mine == kill_after) die(); \
  return result

#define READ(name, call) \
  REAL(name); \
  if (!reads || f <= 2) return call; \
  long long mine; \
  if (fails(&mine, #name, NULL, f)) { if (!shortened) return -1; if (n > 1) n /= 2; } \
  return call

ssize_t write(int f, const void *b, size_t n) { WRITTEN(write, f > 2, real(f, b, n), start_of(f, result)); }
ssize_t pwrite(int f, const void *b, size_t n, off_t o) { WRITTEN(pwrite, 1, real(f, b, n, o), o); }
ssize_t pwrite64(int f, const void *b, size_t n, off64_t o) { WRITTEN(pwrite64, 1, real(f, b, n, o), o); }
ssize_t read(int f, void *b, size_t n) { READ(read, real(f, b, n)); }
ssize_t pread(int f, void *b, size_t n, off_t o) { READ(pread, real(f, b, n, o)); }
ssize_t pread64(int f, void *b, size_t n, off64_t o) { READ(pread64, real(f, b, n, o)); }

ssize_t writev(int f, const struct iovec *v, int n) {
  /* What is recorded has to lie in one piece. */
  if (journal >= 0 && f > 2) {
    ssize_t all_of_it = 0;
    for (int i = 0; i < n; i++) {
      ssize_t put = write(f, v[i].iov_base, v[i].iov_len);
      if (put < 0) return all_of_it ? all_of_it : -1;
      all_of_it += put;
      if ((size_t)put < v[i].iov_len) break;
    }
    return all_of_it;
  }
  COUNTED(ssize_t, writev, f > 2 && all, NULL, f, real(f, v, n), ' ', -1, 0, 0, NULL, NULL, NULL);
}

int ftruncate(int f, off_t n) { COUNTED(int, ftruncate, 1, NULL, f, real(f, n), 'T', f, n, 0, NULL, NULL, NULL); }
int ftruncate64(int f, off64_t n) { COUNTED(int, ftruncate64, 1, NULL, f, real(f, n), 'T', f, n, 0, NULL, NULL, NULL); }
int truncate(const char *p, off_t n) {
  COUNTED(int, truncate, 1, p, -1, real(p, n), 't', -1, n, 0, p, NULL, NULL);
}
int fsync(int f) { COUNTED(int, fsync, 1, NULL, f, no_sync ? 0 : real(f), 'S', f, 0, 0, NULL, NULL, NULL); }
int fdatasync(int f) { COUNTED(int, fdatasync, 1, NULL, f, no_sync ? 0 : real(f), 'S', f, 0, 0, NULL, NULL, NULL); }
int syncfs(int f) { COUNTED(int, syncfs, all, NULL, f, no_sync ? 0 : real(f), 'A', f, 0, 0, NULL, NULL, NULL); }
int unlink(const char *p) { COUNTED(int, unlink, 1, p, -1, real(p), 'U', -1, 0, 0, p, NULL, NULL); }
int link(const char *a, const char *b) { COUNTED(int, link, 1, b, -1, real(a, b), 'L', -1, 0, 0, a, b, NULL); }
int rename(const char *a, const char *b) { COUNTED(int, rename, 1, b, -1, real(a, b), 'R', -1, 0, 0, a, b, NULL); }
int mkdir(const char *p, mode_t m) { COUNTED(int, mkdir, all, p, -1, real(p, m), 'D', -1, 0, 0, p, NULL, NULL); }
int rmdir(const char *p) { COUNTED(int, rmdir, all, p, -1, real(p), 'U', -1, 0, 0, p, NULL, NULL); }
int mkstemp(char *p) { COUNTED(int, mkstemp, all, p, -1, real(p), 'C', result, 1, 0, p, NULL, NULL); }
int fchmod(int f, mode_t m) { COUNTED(int, fchmod, all, NULL, f, real(f, m), 'M', f, m, 0, NULL, NULL, NULL); }

/* Whether nothing is at a path yet, which tells a file that is made from one that is opened. */
static int is_new(const char *path, int flags) {
  struct stat64 info;
  return journal >= 0 && (flags & O_CREAT) && lstat64(path, &info) != 0;
}

int stat(const char *p, struct stat *i) { REAL(stat); return show(real(p, i), i); }
int lstat(const char *p, struct stat *i) { REAL(lstat); return show(real(p, i), i); }
int fstat(int f, struct stat *i) { REAL(fstat); return show(real(f, i), i); }

static int is_hidden(const char *p) { return no_proc && strncmp(p, "/proc", 5) == 0 && (errno = ENOENT); }

#define OPENING(name, parameters, arguments) \
  int name parameters { \
    static int (*real) parameters; \
    if (!real) real = (int (*) parameters)dlsym(RTLD_NEXT, #name); \
    va_list list; va_start(list, flags); int mode = va_arg(list, int); va_end(list); \
    if (is_hidden(p)) return -1; \
    if (boot_path && strcmp(p, "/proc/sys/kernel/random/boot_id") == 0) p = boot_path; \
    if (reads || !all || (flags & O_ACCMODE) == O_RDONLY) return real arguments; \
    long long mine; \
    if (fails(&mine, #name, p, -1) && !shortened) return -1; \
    begin(); \
    int made = is_new(p, flags), result = real arguments; \
    record(result >= 0, made ? 'C' : flags & O_TRUNC ? 'T' : ' ', result, 0, 0, p, NULL, NULL); \
    if (mine == kill_after) die(); \
    return result; \
  }
OPENING(open, (const char *p, int flags, ...), (p, flags, mode))
OPENING(open64, (const char *p, int flags, ...), (p, flags, mode))
OPENING(openat, (int at, const char *p, int flags, ...), (at, p, flags, mode))
OPENING(openat64, (int at, const char *p, int flags, ...), (at, p, flags, mode))

FILE *fopen(const char *p, const char *m) { REAL(fopen); return is_hidden(p) ? NULL : real(p, m); }
FILE *fopen64(const char *p, const char *m) { REAL(fopen64); return is_hidden(p) ? NULL : real(p, m); }

int pthread_create(pthread_t *t, const pthread_attr_t *a, void *(*begin)(void *), void *with) {
  REAL(pthread_create);
  return no_threads ? EAGAIN : real(t, a, begin, with);
}

static time_t offset(void) { return ahead_at < 0 || __atomic_load_n(&count, __ATOMIC_SEQ_CST) >= ahead_at ? ahead : 0; }

int clock_gettime(clockid_t c, struct timespec *t) {
  REAL(clock_gettime);
  int r = real(c, t);
  if (c == CLOCK_REALTIME || c == CLOCK_REALTIME_COARSE) t->tv_sec += offset();
  return r;
}

int gettimeofday(struct timeval *t, void *z) {
  REAL(gettimeofday);
  int r = real(t, z);
  t->tv_sec += offset();
  return r;
}

time_t time(time_t *t) {
  REAL(time);
  time_t now = real(NULL) + offset();
  if (t) *t = now;
  return now;
}
