import MergewalkSystem
import MergewalkDiagnostics
import MergewalkSQLite

extension JointJournal {
  /// Makes saves over several stores whole that a crash has left in some of them, as far as this process may write.
  ///
  /// What cannot be made now stays written down: while the process that saves is alive, or a store is not there or busy.
  /// What can never be made, because rows are not what they were, is given up: ``PersistentStoreCoordinator/partialSaves``
  /// tells.
  ///
  /// - Parameter store: The resolved path of one of the stores, which is not open in a transaction here.
  /// - Complexity: One look at a name when there is nothing to do.
  static func complete(_ store: String) {
    let folder = folder(of: store)
    guard FileSystem.exists(folder) else { return }
    for name in FileSystem.names(in: folder).sorted() { complete(file: "\(folder)/\(name)") }
    rmdir(folder)
  }

  /// Makes one save whole.
  private static func complete(file: String) {
    let descriptor = open(file, O_RDWR | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else {
      // A link that leads nowhere: the save is in all stores, or in none.
      if errno == ENOENT { try? FileSystem.remove(file) }
      return
    }
    defer { close(descriptor) }
    guard stat(descriptor: descriptor)?.isRegular ?? false, flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { return }
    let journal = ResolvedPath.of(file)
    // Whoever had the lock may have removed it meanwhile.
    guard let info = stat(descriptor: descriptor), info.st_nlink > 0 else { return remove(journal, links: [file]) }
    var bytes = [UInt8](repeating: 0, count: Int(info.st_size))
    let (count, failure) = bytes.withUnsafeMutableBytes { WholeBytes.read(descriptor, at: 0, into: $0) }
    // What cannot be read now is no half of a journal.
    guard failure == 0 else { return }
    let near = FileSystem.folder(of: FileSystem.folder(of: journal))
    guard count == bytes.count, let parts = JointContent.parts(bytes, folder: near) else {
      return remove(journal, links: file == journal ? [] : [file])
    }
    var isDone = true
    for part in parts { isDone = part.complete() && isDone }
    guard isDone else { return }
    let links = parts.dropFirst().map { "\(folder(of: $0.path))/\(FileSystem.name(of: journal))" }
    remove(journal, links: links)
  }
}

extension JointJournal.Part {
  /// Brings a store what it lacks of the save.
  ///
  /// - Returns: Whether there is nothing left to do, or nothing that could ever be done.
  fileprivate func complete() -> Bool {
    guard FileSystem.exists(path) else { return false }
    do throws(StoreError) {
      switch content {
      case .rows(let changes, let schema): try complete(changes, schema)
      case .file(let file, let former): try complete(file, former)
      }
      return true
    } catch {
      return false
    }
  }

  private func complete(_ changes: [UInt8], _ schema: Int64) throws(StoreError) {
    let connection = try Connection.open(path, .readWrite)
    connection.keepLogOnClose()
    do throws(StoreError) {
      try connection.execute("PRAGMA synchronous=FULL; BEGIN IMMEDIATE")
      let metadata = try StoreMetadata.read(connection)
      let has = metadata.joinedSaves
      if metadata.uuid == identifier, saves.contains(where: { has[$0.key] ?? 0 < $0.value }),
        try connection.integer("PRAGMA schema_version") == schema,
        try RepeatedSave(connection).run(changes)
      {
        try connection.execute("COMMIT")
      } else {
        try connection.execute("ROLLBACK")
      }
      try connection.close()
    } catch {
      try? connection.close()
      throw error
    }
  }

  private func complete(_ file: String, _ former: [Int64]) throws(StoreError) {
    guard FileSystem.exists(file) else { return }
    if FileIdentity(path)?.numbers == former {
      try FileSystem.rename(file, to: path)
      try FileSystem.sync(FileSystem.folder(of: path))
    } else {
      try FileSystem.remove(file)
    }
  }
}
