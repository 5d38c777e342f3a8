import Glibc

/// The processor time of the calling thread: what a piece of work costs, however busy the machine is.
public enum ThreadTime {
  /// Runs `body` on the calling thread and says how much processor time it took.
  public static func measure(_ body: () throws -> Void) rethrows -> Duration {
    let start = now
    try body()
    return now - start
  }

  private static var now: Duration {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }
}
