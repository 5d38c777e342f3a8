import MergewalkObjectModel
import MergewalkObjectStore

/// The transformers of transformable attributes by name; shared by all contexts on the same stores.
final class ValueTransformerRegistry {
  /// How a value is turned into bytes and back.
  enum Entry {
    case forward(any ValueTransformer)
    case unarchiving(any UnarchivingTransformer)
  }

  /// The names under which models mean the default transformer.
  static let defaultNames: Set<String> = [
    "", "NSSecureUnarchiveFromData", "NSSecureUnarchiveFromDataTransformer", "NSSecureUnarchiveFromDataTransformerName",
    "NSKeyedUnarchiveFromData", "NSKeyedUnarchiveFromDataTransformerName",
  ]

  /// The transformer of attributes without a name.
  var standard: any UnarchivingTransformer = PlainArchiver()
  private var entries: [String: Entry] = [:]

  /// The transformers of a coordinator's stores, or of a bare store.
  static func shared(_ stores: StoreList) -> ValueTransformerRegistry {
    let key = ObjectIdentifier(ValueTransformerRegistry.self)
    if let known = stores.companions[key] as? ValueTransformerRegistry { return known }
    let registry = ValueTransformerRegistry()
    stores.companions[key] = registry
    return registry
  }

  /// Takes a transformer, in the place of one with the same name.
  func register(
    _ transformer: any ValueTransformer, forName name: String, model: ManagedObjectModel
  ) throws(ObjectError) {
    guard transformer.allowsReverse else {
      let users = model.entities.flatMap { entity in
        entity.attributes.filter {
          $0.type == .transformable && $0.declaringEntity == entity.index && $0.valueTransformerName == name
        }.map { "\(entity.name).\($0.name)" }
      }
      guard users.isEmpty else {
        throw ObjectError(
          .transformer,
          "the transformer \(name) of \(users.joined(separator: ", ")) does not turn bytes back into values")
      }
      entries[name] = .forward(transformer)
      return
    }
    entries[name] = .forward(transformer)
  }

  /// Takes a transformer whose forward direction leads from bytes to values.
  func register(_ transformer: any UnarchivingTransformer, forName name: String) {
    entries[name] = .unarchiving(transformer)
  }

  /// The transformer of an attribute; `nil` when it is not registered.
  func entry(_ attribute: AttributeDescription) -> Entry? {
    let name = attribute.valueTransformerName ?? ""
    if let entry = entries[name] { return entry }
    return Self.defaultNames.contains(name) ? .unarchiving(standard) : nil
  }
}
