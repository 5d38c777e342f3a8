import MergewalkBytes
import MergewalkDiagnostics
import MergewalkSystem
import MergewalkObjectStore
import MergewalkRecordFormats

/// The outward features of an input: its path, its size, a hash of its first and its last 64 KiB, and when it was
/// written.
///
/// The bytes between are not read, because inputs are large: a file that was written meanwhile counts as another one.
///
/// For input that can be read only once, such as standard input, only the path is known; then only the records show
/// whether it is the same.
struct SourcePrint: Sendable, Equatable {
  /// The hash of the path.
  var name: UInt64
  /// The size in bytes; -1 when it is not known.
  var size: Int64
  /// The hash of the first bytes.
  var head: UInt64
  /// The hash of the last bytes.
  var tail: UInt64
  /// When it was written last, in nanoseconds since 1970.
  var written: UInt64 = 0
  /// When anything about it changed last, in nanoseconds since 1970; no program can set that back.
  var changed: UInt64 = 0
  var number: UInt64 = 0

  /// How many bytes at each end are hashed.
  static let windowBytes = 64 << 10

  /// Looks at an input; one that cannot be opened is told by who reads it.
  ///
  /// - Throws: `inputFailed` when reading fails: it is not known to be another input then.
  init(_ source: ByteSource) throws(ReadError) {
    name = Self.nameHash(source.path)
    size = -1
    head = 0
    tail = 0
    guard let bytes = source.fileSize else { return }
    size = Int64(bytes)
    // Of a short file the two pieces are all that there is.
    if bytes > 2 * Self.windowBytes, let status = stat(path: source.path) {
      func nanoseconds(_ time: timespec) -> UInt64 {
        UInt64(bitPattern: Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec))
      }
      written = nanoseconds(status.st_mtim)
      changed = nanoseconds(status.st_ctim)
      number = UInt64(status.st_ino)
    }
    let window = min(bytes, Self.windowBytes)
    head = try Self.hash(source.path, at: 0, count: window)
    tail = try Self.hash(source.path, at: bytes - window, count: window)
  }

  /// Those of all inputs of a run.
  ///
  /// - Throws: `inputFailed`.
  static func prints(of definition: ImportDefinition) throws(ReadError) -> [SourcePrint] {
    var prints: [SourcePrint] = []
    for source in definition.allSources { prints.append(try SourcePrint(source)) }
    return prints
  }

  private init(words: [UInt64]) {
    name = words[0]
    size = Int64(bitPattern: words[1])
    head = words[2]
    tail = words[3]
    written = words[4]
    changed = words[5]
    number = words[6]
  }

  /// The features that stay the same when a file is copied with its times.
  private var contentWords: [UInt64] { [name, UInt64(bitPattern: size), head, tail, written] }

  /// Whether the input was not changed since.
  ///
  /// A copy that has the times of its original is the same; a file that was changed in place and given its old time
  /// back is not.
  func isSame(as other: SourcePrint) -> Bool {
    contentWords == other.contentWords && (number != other.number || changed == other.changed)
  }

  static func hash(_ prints: [SourcePrint]) -> UInt64 {
    prints.flatMap(\.contentWords).flatMap(\.bytes).withUnsafeBytes { bytes in
      bytes.baseAddress.map { CellHash.bytes($0, bytes.count, seed: 4) } ?? 0
    }
  }

  /// Size and hashes for people, such as `4096-9f86d081884c7d65`; `nil` for what can be read only once.
  ///
  /// It is no proof: a change in the middle of a large file that keeps its size does not show.
  var text: String? {
    guard size >= 0 else { return nil }
    return "\(size)-\(Hexadecimal.text(CellHash.mix(head, tail), width: 16))"
  }

  /// Whether the input with this path still begins with the bytes that the fingerprint was made of.
  ///
  /// - Throws: `inputFailed`.
  func isBeginning(of source: ByteSource) throws(ReadError) -> Bool {
    guard size >= 0, let bytes = source.fileSize, Int64(bytes) >= size else { return false }
    let window = min(Int(size), Self.windowBytes)
    guard try Self.hash(source.path, at: 0, count: window) == head else { return false }
    return try Self.hash(source.path, at: Int(size) - window, count: window) == tail
  }

  static func nameHash(_ path: String) -> UInt64 {
    var path = path
    return path.withUTF8 { bytes in bytes.baseAddress.map { CellHash.bytes($0, bytes.count, seed: 1) } ?? 0 }
  }

  /// The hash of a piece of a file; 0 when the file cannot be opened or ends before.
  private static func hash(_ path: String, at offset: Int, count: Int) throws(ReadError) -> UInt64 {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return 0 }
    defer { close(file) }
    let (hash, failure) = withUnsafeTemporaryAllocation(byteCount: max(count, 1), alignment: 8) {
      buffer -> (UInt64, Int32) in
      let piece = UnsafeMutableRawBufferPointer(rebasing: buffer[..<count])
      let (got, failure) = WholeBytes.read(file, at: offset, into: piece)
      return (got == count ? buffer.baseAddress.map { CellHash.bytes($0, count, seed: 2) } ?? 0 : 0, failure)
    }
    guard failure == 0 else { throw ReadError(errno: failure, path: path, doing: "read") }
    return hash
  }

  /// The hash of all bytes of the inputs in their order; `nil` when one of them is no plain file or cannot be opened.
  ///
  /// Paths do not count: what was imported under one name is the same under another.
  ///
  /// - Throws: `inputFailed` when reading fails.
  /// - Complexity: O(bytes of the inputs).
  static func contents(_ sources: [ByteSource]) throws(ReadError) -> UInt64? {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 16)
    defer { buffer.deallocate() }
    guard let base = buffer.baseAddress else { return nil }
    var hash: UInt64 = 3
    for source in sources {
      guard source.fileSize != nil else { return nil }
      let file = open(source.path, O_RDONLY | O_CLOEXEC)
      guard file >= 0 else { return nil }
      defer { close(file) }
      var total = 0
      while true {
        // Pieces are filled, so that the hash does not depend on how the bytes arrive.
        let (filled, failure) = WholeBytes.read(file, into: buffer)
        guard failure == 0 else { throw ReadError(errno: failure, path: source.path, doing: "read") }
        hash = CellHash.bytes(base, filled, seed: hash)
        total += filled
        if filled < buffer.count { break }
      }
      hash = CellHash.mix(hash, UInt64(total) ^ 0x8EBC_6AF0_9C88_C6E3)
    }
    return hash
  }

  // MARK: Bytes

  /// Many fingerprints as bytes, 56 for each.
  static func encode(_ fingerprints: [SourcePrint]) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(fingerprints.count * width)
    for print in fingerprints {
      for word in print.contentWords + [print.changed, print.number] { bytes += word.bytes }
    }
    return bytes
  }

  /// Reads what ``encode(_:)`` wrote; `nil` when it is something else.
  static func decode(_ bytes: [UInt8]) -> [SourcePrint]? {
    guard bytes.count % width == 0 else { return nil }
    return stride(from: 0, to: bytes.count, by: width).map { start in
      SourcePrint(words: (0..<7).map { UInt64(bytes[(start + $0 * 8)..<(start + $0 * 8 + 8)]) })
    }
  }

  private static let width = 56
}

extension UInt64 {
  /// The eight bytes, the highest first.
  var bytes: [UInt8] { withUnsafeBytes(of: bigEndian) { Array($0) } }

  /// The number that eight bytes make, the highest first.
  init(_ bytes: some Collection<UInt8>) {
    self = 0
    for byte in bytes { self = self << 8 | UInt64(byte) }
  }
}
