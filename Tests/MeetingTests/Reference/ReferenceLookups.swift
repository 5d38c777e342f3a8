@testable import MergewalkImporting
import MergewalkObjectModel

/// What steps look up of the store, as it was when the import began.
extension ReferenceImporter {
  /// Whether steps of an import look up what another one writes, and it does not itself.
  func looksUp(_ part: ImportPart, in other: ImportPart) -> Bool {
    func hierarchy(_ name: String) -> Int? { model.entity(named: name)?.rootIndex }
    func steps(_ entity: EntityImport) -> [TransformStep] {
      (entity.findBy + entity.attributes).flatMap(\.steps) + entity.relationships.flatMap { steps($0.target) }
    }
    let (own, written) = (hierarchy(part.root.entityName), hierarchy(other.root.entityName))
    return (part.columns.flatMap(\.steps) + steps(part.root)).contains { step in
      guard let lookup = (step.action.step as? LookupStep)?.lookup, let wanted = hierarchy(lookup.entity) else {
        return false
      }
      return wanted == written && wanted != own
    }
  }

  /// What the object has that has the value; objects without either do not count.
  func lookUp(_ step: LookupStep, _ value: TransformValue) throws(TransformFailure) -> TransformValue {
    // An empty text names nothing.
    if value == .text("") { return .null }
    let lookup = step.lookup
    let wanted = ReferenceValue(text: value.text)
    var found: Set<ReferenceValue> = []
    for object in lookedUp.objects.values
    where isOf(object.entity, lookup.entity) && object.attributes[lookup.findBy] == wanted {
      if let taken = object.attributes[lookup.take], taken != .null { found.insert(taken) }
    }
    if found.count > 1 { throw TransformFailure("transform.lookup") }
    switch found.first {
    case .text(let bytes)?: return .text(String(decoding: bytes, as: UTF8.self))
    case .integer(let number)?: return .integer(number)
    case let other?: preconditionFailure("the reference importer does not look up \(other)")
    case nil: break
    }
    switch step.otherwise {
    case .reject: throw TransformFailure("transform.lookup")
    case .null: return .null
    case .keep: return value
    case .text(let text): return .text(text)
    }
  }
}
