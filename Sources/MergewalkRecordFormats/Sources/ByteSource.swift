import MergewalkSystem

/// The source of an input's bytes.
///
/// Compressed files and members of archives are unpacked while reading, see ``ContainerOptions``.
public struct ByteSource: Sendable, Hashable {
  enum Kind: Sendable, Hashable {
    case file
    case standardInput
    case memory([UInt8], chunks: [Int])
    case replayed(ReplayedInput)
    case piece(SourcePiece)
  }

  /// The path as given by the user, for messages.
  public let path: String
  /// The packing of the bytes.
  public var container = ContainerOptions()
  /// The expected size and checksum of the file's bytes; nil when they are not known.
  package var expected: SourceExpectation?
  let kind: Kind

  /// Creates the source for a file, or for standard input if the path is `-`.
  public init(path: String, container: ContainerOptions = ContainerOptions()) {
    self.path = path
    self.container = container
    kind = path == "-" ? .standardInput : .file
  }

  /// Creates a source of bytes in memory that arrive in pieces of `chunkSize` bytes, for tests; they are unpacked only
  /// on request.
  public init(bytes: some Sequence<UInt8>, chunkSize: Int = .max, path: String = "memory") {
    self.init(bytes: bytes, chunkSizes: [chunkSize], path: path)
  }

  /// Creates a source of bytes in memory that arrive in pieces of the given sizes, the last of which repeats, for
  /// tests.
  public init(bytes: some Sequence<UInt8>, chunkSizes: [Int], path: String = "memory") {
    self.path = path
    container.formats = []
    kind = .memory(Array(bytes), chunks: chunkSizes.map { max(1, $0) })
  }

  /// A piece of another file, which is not unpacked; messages name the path that its records are from.
  package init(piece: SourcePiece, path: String) {
    self.path = path
    container.formats = []
    kind = .piece(piece)
  }

  /// Opens the source for reading from its start, unpacked; an archive must have one member, or one chosen.
  ///
  /// - Throws: `notFound`, `permissionDenied`, `isDirectory`, `inputFailed`, and what is wrong with a container.
  func open() throws(ReadError) -> any ByteStream {
    let contents = try SourceContents(self)
    return try contents.isArchive ? OnlyMember(contents) : contents.first()
  }

  /// A note if the source's name indicates another packing than its bytes; nil otherwise, or if the source can be read
  /// only once.
  ///
  /// - Throws: as `open()`.
  public func namingNote() throws(ReadError) -> String? {
    if isReadOnce || ContainerFormat.named(path).isEmpty { return nil }
    return try SourceContents(self).note
  }

  /// Whether the path names a folder, which cannot be read.
  public var isFolder: Bool { kind == .file && stat(path: path)?.isFolder ?? false }

  /// Whether it is a piece of another file.
  package var isPiece: Bool { if case .piece = kind { true } else { false } }

  /// The file's size in bytes; nil for inputs that can be read only once or whose size is unknown.
  public var fileSize: Int? {
    guard kind == .file, let status = stat(path: path), status.isRegular else { return nil }
    return Int(status.st_size)
  }

  /// Expects this of the file too.
  ///
  /// - Returns: false when something else is expected of it already.
  package mutating func expect(_ more: SourceExpectation) -> Bool {
    var all = expected ?? SourceExpectation()
    if let size = more.size {
      if let known = all.size, known != size { return false }
      all.size = size
    }
    if let digest = more.sha256 {
      if let known = all.sha256, known != digest { return false }
      all.sha256 = digest
    }
    if all != SourceExpectation() { expected = all }
    return true
  }

  /// Checks the file against its expectation, for readers that do not read it from start to end.
  ///
  /// - Throws: `checksumMismatch`, and what opening and reading throw.
  /// - Complexity: O(bytes of the file) if there is an expectation, else O(1).
  public func verifyExpectation() throws(ReadError) {
    guard let expected, let file = try openFile() as? any RandomAccessStream else { return }
    try VerifiedStream.verify(file, expected)
  }

  func openFile() throws(ReadError) -> any ByteStream {
    switch kind {
    case .memory(let bytes, let chunks): MemoryStream(path: path, bytes: bytes, chunks: chunks)
    case .standardInput: FileStream(path: path, descriptor: 0, owned: false)
    case .replayed(let input): ReplayedStream(input, path: path)
    case .piece(let piece): try PieceStream(piece, path: path)
    case .file: try FileStream(opening: path)
    }
  }

  /// Whether it can be read only once: standard input, a pipe, a device.
  public var isReadOnce: Bool {
    switch kind {
    case .standardInput: return true
    case .replayed(let input): return !input.isKeeping
    case .file:
      return stat(path: path).map { !$0.isRegular && !$0.isFolder } ?? false
    default: return false
    }
  }

  // MARK: Looking into pipes

  /// The same source in a form that can be examined before it is read: for inputs that can be read only once, up to 16
  /// MiB are kept until ``endLooking()``.
  public func lookable() -> ByteSource {
    guard isReadOnce else { return self }
    return ByteSource(path: path, container: container, expected: expected, kind: .replayed(ReplayedInput(self)))
  }

  /// Stops keeping the bytes of a ``lookable()`` source: it can be read from its start once more.
  public func endLooking() { if case .replayed(let input) = kind { input.stopKeeping() } }

  private init(path: String, container: ContainerOptions, expected: SourceExpectation?, kind: Kind) {
    self.path = path
    self.container = container
    self.expected = expected
    self.kind = kind
  }
}
