/// Pages behind each other that are written by one call.
///
/// `@unchecked Sendable`: whoever fills it gives it away and waits before filling it again.
final class PageBlock: BackgroundJob, @unchecked Sendable {
  private let descriptor: Int32
  let bytes: Bytes
  /// How many bytes there are, and where they go.
  var count = 0
  var offset = 0
  /// The job that writes it; 0 while there is none.
  var job = 0

  init(descriptor: Int32, capacity: Int) {
    self.descriptor = descriptor
    bytes = .allocate(capacity: capacity)
  }

  deinit { bytes.deallocate() }

  func run() throws(PageError) { try PageFile.write(descriptor, bytes, count, at: offset) }
}
