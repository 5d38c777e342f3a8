import Foundation
import MergewalkObjectModel
import MergewalkTestSupport
import Testing

/// The real stores of `../shared/coredata`, copied with their logs before they are opened.
struct RealStore: Sendable, CustomTestStringConvertible {
  /// The store's path below `coredata`.
  var store: String
  /// The model's path below `coredata`, or `nil` when it is only in the store's cache.
  var model: String?
  /// The model's version; `nil` for the current one.
  var version: String?

  var testDescription: String { store }

  /// All stores.
  static let all: [RealStore] =
    withModel + [
      RealStore(store: "photoanalysis/CLSContactCache.sqlite"),
      RealStore(store: "photoanalysis/CLSLocationCache.sqlite"),
      RealStore(store: "photoanalysis/CLSPublicEventCache.sqlite"), RealStore(store: "plaso/Accounts3.sqlite"),
      RealStore(store: "plaso/DataUsage.sqlite"),
    ]

  /// The stores with their models.
  static let withModel: [RealStore] = [
    RealStore(
      store: "duckduckgo/Bookmarks_V1.sqlite", model: "duckduckgo/BookmarksModel.xcdatamodeld",
      version: "BookmarksModel"),
    RealStore(
      store: "duckduckgo/Bookmarks_V2.sqlite", model: "duckduckgo/BookmarksModel.xcdatamodeld",
      version: "BookmarksModel 2"),
    RealStore(
      store: "duckduckgo/Bookmarks_V3.sqlite", model: "duckduckgo/BookmarksModel.xcdatamodeld",
      version: "BookmarksModel 3"),
    RealStore(
      store: "duckduckgo/Bookmarks_V4.sqlite", model: "duckduckgo/BookmarksModel.xcdatamodeld",
      version: "BookmarksModel 4"),
    RealStore(
      store: "duckduckgo/SyncMetadata_V3.sqlite", model: "duckduckgo/SyncMetadata.xcdatamodeld",
      version: "SyncMetadata 3"),
    RealStore(
      store: "xcserver/XCServerCoreData_1.2.0.sqlite", model: "xcserver/XCServerCoreData.xcdatamodeld",
      version: "XCServerCoreData1.2.0"),
    RealStore(
      store: "xcserver/XCServerCoreData_1.2.0_empty.sqlite", model: "xcserver/XCServerCoreData.xcdatamodeld",
      version: "XCServerCoreData1.2.0"),
  ]

  /// Copies the store, and its log if it has one, and returns the copy's path.
  func copy(to folder: TemporaryFolder) throws -> String {
    let name = (store as NSString).lastPathComponent
    for suffix in ["", "-wal"] {
      let source = Locations.shared("coredata/" + store + suffix)
      guard FileManager.default.fileExists(atPath: source) else { continue }
      try FileManager.default.copyItem(atPath: source, toPath: folder.file(name + suffix))
      try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: folder.file(name + suffix))
    }
    return folder.file(name)
  }

  func readModel() throws -> ManagedObjectModel? {
    guard let model else { return nil }
    return try ManagedObjectModel(ModelReader.read(Locations.shared("coredata/" + model), version: version))
  }
}

/// Whole files as bytes.
enum FileContents {
  static func read(_ path: String) throws -> Data { try Data(contentsOf: URL(fileURLWithPath: path)) }
}
