import Synchronization

/// An input that can be read only once; the part that was read for a first look is kept.
///
/// Until ``stopKeeping()``, every stream begins at the input's start. Then the kept part is given out once more, and
/// the rest is gone once it was read.
///
/// `@unchecked Sendable`: its changing state is read and written only while `lock` is held.
final class ReplayedInput: @unchecked Sendable {
  private let source: ByteSource
  private let lock = Mutex(())
  private var stream: (any ByteStream)?
  private var kept: [UInt8] = []
  private var keeps = true
  private var atEnd = false

  /// Looking at an input takes far less; who wants more has to say what the input is.
  static let mostKept = 16 << 20

  /// Keeps what is read of a source.
  init(_ source: ByteSource) { self.source = source }

  /// Whether streams still begin at the start.
  var isKeeping: Bool { lock.withLock { _ in keeps } }

  /// Lets what is read from now on go.
  func stopKeeping() { lock.withLock { _ in keeps = false } }

  /// Reads what stands at `offset`, which is inside what was kept or behind it.
  func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) throws(ReadError) -> Int {
    try lock.withLock { (_) throws(ReadError) in try lockedRead(at: offset, into: buffer) }
  }

  private func lockedRead(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) throws(ReadError) -> Int {
    if offset < kept.count {
      let count = min(buffer.count, kept.count - offset)
      kept.withUnsafeBytes {
        buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[offset..<offset + count]))
      }
      return count
    }
    if atEnd { return 0 }
    // There is no way back to the start.
    if !keeps { kept = [] }
    if keeps, kept.count >= Self.mostKept {
      throw ReadError(
        .inputFailed, path: source.path,
        message: "the format of the input cannot be recognized in its first \(Self.mostKept >> 20) MiB; set “format”")
    }
    if stream == nil { stream = try source.openFile() }
    let count = try stream?.read(into: buffer) ?? 0
    if count == 0 { atEnd = true }
    if keeps { kept += buffer[..<count] }
    return count
  }
}

extension ReplayedInput: Hashable {
  static func == (left: ReplayedInput, right: ReplayedInput) -> Bool { left === right }
  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// One reading of a replayed input.
final class ReplayedStream: ByteStream {
  let path: String
  private let input: ReplayedInput
  private let taken = Atomic(0)

  init(_ input: ReplayedInput, path: String) {
    self.input = input
    self.path = path
  }

  var bytesRead: Int { taken.load(ordering: .relaxed) }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws(ReadError) -> Int {
    let count = try input.read(at: taken.load(ordering: .relaxed), into: buffer)
    taken.add(count, ordering: .relaxed)
    return count
  }
}
