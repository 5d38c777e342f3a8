import MergewalkDiagnostics
import MergewalkObjectModel

/// `lookup`: what an object of the store has that is found by the value.
struct LookupStep: StepAction {
  var lookup: StoreLookup
  var otherwise: TransformStep.Otherwise

  static let spec = StepSpec(
    "lookup", "An attribute of the object that the value identifies, as the store is when the import begins.",
    example: "{ entity: Country, find_by: code, take: name }", types: "any → its type",
    remark: "as the store is when the import begins; `otherwise` as for `map` (`transform.lookup`)",
    fields: [
      FieldSpec("entity", .text, required: true, "The entity.", example: "Country"),
      FieldSpec("find_by", .text, required: true, "The attribute that is compared with the value.", example: "code"),
      FieldSpec("take", .text, required: true, "The attribute that is returned.", example: "name"),
    ] + FieldSpec.otherwise("that no object has")
  ) { value, reader in
    guard let entity = value.text("entity"), let findBy = value.text("find_by"), let take = value.text("take"),
      let otherwise = value.otherwise(reader)
    else { return nil }
    return LookupStep(
      lookup: StoreLookup(entity: entity.value, findBy: findBy.value, take: take.value), otherwise: otherwise)
  }

  func compile(_ input: Value, _ compiler: inout TransformCompiler) -> Value? {
    guard let (key, kind) = kinds(&compiler) else { return nil }
    guard key != .decimal, key != .double else {
      return compiler.fail("transformOption", "“lookup” finds by texts, whole numbers, dates and truth values")
    }
    // Keys are compared as texts, so numbers have to be written alike on both sides.
    guard let typed = compiler.convert(input, to: key), let text = compiler.convert(typed, to: .text) else {
      return nil
    }
    let table = compiler.plan.lookups.firstIndex(of: lookup) ?? compiler.plan.lookups.count
    if table == compiler.plan.lookups.count { compiler.plan.lookups.append(lookup) }
    // An empty text names no object, as elsewhere it is no number.
    let wanted = compiler.emit(NullTexts(table: LookupTable([("", "")]), reason: .empty), on: text, .text)
    let found = compiler.emit(LookUp(source: .store(table), otherwise: otherwise), on: wanted, .text)
    return compiler.convert(found, to: kind)
  }

  /// The types of the two attributes; nil with a finding when the model does not have them, or they do not fit.
  private func kinds(_ compiler: inout TransformCompiler) -> (key: ValueKind, value: ValueKind)? {
    guard let model = compiler.model else {
      _ = compiler.fail(
        "transformOption", "“lookup” reads a store, but there is none before the records are split",
        hint: "spread them by a column that needs no “lookup”")
      return nil
    }
    func unknown(_ code: String, _ message: String, _ name: String, _ candidates: [String]) {
      _ = compiler.fail(code, message, hint: NearestName.find(name, in: candidates).map { "did you mean “\($0)”?" })
    }
    guard let entity = model.entity(named: lookup.entity) else {
      unknown(
        "unknownEntity", "the model has no entity “\(lookup.entity)”", lookup.entity, model.entities.map(\.name))
      return nil
    }
    var kinds: [ValueKind] = []
    for name in [lookup.findBy, lookup.take] {
      guard let attribute = entity.attribute(named: name) else {
        unknown(
          "unknownAttribute", "“\(entity.name)” has no attribute “\(name)”", name, entity.attributes.map(\.name))
        return nil
      }
      let isText = attribute.type == .string || attribute.type == .uri
      guard !attribute.isTransient, ValueKind(attribute.type) != .text || isText else {
        _ = compiler.fail(
          "transformOption", "“lookup” cannot use “\(name)”, an attribute of type \(attribute.type.xmlName)")
        return nil
      }
      kinds.append(ValueKind(attribute.type))
    }
    return (kinds[0], kinds[1])
  }
}

/// An entity whose objects are looked up by one attribute to get another.
///
/// The objects are read once, when the import begins: those that the run itself creates are not found.
public struct StoreLookup: Sendable, Hashable {
  /// The entity.
  public var entity: String
  /// The attribute to compare with the value.
  public var findBy: String
  /// The attribute to return.
  public var take: String

  /// Creates a look-up.
  public init(entity: String, findBy: String, take: String) {
    self.entity = entity
    self.findBy = findBy
    self.take = take
  }
}

extension TransformStep.Action {
  /// Replaces the value with an attribute of the stored object that has it.
  public static func lookup(_ lookup: StoreLookup, otherwise: TransformStep.Otherwise) -> Self {
    Self("lookup", LookupStep(lookup: lookup, otherwise: otherwise))
  }
}
