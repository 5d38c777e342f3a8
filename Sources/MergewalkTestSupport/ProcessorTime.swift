import MergewalkSystem

/// The processor time of the current thread, which is independent of other work on the machine.
///
/// Tests with time limits use it instead of a clock.
public enum ProcessorTime {
  /// The processor time of the thread so far.
  public static var now: Duration {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }

  /// The processor time of the thread for some work.
  public static func measure<Failure: Error>(_ work: () throws(Failure) -> Void) throws(Failure) -> Duration {
    let start = now
    try work()
    return now - start
  }
}
