import MergewalkDiagnostics

/// A store that is ready in a folder of its own, with the files beside it, and what it takes to give it another place.
package enum StoreMove {
  /// The paths of the files beside a store, relative to its folder, in the order of their names.
  ///
  /// - Parameter final: The path that the store is going to have, for what the files are called then.
  /// - Throws: ``StoreError`` with `inputOutput`: a folder that cannot be read is none without files.
  package static func companions(of store: String, namedFor final: String? = nil) throws(StoreError) -> [String] {
    let folder = ExternalData.folder(ofStore: store)
    let last = final.map(ExternalData.folder(ofStore:)) ?? folder
    let name = FileSystem.name(of: FileSystem.folder(of: last)) + "/" + FileSystem.name(of: last)
    return try FileSystem.namesIfThere(in: folder).filter(StoreUUID.isValid).map { "\(name)/\($0)" }
  }

  /// Gives a store another place on the same file system: the files beside it first, itself last.
  ///
  /// An existing store goes away. Files of the same name are the same, so they may be replaced one by one.
  package static func move(_ from: String, to: String) throws(StoreError) {
    try adopt(companionsOf: from, by: to)
    try FileSystem.rename(from, to: to)
  }

  /// Moves the files beside a store to another store that names them too.
  package static func adopt(companionsOf from: String, by to: String) throws(StoreError) {
    try place(companionsOf: from, beside: to) { (old, new) throws(StoreError) in try FileSystem.rename(old, to: new) }
  }

  /// Copies the files beside a store to a copy of it.
  package static func copy(companionsOf from: String, to: String) throws(StoreError) {
    try place(companionsOf: from, beside: to) { (old, new) throws(StoreError) in
      try FileSystem.copy(old, to: new, access: .derived(from: old))
    }
  }

  private static func place(
    companionsOf from: String, beside to: String, _ place: (String, String) throws(StoreError) -> Void
  ) throws(StoreError) {
    let names = try FileSystem.namesIfThere(in: ExternalData.folder(ofStore: from)).filter(StoreUUID.isValid)
    guard !names.isEmpty else { return }
    let target = ExternalData.folder(ofStore: to)
    try FileSystem.makeFolder(FileSystem.folder(of: target))
    try FileSystem.makeFolder(target)
    for name in names { try place(ExternalData.folder(ofStore: from) + "/" + name, target + "/" + name) }
  }

  /// Removes files beside a store, and their folder when it is empty then; one that a killed process has left empty
  /// goes, too.
  ///
  /// - Parameter isUnwanted: Is asked with the path of each, relative to the store's folder.
  package static func removeCompanions(
    of store: String, where isUnwanted: (String) -> Bool
  ) throws(StoreError) {
    let companions = try companions(of: store)
    let unwanted = companions.filter(isUnwanted)
    let support = FileSystem.folder(of: ExternalData.folder(ofStore: store))
    guard companions.isEmpty ? FileSystem.exists(support) : !unwanted.isEmpty else { return }
    // Those of another store of the same name are among them.
    guard !StoresOfSameName.mayBeThere(beside: store) else { return }
    for name in unwanted { try FileSystem.remove(FileSystem.folder(of: store) + "/" + name) }
    ExternalData.removeEmptyFolder(ofStore: store)
  }

  /// Removes a store and what stands beside it.
  package static func remove(_ store: String) throws(StoreError) {
    try FileSystem.remove(store)
    for suffix in ["-wal", "-shm", "-journal"] { try FileSystem.remove(store + suffix) }
    let support = FileSystem.folder(of: ExternalData.folder(ofStore: store))
    // Another store of the same name has its files in the same folder; to look for one takes time in large families.
    guard FileSystem.exists(support), !StoresOfSameName.mayBeThere(beside: store) else { return }
    try FileSystem.removeTree(support)
  }
}
