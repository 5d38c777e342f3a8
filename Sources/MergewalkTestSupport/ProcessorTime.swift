import MergewalkSystem

/// The time that the processor has spent on the current thread, which other work on the machine does not prolong.
///
/// Tests that bound how long something takes measure it by this, never by a clock.
public enum ProcessorTime {
  /// The time that the thread has taken so far.
  public static var now: Duration {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }

  /// The time that the thread takes for some work.
  public static func measure<Failure: Error>(_ work: () throws(Failure) -> Void) throws(Failure) -> Duration {
    let start = now
    try work()
    return now - start
  }
}
