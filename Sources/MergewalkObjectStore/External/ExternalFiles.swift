import MergewalkDiagnostics
package import MergewalkObjectModel

/// The files with values beside a store that is being written: made before the rows that name them are committed, and
/// removed when nothing names them any more.
///
/// A file is on the disk before the transaction ends; so a machine that stops in between leaves a file that no row names,
/// which does no harm, and never a row whose file is missing.
package final class ExternalFiles {
  private let path: String
  /// Whether names are made of what is stored, so that the same input makes the same store.
  var hasReproducibleNames: Bool
  /// The files that the run has made.
  private var made: [String] = []
  /// The same, for names that may come again.
  private var madeNames = Set<String>()
  /// The files that rows named before they were written, and do not name afterwards.
  private var obsolete = Set<String>()
  /// The changes of ``obsolete`` since the first piece began that is still open.
  private var changes: [(name: String, isAdded: Bool)] = []
  /// The pieces of the transaction that may be rolled back by themselves, each within the one before it.
  private var pieces: [(made: Int, changes: Int)] = []
  /// The list of files that were made or are to go, for the next process after a crash; `nil` where every commit is
  /// final.
  private let list: ExternalFileList?
  /// The files that nothing names any more and that could not be removed.
  package private(set) var staying = Set<String>()
  /// The files that no row of the store names any more and that stay, as another store of the same name may name them.
  package private(set) var sharedFiles = Set<String>()
  /// The files of a run that was rolled back which stay as rows may name them, with the reason why these cannot be read.
  package private(set) var unknown: (names: Set<String>, reason: StoreError)?
  /// Whether another store with the same folder was met; it is looked for again until then.
  private var hasMetOthers = false
  /// The files that earlier processes of the run have made and replaced.
  private var earlier: ExternalFileList.Names
  private var isFolderDirty = false
  /// Whether the names of the folder and the one above it are on the disk.
  private var isFolderNamed = false

  /// - Parameters:
  ///   - list: The list that outlasts a crash; `nil` for none.
  ///   - earlier: What earlier processes have written to it.
  init(
    path: String, hasReproducibleNames: Bool, list: ExternalFileList?, earlier: ExternalFileList.Names = ([], [])
  ) {
    self.path = path
    self.hasReproducibleNames = hasReproducibleNames
    self.list = list
    self.earlier = earlier
  }

  /// Whether an earlier process has left names.
  var hasEarlier: Bool { !earlier.made.isEmpty || !earlier.obsolete.isEmpty }

  /// Removes what an earlier process has made for a batch that it has not committed, and what it has replaced and did not
  /// come to remove.
  ///
  /// - Parameter named: The files that rows name.
  func adopt(named: Set<String>) {
    let lost = earlier.made.union(earlier.obsolete).subtracting(named)
    remove(earlier.made.intersection(lost))
    removeFormer(earlier.obsolete.intersection(lost).subtracting(earlier.made))
    earlier.made.subtract(lost)
    earlier.obsolete.subtract(lost)
  }

  /// Notes that what rows name cannot be read, so that what earlier processes have made stays, with its list.
  func keepEarlier(_ reason: StoreError) { if !earlier.made.isEmpty { unknown = (earlier.made, reason) } }

  private var folder: String { ExternalData.folder(ofStore: path) }

  /// Writes a value and returns the cell that names it.
  ///
  /// - Parameters:
  ///   - table: The table of the row that has the value.
  ///   - primaryKey: The row.
  ///   - slot: The slot of the attribute.
  /// - Throws: ``StoreError`` with `inputOutput`; no file is left then.
  package func write(
    _ bytes: UnsafeRawBufferPointer, table: String, primaryKey: Int64, slot: Int
  ) throws(StoreError) -> [UInt8] {
    // Whoever removes the last file removes the folders.
    try FileSystem.makeFolder(FileSystem.folder(of: folder))
    if try FileSystem.makeFolder(folder) { isFolderNamed = false }
    var name = StoreUUID.make()
    if hasReproducibleNames {
      var attempt: Int64 = 0
      while true {
        name = reproducibleName(bytes, table: table, primaryKey: primaryKey, slot: slot, attempt: attempt)
        // A value that was set, replaced and set again.
        if obsolete.remove(name) != nil {
          if !pieces.isEmpty { changes.append((name, false)) }
          return Self.cell(name)
        }
        if madeNames.contains(name) { return Self.cell(name) }
        // A store of the same name whose rows hold the same has this file: it may not be written over, and it would not
        // be this run's to remove.
        guard !earlier.made.contains(name), FileSystem.exists(folder + "/" + name), hasOthers else { break }
        attempt += 1
      }
      // What a run that crashed left behind has this name and maybe not all of the bytes.
      try FileSystem.remove(folder + "/" + name)
    }
    let file = folder + "/" + name
    staying.remove(name)
    try list?.add("+", [name])
    made.append(name)
    madeNames.insert(name)
    isFolderDirty = true
    do {
      var done = 0
      try FileSystem.create(file, access: .derived(from: path)) { buffer, _ in
        let count = min(buffer.count, bytes.count - done)
        buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[done..<done + count]))
        done += count
        return count
      }
      try FileSystem.sync(file)
    } catch {
      removeMade(since: made.count - 1)
      throw error
    }
    return Self.cell(name)
  }

  /// The name of a value's file: the same each time that the same store is made.
  ///
  /// - Parameter attempt: How many names were taken by another store; the store's own name tells them apart from 1 on.
  private func reproducibleName(
    _ bytes: UnsafeRawBufferPointer, table: String, primaryKey: Int64, slot: Int, attempt: Int64
  ) -> String {
    let digest = DigestStream()
    digest.add(text: table)
    digest.add(primaryKey)
    digest.add(Int64(slot))
    digest.add(bytes)
    if attempt > 0 {
      digest.add(text: FileSystem.name(of: path))
      digest.add(attempt)
    }
    return StoreUUID.make(fromDigest: digest.finish())
  }

  /// Whether another store keeps its values in the same folder.
  private var hasOthers: Bool {
    if !hasMetOthers { hasMetOthers = StoresOfSameName.mayBeThere(beside: path) }
    return hasMetOthers
  }

  private static func cell(_ name: String) -> [UInt8] { [ExternalData.fileTag] + Array(name.utf8) + [0] }

  /// Waits until the names of the files, and of the folders that they are in, are on the disk too; belongs before the end of the transaction.
  package func sync() throws(StoreError) {
    guard isFolderDirty else { return }
    try FileSystem.sync(folder)
    if !isFolderNamed {
      try FileSystem.sync(FileSystem.folder(of: folder))
      try FileSystem.sync(FileSystem.folder(of: path))
      isFolderNamed = true
    }
    isFolderDirty = false
  }

  /// Takes note of files that are going to be made in another way; those that are there already are not the run's.
  func willMake(_ names: [String]) {
    made += names.filter { !FileSystem.exists(folder + "/" + $0) }
    madeNames.formUnion(made)
  }

  /// How many files were made so far; to be given to ``removeMade(since:)``.
  package var mark: Int { made.count }

  /// Removes the files that were made since a mark was taken: the rows that name them were rolled back.
  package func removeMade(since mark: Int) {
    guard made.count > mark else { return }
    remove(made[mark...])
    madeNames.subtract(made[mark...])
    made.removeLast(made.count - mark)
  }

  /// Takes note of files that nothing will name once the transaction is committed.
  package func add(obsolete names: Set<String>) throws(StoreError) {
    try list?.add("-", names)
    if !pieces.isEmpty { for name in names where !obsolete.contains(name) { changes.append((name, true)) } }
    obsolete.formUnion(names)
  }

  /// Begins a piece of the transaction that may be rolled back by itself.
  func beginPiece() { pieces.append((made.count, changes.count)) }

  /// Ends the piece that was begun last.
  ///
  /// - Parameter isKept: Whether its rows stay. If not, what it has made is removed, and what it has replaced stays.
  func endPiece(isKept: Bool) {
    guard let piece = pieces.popLast() else { return }
    if !isKept {
      removeMade(since: piece.made)
      for change in changes[piece.changes...].reversed() {
        if change.isAdded { obsolete.remove(change.name) } else { obsolete.insert(change.name) }
      }
      changes.removeLast(changes.count - piece.changes)
    }
    if pieces.isEmpty { changes = [] }
  }

  /// Forgets such files: the transaction was rolled back.
  func keep(_ names: Set<String>) { obsolete.subtract(names) }

  /// The transaction, or the run, was committed: removes what nothing names any more.
  ///
  /// - Parameter named: The files that rows name, for what earlier processes have replaced.
  package func removeObsolete(named: Set<String> = []) {
    let former = obsolete.union(earlier.obsolete.subtracting(named))
    // What this run has made and replaced was never in any store.
    remove(former.intersection(madeNames))
    removeFormer(former.subtracting(madeNames))
    obsolete = []
    made = []
    madeNames = []
    earlier = ([], [])
    endList()
    // Those of an app's commits may be filled again at once.
    if list != nil { ExternalData.removeEmptyFolder(ofStore: path) }
  }

  /// The run was rolled back: removes what it has made.
  ///
  /// - Parameter named: `nil` when what earlier processes have made stays; else the files that rows name all the same.
  func removeAllMade(named: Set<String>?) {
    obsolete = []
    if let named {
      made += earlier.made.subtracting(named)
      earlier = ([], [])
    }
    // Without names of earlier processes there are only those of this one.
    let isListOver = !hasEarlier
    defer { if isListOver { endList() } }
    guard !made.isEmpty else { return }
    remove(made)
    made = []
    madeNames = []
    ExternalData.removeEmptyFolder(ofStore: path)
  }

  /// The names of the files beside a store that hold values.
  ///
  /// - Throws: ``StoreError`` with `inputOutput`: a folder that cannot be read is none without files.
  static func names(besideStore path: String) throws(StoreError) -> Set<String> {
    Set(try FileSystem.namesIfThere(in: ExternalData.folder(ofStore: path)).filter(StoreUUID.isValid))
  }

  /// Removes files that rows have named until they were changed; where another store has the same folder, they stay, as
  /// a copy of the rows may be in it.
  func removeFormer(_ names: Set<String>) {
    guard !names.isEmpty, StoresOfSameName.mayBeThere(beside: path) else { return remove(names) }
    sharedFiles.formUnion(names)
    remove([String]())
  }

  /// Removes files; one that stays does no harm, and is noted.
  func remove(_ names: some Sequence<String>) {
    for name in staying.union(names) where StoreUUID.isValid(name) {
      do throws(StoreError) {
        try FileSystem.remove(folder + "/" + name)
        staying.remove(name)
      } catch {
        staying.insert(name)
      }
    }
  }

  /// Removes the list, unless files stay: the next process that has the list tries again.
  private func endList() {
    guard let list else { return }
    try? FileSystem.remove(list.path)
    try? list.add("-", staying)
  }
}

extension PersistentStore {
  /// The slots of a root entity's table whose large values go into files; none in stores that have no files beside them.
  package func externalSlots(root: RootIndex) -> [Int] {
    guard type == .sqlite else { return [] }
    return externalSlotLists[root.index]
  }
}
