// swift-format-ignore-file: AlwaysUseLowerCamelCase
import Foundation
import MergewalkObjectStore

/// Whether a store is opened read-only; Apple's `NSReadOnlyPersistentStoreOption`.
public let NSReadOnlyPersistentStoreOption = "NSReadOnlyPersistentStoreOption"
/// Whether a store is migrated when it is opened; Apple's `NSMigratePersistentStoresAutomaticallyOption`.
public let NSMigratePersistentStoresAutomaticallyOption = "NSMigratePersistentStoresAutomaticallyOption"
/// Whether the mapping between two versions is inferred; Apple's `NSInferMappingModelAutomaticallyOption`.
public let NSInferMappingModelAutomaticallyOption = "NSInferMappingModelAutomaticallyOption"
/// Whether a store of another version of the model is opened as it is; Apple's `NSIgnorePersistentStoreVersioningOption`.
public let NSIgnorePersistentStoreVersioningOption = "NSIgnorePersistentStoreVersioningOption"
/// How long a statement waits for another connection, in seconds; Apple's `NSPersistentStoreTimeoutOption`.
public let NSPersistentStoreTimeoutOption = "NSPersistentStoreTimeoutOption"
/// SQLite's settings by name; Apple's `NSSQLitePragmasOption`.
public let NSSQLitePragmasOption = "NSSQLitePragmasOption"
/// Whether SQLite collects statistics when a store is opened; Apple's `NSSQLiteAnalyzeOption`.
public let NSSQLiteAnalyzeOption = "NSSQLiteAnalyzeOption"
/// Whether a store is rebuilt without free pages when it is opened; Apple's `NSSQLiteManualVacuumOption`.
public let NSSQLiteManualVacuumOption = "NSSQLiteManualVacuumOption"
/// Whether a store writes history; Apple's `NSPersistentHistoryTrackingKey`.
public let NSPersistentHistoryTrackingKey = "NSPersistentHistoryTrackingKey"
/// Whether the changes of others are posted; Apple's `NSPersistentStoreRemoteChangeNotificationPostOptionKey`.
public let NSPersistentStoreRemoteChangeNotificationPostOptionKey = "NSPersistentStoreRemoteChangeNotificationOptionKey"

/// Options as Core Data has them, by name, checked: an option that is not known is an error, not ignored.
struct StoreOptions {
  private(set) var options = PersistentStoreOptions()
  private(set) var postsRemoteChanges = false
  private let path: String

  /// The options that are flags of ``PersistentStoreOptions``.
  private static let flags: [String: any WritableKeyPath<PersistentStoreOptions, Bool> & Sendable] = [
    NSReadOnlyPersistentStoreOption: \.isReadOnly,
    NSMigratePersistentStoresAutomaticallyOption: \.migratesAutomatically,
    NSInferMappingModelAutomaticallyOption: \.infersMapping,
    NSIgnorePersistentStoreVersioningOption: \.ignoresVersioning, NSSQLiteAnalyzeOption: \.analyzes,
    NSSQLiteManualVacuumOption: \.vacuums, NSPersistentHistoryTrackingKey: \.tracksHistory,
  ]

  /// Reads options.
  ///
  /// - Throws: `StoreError` with `invalidOption` for a name or a value that is not known.
  init(_ named: [AnyHashable: Any]?, path: String) throws(StoreError) {
    self.path = path
    for (key, value) in named ?? [:] where !(value is NSNull) {
      let name = key.base as? String ?? "\(key)"
      if let flag = Self.flags[name] {
        options[keyPath: flag] = try self.flag(value, name)
        continue
      }
      switch name {
      case NSPersistentStoreRemoteChangeNotificationPostOptionKey: postsRemoteChanges = try flag(value, name)
      case NSPersistentStoreTimeoutOption:
        guard let seconds = value as? NSNumber, seconds.doubleValue >= 0 else {
          throw refusal("the option \(name) takes a number of seconds, but here is “\(value)”")
        }
        options.timeout = seconds.doubleValue
      case NSSQLitePragmasOption:
        guard let pragmas = value as? [String: Any] else {
          throw refusal("the option \(name) takes a dictionary of names and values, but here is “\(value)”")
        }
        options.pragmas = pragmas.sorted { $0.key < $1.key }.map { .init($0.key, "\($0.value)") }
      default:
        let known =
          Self.flags.keys + [
            NSPersistentStoreRemoteChangeNotificationPostOptionKey, NSPersistentStoreTimeoutOption,
            NSSQLitePragmasOption,
          ]
        throw refusal("there is no option “\(name)”; there is \(known.sorted().joined(separator: ", "))")
      }
    }
  }

  /// These options for a coordinator of its own, which has nothing to keep the token of a posting in.
  ///
  /// - Throws: `StoreError` with `invalidOption` if the changes of others are to be posted.
  func withoutPosting() throws(StoreError) -> StoreOptions {
    guard !postsRemoteChanges else {
      throw refusal(
        "a coordinator does not keep posting changes of others: keep the token of postRemoteChanges(), or open the store "
          + "with an NSPersistentContainer")
    }
    return self
  }

  private func flag(_ value: Any, _ name: String) throws(StoreError) -> Bool {
    guard let number = value as? NSNumber else {
      throw refusal("the option \(name) takes true or false, but here is “\(value)”")
    }
    return number.boolValue
  }

  private func refusal(_ message: String) -> StoreError { StoreError(.invalidOption, path: path, message: message) }
}

extension PersistentStoreType {
  /// The type with a name in the metadata, such as ``NSSQLiteStoreType``.
  init(name: String) {
    self = [.sqlite, .inMemory, .xml, .binary].first { $0.name == name } ?? .custom(name)
  }
}
