import MergewalkObjectModel
import MergewalkObjectStore
import Testing

/// The types of stores that every shared test runs with.
enum StoreKind: String, CaseIterable, Sendable, CustomTestStringConvertible {
  case sqlite, inMemory, xml, binary, customAtomic, incremental

  var testDescription: String { rawValue }

  var type: PersistentStoreType {
    switch self {
    case .sqlite: .sqlite
    case .inMemory: .inMemory
    case .xml: .xml
    case .binary: .binary
    case .customAtomic: .custom("Lines")
    case .incremental: .custom("Server")
    }
  }

  /// Whether what was saved is there when the store is opened again.
  var isPersistent: Bool { self != .inMemory }

  /// Whether the store is a file that is written as a whole.
  var isAtomic: Bool { self == .xml || self == .binary || self == .customAtomic }

  static let persistent = allCases.filter(\.isPersistent)
  static let atomic = allCases.filter(\.isAtomic)

  /// A coordinator that knows the custom types.
  func coordinator(_ model: ManagedObjectModel) -> PersistentStoreCoordinator {
    var registry = StoreTypeRegistry()
    registry.register(atomic: "Lines") { LinesStore() }
    registry.register(incremental: "Server") { path in ServerStore(Server.at(path)) }
    return PersistentStoreCoordinator(model: model, registry: registry)
  }
}
