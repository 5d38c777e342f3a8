import MergewalkDiagnostics
import MergewalkSQLite

/// Copies a prepared store to the path of a new store.
public enum StoreCopy {
  /// The result of a copy.
  public struct Result: Sendable, Hashable {
    /// Whether the copy has the bytes of the original.
    ///
    /// It does, unless the original has a write-ahead log, or another process writes it: then the copy is one file with
    /// the same content.
    public let isByteEqual: Bool
    /// The size of the copy in bytes.
    public let bytes: Int
    /// The number of copied files of external data.
    public let externalFiles: Int
  }

  /// Removes the remains of a copy to a path whose process was killed, including the copy itself unless another process
  /// has changed it since.
  public static func clear(_ path: String) { StagingFolder.sweep(path, takesBack: true) }

  /// Copies a store with its external data to a path where there is none.
  ///
  /// The copy is created beside the path and renamed once it is complete and on the disk; its UUID is that of the
  /// original.
  ///
  /// - Throws: ``StoreError`` with `alreadyExists` if there is a file at the path, or a log of an earlier one; `busy`
  ///   if a crash left the original with a journal; as ``StoreMetadata/read(path:)`` if the original is not a store;
  ///   `damagedFile` if rows name files that are not there; `inputOutput`. The path is then unchanged.
  /// - Complexity: O(bytes of the store); memory is constant.
  @discardableResult
  public static func copy(_ source: String, to path: String) throws(StoreError) -> Result {
    let path = StorePath.resolved(path)
    let source = try StorePath.existing(source)
    let staging = try StagingFolder(forStore: path)
    try SeedFile.requireFree(path)
    let copy = staging.file("copy.sqlite")
    let isByteEqual = try makeCopy(of: source, at: copy)
    try FileSystem.sync(copy)
    try requireFiles(try namedFiles(copy), of: source)
    let files = try stageExternalData(of: source, to: path, staging: staging)
    let bytes = FileSystem.size(copy) ?? 0
    try SeedFile.publish(copy, with: files, as: path, staging)
    return Result(isByteEqual: isByteEqual, bytes: bytes, externalFiles: files.count)
  }

  /// Checks that a store is whole without playing back a journal, which would change it.
  static func requireNoJournal(_ source: String) throws(StoreError) {
    guard !HotJournal.playBack(source) || HotJournal.mayExist(source) else { return }
    throw StoreError(
      .busy, path: source,
      message: "the store has a -journal file: another process writes it, or a crash left it behind")
  }

  /// Makes a single file of a store, logs included.
  ///
  /// - Returns: Whether the file has the bytes of the original.
  static func makeCopy(of source: String, at copy: String) throws(StoreError) -> Bool {
    try requireNoJournal(source)
    let header = try DatabaseHeader(source)
    let isAlone = !LogFiles.hasLog(source) && !FileSystem.exists(source + "-shm")
    return try ReadableStore.withConnection(source) { connection throws(StoreError) in
      _ = try StoreMetadata.read(connection)
      guard isAlone || !LogFiles.areUsed(source, header) else {
        try connection.execute("PRAGMA query_only=OFF")
        FileAccess.derived(from: source).make(copy)
        let vacuum = try connection.prepare("VACUUM INTO ?")
        vacuum.bind(1, text: copy)
        try vacuum.run()
        return false
      }
      // The lock of a reader keeps writers out while the bytes are read.
      try connection.execute("BEGIN; SELECT count(*) FROM sqlite_master")
      try write(connection, of: source, to: copy)
      try connection.execute("COMMIT")
      return true
    }
  }

  private static func write(_ connection: Connection, of source: String, to copy: String) throws(StoreError) {
    guard let size = connection.fileSize else {
      throw StoreError(.inputOutput, path: connection.name, message: "cannot tell the size of the file")
    }
    try FileSystem.create(copy, access: .derived(from: source)) { buffer, offset throws(StoreError) in
      let count = min(buffer.count, size - offset)
      guard count > 0 else { return 0 }
      guard connection.read(at: offset, into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<count])) else {
        throw StoreError(.inputOutput, path: connection.name, message: "cannot read the file")
      }
      return count
    }
  }

  /// Where files are that are ready, and where they will be; a file that has that name already has the same bytes.
  typealias Moves = [(from: String, to: String)]

  /// Copies the files beside a store into the folder in which a copy of it is made.
  ///
  /// - Parameter names: The files that rows name; `nil` for all that are there.
  /// - Throws: ``StoreError`` with `damagedFile` when one of these names is not that of a file there, so that its value
  ///   is lost already, or with `inputOutput`.
  static func stageExternalData(
    of source: String, to path: String, staging: StagingFolder, names: [String]? = nil
  ) throws(StoreError) -> Moves {
    let from = ExternalData.folder(ofStore: source)
    let to = ExternalData.folder(ofStore: path)
    try requireFiles(names ?? [], of: source)
    let files: [String]
    if let names { files = names } else { files = try presentFiles(of: source) }
    for name in files {
      let access = FileAccess.derived(from: from + "/" + name).narrowed(by: FileAccess.derived(from: path))
      try FileSystem.copy(from + "/" + name, to: staging.file(name), access: access)
      try FileSystem.sync(staging.file(name))
    }
    return files.map { (from: staging.file($0), to: to + "/" + $0) }
  }

  private static func presentFiles(of source: String) throws(StoreError) -> [String] {
    let names = try FileSystem.namesIfThere(in: ExternalData.folder(ofStore: source))
    return names.filter(StoreUUID.isValid)
  }

  /// The files that rows of a store name; none where the store has no copy of its model that tells the columns.
  private static func namedFiles(_ store: String) throws(StoreError) -> [String] {
    try ReadableStore.withConnection(store) { connection throws(StoreError) in
      guard let found = try? StoreModel.find(connection, explicit: nil, path: store),
        let schema = try? StoreSchema(model: found.model, configuration: found.configuration)?.adapted(to: connection)
      else { return [] }
      return try schema.externalFileNames(connection).sorted()
    }
  }

  /// Ensures that files are there that rows name: without them, values are lost.
  private static func requireFiles(_ names: [String], of source: String) throws(StoreError) {
    guard !names.isEmpty else { return }
    let missing = Set(names).subtracting(try presentFiles(of: source)).sorted()
    guard let first = missing.first else { return }
    throw StoreError(
      .damagedFile, path: source,
      message: "rows name files that are not in \(ExternalData.folder(ofStore: source)): \(missing.count), such as"
        + " \(first); copy the folder .NAME_SUPPORT that belongs to the store with it")
  }

  /// Gives the files beside a store their names, each in one step, and makes them durable; the store itself comes after
  /// them, so that there is none that a row names and that is missing.
  static func place(_ files: Moves) throws(StoreError) {
    guard let first = files.first else { return }
    let folder = FileSystem.folder(of: first.to)
    try FileSystem.makeFolder(FileSystem.folder(of: folder))
    try FileSystem.makeFolder(folder)
    for (from, to) in files { try FileSystem.rename(from, to: to) }
    try FileSystem.sync(folder)
    try FileSystem.sync(FileSystem.folder(of: folder))
  }

  /// Puts a store that is ready in the place of another one, the files beside it first, and makes it durable.
  ///
  /// - Returns: The names of files of the old store that stay, sorted: another store has the same folder, or they could not
  ///   be removed.
  /// - Throws: ``StoreError`` with `inputOutput`; the old store is as it was, unless only making the new one durable failed.
  static func replace(_ path: String, with store: String, _ files: Moves) throws(StoreError) -> [String] {
    let former = try ExternalFiles.names(besideStore: path)
    let names = Set(files.map { FileSystem.name(of: $0.to) })
    let beside = ExternalFiles(path: path, hasReproducibleNames: false, list: nil)
    do throws(StoreError) {
      try place(files)
      try FileSystem.rename(store, to: path)
    } catch {
      beside.remove(names.subtracting(former))
      ExternalData.removeEmptyFolder(ofStore: path)
      throw error
    }
    try FileSystem.sync(FileSystem.folder(of: path))
    beside.removeFormer(former.subtracting(names))
    // Only empty folders go away.
    ExternalData.removeEmptyFolder(ofStore: path)
    return beside.sharedFiles.union(beside.staying).sorted()
  }
}
