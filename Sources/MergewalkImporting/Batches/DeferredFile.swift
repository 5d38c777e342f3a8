/// The file in which records wait that ``DeferredRecords`` put off: blocks of one or several imports, one after the other.
///
/// It has no name in any folder, so nothing is left when the process dies; if another process may resume the run, it has
/// a name, and a checkpoint records how many of its bytes count. What an earlier process has written behind these is cut off.
///
/// A block begins with eight bytes for each of: its length, the number of its import, its kind, its generation, and its
/// number of records. Its content is up to its owner.
final class DeferredFile {
  enum Kind: Int {
    /// Records that are imported later.
    case records
    /// References, and lists, of objects that the first of two passes has made.
    case references
  }

  /// Whose block it is.
  struct Owner: Hashable {
    /// The number of the import in the run.
    var part: Int
    var kind: Kind
    /// Counts how often the records that wait were gone through, and those that go on waiting kept again.
    var generation = 0
  }

  private let folder: String
  private let path: String?
  private var file: TemporaryFile?
  /// Where the blocks of each owner begin, and how many records they have.
  private var blocks: [Owner: (starts: [Int], records: Int)] = [:]
  private static let headerCount = 5

  /// The bytes that were written.
  var length: Int { file?.length ?? 0 }

  /// - Parameters:
  ///   - folder: Where a file without a name is made.
  ///   - path: The file's path, when it is to have a name.
  ///   - bytes: How many bytes of an earlier process's file count.
  /// - Throws: `temporaryFile` when it has become shorter, or holds something else.
  init(folder: String, path: String? = nil, keeping bytes: Int = 0) throws(ImportError) {
    self.folder = folder
    self.path = path
    guard let path, bytes > 0 else { return }
    let file = try TemporaryFile(path: path, keeping: bytes)
    self.file = file
    var start = 0
    while start < bytes {
      try file.seek(to: start)
      var header = ContiguousArray<Int>()
      guard bytes - start >= Self.headerCount * MemoryLayout<Int>.size else { throw Self.notWhole(path) }
      try file.read(into: &header, count: Self.headerCount)
      guard header[0] >= Self.headerCount * MemoryLayout<Int>.size, header[0] <= bytes - start, header[4] >= 0,
        let kind = Kind(rawValue: header[2])
      else { throw Self.notWhole(path) }
      note(start, records: header[4], of: Owner(part: header[1], kind: kind, generation: header[3]))
      start += header[0]
    }
  }

  private static func notWhole(_ path: String) -> ImportError {
    ImportError(
      code: .temporaryFile,
      message: "\(path) does not hold the records that the unfinished run has put off;"
        + " discard the run and start over with --restart")
  }

  private func note(_ start: Int, records: Int, of owner: Owner) {
    blocks[owner, default: ([], 0)].starts.append(start)
    blocks[owner, default: ([], 0)].records += records
  }

  func blockCount(of owner: Owner) -> Int { blocks[owner]?.starts.count ?? 0 }

  func recordCount(of owner: Owner) -> Int { blocks[owner]?.records ?? 0 }

  func append(
    _ owner: Owner, records: Int, _ body: (TemporaryFile) throws(ImportError) -> Void
  ) throws(ImportError) {
    let file: TemporaryFile
    if let open = self.file {
      file = open
    } else if let path {
      file = try TemporaryFile(path: path, keeping: 0)
    } else {
      file = try TemporaryFile(folder: folder)
    }
    self.file = file
    let start = file.length
    try file.seek(to: start)
    try file.write(
      ContiguousArray([0, owner.part, owner.kind.rawValue, owner.generation, records]), count: Self.headerCount)
    try body(file)
    try file.overwrite(file.length - start, at: start)
    note(start, records: records, of: owner)
  }

  /// Reads a block.
  ///
  /// - Parameter body: Gets the file, and how many bytes the block has at most; whether what it read can be.
  func read(
    _ block: Int, of owner: Owner, _ body: (TemporaryFile, Int) throws(ImportError) -> Bool
  ) throws(ImportError) {
    guard let file, let start = blocks[owner]?.starts[block] else { return }
    try file.seek(to: start + Self.headerCount * MemoryLayout<Int>.size)
    guard try body(file, file.length - start) else { throw Self.notWhole(path ?? folder) }
  }

  /// Waits until everything is on the disk.
  func sync() throws(ImportError) { try file?.sync() }
}
