import MergewalkSystem
import MergewalkObjectModel
import MergewalkSQLite

/// The names of the files beside a store that a run has made or will remove, on disk, so that whoever comes after a crash
/// removes what nothing names.
///
/// A line for each: `+NAME` before a file is made, `-NAME` when rows no longer name it. A line that is not whole is of a
/// process that was killed before it made the file.
struct ExternalFileList {
  let path: String

  /// Names that were made, and those that are to go.
  typealias Names = (made: Set<String>, obsolete: Set<String>)

  /// The names in the list; none when there is no list.
  ///
  /// - Throws: ``StoreError`` with `inputOutput`: a list that cannot be read is none without names.
  func read() throws(StoreError) -> Names {
    var result: Names = ([], [])
    let bytes: [UInt8]?
    do throws(StoreError) { bytes = try FileSystem.headIfThere(path, count: FileSystem.size(path) ?? 0) } catch {
      throw StoreError(
        error.code, path: path, message: "the list of files that an unfinished run has made: \(error.message)")
    }
    for line in (bytes ?? []).split(separator: 10) where line.count == 37 {
      let name = String(decoding: line.dropFirst(), as: UTF8.self)
      guard StoreUUID.isValid(name) else { continue }
      if line.first == UInt8(ascii: "+") { result.made.insert(name) } else { result.obsolete.insert(name) }
    }
    return result
  }

  func add(_ sign: Character, _ names: some Sequence<String>) throws(StoreError) {
    let lines = Array(names.map { "\(sign)\($0)\n" }.joined().utf8)
    guard !lines.isEmpty else { return }
    let file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw FileSystem.failure(path, "cannot open") }
    defer { close(file) }
    guard lines.withUnsafeBytes({ Glibc.write(file, $0.baseAddress, $0.count) }) == lines.count else {
      throw FileSystem.failure(path, "cannot write")
    }
  }
}

extension StoreSchema {
  /// The names of all files beside a store that its rows name.
  ///
  /// - Complexity: O(rows of the entities with such attributes).
  func externalFileNames(_ connection: Connection) throws(StoreError) -> Set<String> {
    var names = Set<String>()
    for root in model.entities where root.isRoot && entityNumbers[root.index] > 0 {
      let table = table(forRoot: root.root)
      let columns = Set(
        model.family(of: root.index).flatMap(\.attributes).filter(\.allowsExternalBinaryDataStorage)
          .compactMap { table.columnName(slot: $0.slot) })
      for column in columns.sorted() {
        let rows = try connection.prepare(
          "SELECT \(column) FROM \(table.name) WHERE \(ExternalData.isFileCell(column))")
        while try rows.step() { names.insert(String(decoding: rows.bytes(0)[1..<37], as: UTF8.self)) }
      }
    }
    return names
  }
}
