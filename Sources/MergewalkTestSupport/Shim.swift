import Foundation

/// A library that is loaded into the command before all others and counts what it writes: it can end the process before
/// the n-th call, let the call fail, or only count.
///
/// So every place where a process may die or a disk may fill is reached on purpose, none by luck.
public enum Shim {
  /// The library's path; `nil` where there is no C compiler.
  public static let library: String? = {
    guard let compiler = ["/usr/bin/cc", "/usr/bin/clang", "/usr/bin/gcc"].first(where: isExecutable) else {
      return nil
    }
    do {
      let path = folder.file("shim.so")
      let process = Process()
      process.executableURL = URL(fileURLWithPath: compiler)
      process.arguments = [
        "-O1", "-shared", "-fPIC", "-o", path, try folder.write(source, to: "shim.c"), "-ldl",
      ]
      try process.run()
      process.waitUntilExit()
      return process.terminationStatus == 0 ? path : nil
    } catch {
      return nil
    }
  }()

  /// Whether the tests that need it can run.
  public static var isThere: Bool { library != nil }

  /// The environment of a command that is killed before its n-th write.
  public static func killing(at call: Int) -> [String: String] { environment(["SHIM_KILL_AT": "\(call)"]) }

  /// The environment of a command that stops before its n-th write until it gets `SIGCONT`.
  public static func stopping(at call: Int) -> [String: String] { environment(["SHIM_STOP_AT": "\(call)"]) }

  /// The environment of a command whose n-th write fails, and all later ones when `stays` says so.
  public static func failing(at call: Int, _ error: Int32, stays: Bool = false) -> [String: String] {
    environment(["SHIM_FAIL_AT": "\(call)", "SHIM_ERRNO": "\(error)", "SHIM_STAYS": stays ? "1" : "0"])
  }

  /// The environment of a command whose writes are counted into a file.
  public static func counting(into path: String) -> [String: String] { environment(["SHIM_COUNT": path]) }

  /// The environment of a command whose clock of the day goes some days ahead of the machine's.
  public static func ahead(days: Int) -> [String: String] { environment(["SHIM_AHEAD": "\(days * 86_400)"]) }

  /// The environment of a command on a machine that gives it no second thread.
  public static var withoutThreads: [String: String] { environment(["SHIM_NO_THREADS": "1"]) }

  /// The environment of a command on a machine where /proc is not mounted.
  public static var withoutProc: [String: String] { environment(["SHIM_NO_PROC": "1"]) }

  private static func environment(_ variables: [String: String]) -> [String: String] {
    variables.merging(["LD_PRELOAD": library ?? ""]) { mine, _ in mine }
  }

  private static let folder = TemporaryFolder()

  private static func isExecutable(_ path: String) -> Bool { FileManager.default.isExecutableFile(atPath: path) }

  private static let source = """
    #define _GNU_SOURCE
    #include <dlfcn.h>
    #include <errno.h>
    #include <stdarg.h>
    #include <string.h>
    #define open open_of_libc
    #define open64 open64_of_libc
    #include <fcntl.h>
    #undef open
    #undef open64
    #include <pthread.h>
    #include <signal.h>
    #include <stdio.h>
    #include <stdlib.h>
    #include <sys/time.h>
    #include <time.h>
    #include <unistd.h>
    static long long kill_at = -1, stop_at = -1, fail_at = -1, count;
    static int fail_errno, stays;
    static const char *count_path;
    static time_t ahead;
    static int no_proc, no_threads;
    static long long number(const char *name, long long otherwise) {
      const char *text = getenv(name);
      return text ? atoll(text) : otherwise;
    }
    __attribute__((constructor)) static void start(void) {
      kill_at = number("SHIM_KILL_AT", -1);
      stop_at = number("SHIM_STOP_AT", -1);
      fail_at = number("SHIM_FAIL_AT", -1);
      fail_errno = (int)number("SHIM_ERRNO", EIO);
      stays = (int)number("SHIM_STAYS", 0);
      count_path = getenv("SHIM_COUNT");
      ahead = (time_t)number("SHIM_AHEAD", 0);
      no_proc = (int)number("SHIM_NO_PROC", 0);
      no_threads = (int)number("SHIM_NO_THREADS", 0);
      unsetenv("LD_PRELOAD");
    }
    #define REAL(name) static __typeof__(name) *real; if (!real) real = (__typeof__(name) *)dlsym(RTLD_NEXT, #name)
    static int fails(void) {
      long long n = __atomic_add_fetch(&count, 1, __ATOMIC_SEQ_CST);
      if (n == kill_at) { kill(getpid(), SIGKILL); for (;;) pause(); }
      if (n == stop_at) kill(getpid(), SIGSTOP);
      if (n == fail_at || (stays && fail_at > 0 && n > fail_at)) { errno = fail_errno; return 1; }
      return 0;
    }
    ssize_t write(int f, const void *b, size_t n) { REAL(write); return f > 2 && fails() ? -1 : real(f, b, n); }
    ssize_t pwrite(int f, const void *b, size_t n, off_t o) { REAL(pwrite); return fails() ? -1 : real(f, b, n, o); }
    ssize_t pwrite64(int f, const void *b, size_t n, off64_t o) {
      REAL(pwrite64);
      return fails() ? -1 : real(f, b, n, o);
    }
    static int is_hidden(const char *p) { return no_proc && strncmp(p, "/proc", 5) == 0 && (errno = ENOENT); }
    #define OPENING(name) int name(const char *p, int flags, ...) { \
      static int (*real)(const char *, int, ...); \
      if (!real) real = (int (*)(const char *, int, ...))dlsym(RTLD_NEXT, #name); \
      va_list list; va_start(list, flags); int mode = va_arg(list, int); va_end(list); \
      return is_hidden(p) ? -1 : real(p, flags, mode); }
    OPENING(open)
    OPENING(open64)
    FILE *fopen(const char *p, const char *m) { REAL(fopen); return is_hidden(p) ? NULL : real(p, m); }
    FILE *fopen64(const char *p, const char *m) { REAL(fopen64); return is_hidden(p) ? NULL : real(p, m); }
    int pthread_create(pthread_t *t, const pthread_attr_t *a, void *(*start)(void *), void *with) {
      REAL(pthread_create);
      return no_threads ? EAGAIN : real(t, a, start, with);
    }
    int ftruncate(int f, off_t n) { REAL(ftruncate); return fails() ? -1 : real(f, n); }
    int ftruncate64(int f, off64_t n) { REAL(ftruncate64); return fails() ? -1 : real(f, n); }
    int truncate(const char *p, off_t n) { REAL(truncate); return fails() ? -1 : real(p, n); }
    int fsync(int f) { REAL(fsync); return fails() ? -1 : real(f); }
    int fdatasync(int f) { REAL(fdatasync); return fails() ? -1 : real(f); }
    int unlink(const char *p) { REAL(unlink); return fails() ? -1 : real(p); }
    int link(const char *a, const char *b) { REAL(link); return fails() ? -1 : real(a, b); }
    int rename(const char *a, const char *b) { REAL(rename); return fails() ? -1 : real(a, b); }
    int clock_gettime(clockid_t c, struct timespec *t) {
      REAL(clock_gettime);
      int r = real(c, t);
      if (c == CLOCK_REALTIME || c == CLOCK_REALTIME_COARSE) t->tv_sec += ahead;
      return r;
    }
    int gettimeofday(struct timeval *t, void *z) { REAL(gettimeofday); int r = real(t, z); t->tv_sec += ahead; return r; }
    time_t time(time_t *t) {
      REAL(time);
      time_t now = real(NULL) + ahead;
      if (t) *t = now;
      return now;
    }
    __attribute__((destructor)) static void end(void) {
      if (!count_path) return;
      FILE *file = fopen(count_path, "w");
      if (!file) return;
      fprintf(file, "%lld", count);
      fclose(file);
    }
    """
}
