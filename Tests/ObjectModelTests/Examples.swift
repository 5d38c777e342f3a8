import CMergewalkSQLite
import Foundation
import MergewalkObjectModel
import MergewalkTestSupport

/// The example models and stores in `../shared/coredata`.
enum Examples {
  /// The paths of all `.xcdatamodel` folders, relative to `coredata`, sorted.
  static let models: [String] = {
    guard Locations.shared != nil else { return [] }
    let root = Locations.shared("coredata")
    let all = FileManager.default.enumerator(atPath: root)?.compactMap { $0 as? String } ?? []
    return all.filter { $0.hasSuffix(".xcdatamodel") }.sorted()
  }()

  /// Freezes the model at a path relative to `coredata`.
  static func freeze(_ path: String) throws -> ManagedObjectModel {
    try ManagedObjectModel(ModelReader.read(Locations.shared("coredata/" + path)))
  }

  /// The metadata property list of a store, read from a copy together with its write-ahead log.
  static func metadata(ofStore path: String) throws -> [String: Any] {
    let folder = TemporaryFolder()
    let copy = folder.file("store.sqlite")
    let source = Locations.shared("coredata/" + path)
    try FileManager.default.copyItem(atPath: source, toPath: copy)
    if FileManager.default.fileExists(atPath: source + "-wal") {
      try FileManager.default.copyItem(atPath: source + "-wal", toPath: copy + "-wal")
    }
    // The source folder is read-only, and SQLite writes a write-ahead log's index.
    for name in [copy, copy + "-wal"] where FileManager.default.fileExists(atPath: name) {
      try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: name)
    }
    var database: OpaquePointer?
    defer { sqlite3_close(database) }
    guard sqlite3_open_v2(copy, &database, SQLITE_OPEN_READWRITE, nil) == SQLITE_OK else { throw ExampleError(path) }
    var statement: OpaquePointer?
    defer { sqlite3_finalize(statement) }
    guard sqlite3_prepare_v2(database, "SELECT Z_PLIST FROM Z_METADATA", -1, &statement, nil) == SQLITE_OK,
      sqlite3_step(statement) == SQLITE_ROW, let bytes = sqlite3_column_blob(statement, 0)
    else { throw ExampleError(path) }
    return try propertyList(Data(bytes: bytes, count: Int(sqlite3_column_bytes(statement, 0))))
  }

  /// Reads a property list whose root is a dictionary.
  static func propertyList(_ data: Data) throws -> [String: Any] {
    let list = try PropertyListSerialization.propertyList(from: data, format: nil)
    guard let dictionary = list as? [String: Any] else { throw ExampleError("the property list is no dictionary") }
    return dictionary
  }

  /// Turns hashes of a property list into comparable values.
  static func hashes(_ value: Any?) -> [String: [UInt8]] {
    (value as? [String: Data] ?? [:]).mapValues { Array($0) }
  }
}

/// An example file that is not as the tests know it.
struct ExampleError: Error {
  let message: String
  init(_ message: String) { self.message = message }
}

extension ManagedObjectModel {
  /// The version hashes by entity name.
  var hashesByName: [String: [UInt8]] {
    Dictionary(uniqueKeysWithValues: versionHashes.map { ($0.name, $0.hash) })
  }
}

extension [UInt8] {
  /// Lower-case hexadecimal digits.
  var hexadecimal: String {
    map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
  }
}
