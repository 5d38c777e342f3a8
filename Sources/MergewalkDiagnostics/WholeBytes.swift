import MergewalkSystem

/// Reads and writes bytes whole, in as many pieces as the system makes of them, whatever signals come between.
package enum WholeBytes {
  /// Writes to a descriptor.
  ///
  /// - Returns: How many bytes were written, and the number of the error (`errno` too) that stopped it; 0 when none did.
  package static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> (count: Int, failure: Int32) {
    var done = 0
    while done < bytes.count {
      let put = Glibc.write(descriptor, bytes.baseAddress?.advanced(by: done), bytes.count - done)
      if put < 0, errno == EINTR { continue }
      if put == 0 { errno = EIO }
      guard put > 0 else { return (done, errno) }
      done += put
    }
    return (done, 0)
  }

  /// Reads from a descriptor until the buffer is full or nothing follows.
  ///
  /// - Parameter offset: Where in the file; `nil` for where the descriptor stands, which then moves.
  /// - Returns: How many bytes were read, and the number of the error (`errno` too) that stopped it; 0 when none did.
  package static func read(
    _ descriptor: Int32, at offset: Int? = nil, into buffer: UnsafeMutableRawBufferPointer
  ) -> (count: Int, failure: Int32) {
    var done = 0
    while done < buffer.count {
      let (base, left) = (buffer.baseAddress?.advanced(by: done), buffer.count - done)
      let got = offset.map { pread(descriptor, base, left, off_t($0 + done)) } ?? Glibc.read(descriptor, base, left)
      if got < 0, errno == EINTR { continue }
      if got < 0 { return (done, errno) }
      if got == 0 { break }
      done += got
    }
    return (done, 0)
  }
}

/// The clocks of the system, in seconds.
package enum SystemClock {
  /// A clock that only goes forward.
  package static var monotonic: Double { seconds(CLOCK_MONOTONIC) }

  /// Since 1970, UTC.
  package static var sinceEpoch: Double { seconds(CLOCK_REALTIME) }

  /// The processor time of this thread.
  package static var ofThread: Double { seconds(CLOCK_THREAD_CPUTIME_ID) }

  private static func seconds(_ clock: clockid_t) -> Double {
    var time = timespec()
    clock_gettime(clock, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}
