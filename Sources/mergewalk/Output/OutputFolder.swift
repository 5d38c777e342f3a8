import MergewalkSystem
import MergewalkDiagnostics
import MergewalkObjectStore

/// Writes folders of files that belong together, such as a model with its versions: a folder has its name when everything
/// is in it.
enum OutputFolder {
  /// A file by its path in the folder.
  typealias File = (name: String, bytes: [UInt8])

  /// Makes a folder with files in it, in one step; in one that is there, the folder below it that all files are in, or
  /// else all files or none.
  ///
  /// A work folder that a killed process has left is removed.
  ///
  /// - Throws: findings as ``OutputFile/create(_:bytes:access:cure:)`` and `Folders`; a new folder is not there then.
  static func create(_ folder: String, _ files: [File]) throws(DiagnosticList) {
    var (folder, files) = (folder, files)
    StagingFolder.sweep(folder, takesBack: false)
    while FileSystem.exists(folder), let inner = commonFolder(files) {
      folder += "/" + inner
      files = files.map { (name: String($0.name.dropFirst(inner.count + 1)), bytes: $0.bytes) }
      StagingFolder.sweep(folder, takesBack: false)
    }
    if FileSystem.exists(folder) { return try add(files, to: folder) }
    try Folders.createParents(of: folder)
    let work = try findings(folder) { () throws(StoreError) in try StagingFolder(forStore: folder) }
    defer { withExtendedLifetime(work) {} }
    let made = work.file("made")
    for file in files {
      let place = "\(made)/\(file.name)"
      try Folders.createParents(of: place)
      let unfinished = UnfinishedFile(for: place)
      try OutputFile.write(file.bytes, to: unfinished, for: "\(folder)/\(file.name)", access: .usual)
      try findings(folder) { () throws(StoreError) in try unfinished.publish() }
    }
    try findings(folder) { () throws(StoreError) in try FileSystem.renameExclusively(made, to: folder) }
  }

  /// Adds files to a folder: they get their names when all of them are written, and none has one where another fails.
  private static func add(_ files: [File], to folder: String) throws(DiagnosticList) {
    let places = files.map { "\(folder)/\($0.name)" }
    for place in places where FileSystem.exists(place) { throw DiagnosticList([OutputFile.refusal(place, EEXIST)]) }
    var written: [UnfinishedFile] = []
    var named = 0
    do throws(DiagnosticList) {
      for (file, place) in zip(files, places) {
        try Folders.createParents(of: place)
        let unfinished = UnfinishedFile(for: place)
        try OutputFile.write(file.bytes, to: unfinished, for: place, access: .usual)
        written.append(unfinished)
      }
      for unfinished in written {
        try findings(places[named]) { () throws(StoreError) in try unfinished.publish() }
        named += 1
      }
    } catch {
      for unfinished in written { unfinished.remove() }
      for place in places.prefix(named) { unlink(place) }
      throw error
    }
  }

  /// The folder that all files are in, by its first name.
  private static func commonFolder(_ files: [File]) -> String? {
    guard let first = files.first, let slash = first.name.firstIndex(of: "/") else { return nil }
    let folder = String(first.name[..<slash])
    return files.allSatisfy { $0.name.hasPrefix(folder + "/") } ? folder : nil
  }

  private static func findings<Value>(
    _ folder: String, _ body: () throws(StoreError) -> Value
  ) throws(DiagnosticList) -> Value {
    do throws(StoreError) { return try body() } catch {
      throw DiagnosticList(error: "cannotWrite", path: folder, message: error.message)
    }
  }
}
