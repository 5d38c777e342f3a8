public import MergewalkObjectModel
import MergewalkObjectStore

/// The error that validation methods throw: all reasons at once.
public struct ValidationError: Error, Sendable, CustomStringConvertible {
  /// The findings, one or more.
  public let failures: [ObjectValidationFailure]

  /// Creates an error with one finding of your own.
  ///
  /// - Parameters:
  ///   - message: The reason, for people.
  ///   - object: The object.
  ///   - key: The property at fault; `nil` for the object as a whole.
  ///   - value: The invalid value.
  public init(_ message: String, of object: ManagedObject, forKey key: String? = nil, value: AttributeValue? = nil) {
    var found = [
      ObjectValidationFailure(
        entity: object.entity.name, primaryKey: object.primaryKey, property: key ?? "", code: .custom,
        table: object.table, row: Int32(object.row), objectID: object.objectID, value: value, message: message)
    ]
    object.link.context?.addTitles(&found)
    failures = found
  }

  /// Creates an error with the findings of several errors.
  public init(joining errors: [ValidationError]) { failures = errors.flatMap(\.failures) }

  init(failures: [ObjectValidationFailure]) { self.failures = failures }

  /// The findings, one per line.
  public var description: String { failures.map(\.description).joined(separator: "\n") }
}

extension ManagedObject {
  /// Checks a value against what the model demands of the attribute.
  final func validateByModel(_ value: AttributeValue, forKey key: String) throws(ValidationError) {
    guard let context = try? validContext, let attribute = entity.attribute(named: key), !attribute.isDerived,
      let rule = context.validator(entity).attributes.first(where: { $0.slot == attribute.slot })?.rule
    else { return }
    var code: ValidationFailureCode?
    do {
      let cell = try attribute.cell(value, entity: entity)
      code = cell.bytes.withUnsafeBytes { bytes in
        let hasBytes = cell.tag == CellTag.text || cell.tag == CellTag.blob
        let payload = hasBytes ? ByteRange(offset: 0, length: bytes.count).payload : cell.payload
        return rule.check(tag: cell.tag, payload: payload, arena: bytes.baseAddress)
      }
    } catch {
      code = .type
    }
    guard let code else { return }
    var found = [
      ObjectValidationFailure(
        entity: entity.name, primaryKey: primaryKey, property: key, code: .value(code), table: table, row: Int32(row),
        objectID: objectID, value: value)
    ]
    context.addTitles(&found)
    throw ValidationError(failures: found)
  }

  /// Checks attributes and relationships, and throws what is wrong with both.
  final func validateAll(
    attributes: () throws -> Void,
    relationships: (ManagedObjectContext) throws(ObjectError) -> [ObjectValidationFailure]
  ) throws {
    let context = try validContext
    var failures: [ObjectValidationFailure] = []
    do { try attributes() } catch let error as ValidationError { failures = error.failures }
    failures += try relationships(context)
    if failures.isEmpty { return }
    context.addTitles(&failures)
    throw ValidationError(failures: failures)
  }

  /// Has every attribute's value checked, and puts those in place that were replaced by better ones.
  final func validateAttributes(onlyChanged: Bool) throws {
    let context = try validContext
    try context.fire(self)
    let buffer = context.buffer(table: table)
    var failures: [ObjectValidationFailure] = []
    for attribute in entity.attributes where !attribute.isDerived && attribute.holdsAttributeValue {
      if onlyChanged, !isInserted, !buffer.isDirty(row: row, slot: attribute.slot) { continue }
      let old = try value(forKey: attribute.name)
      var new = old
      do {
        try validateValue(&new, forKey: attribute.name)
        if new != old { try setPrimitiveValue(new, forKey: attribute.name) }
      } catch {
        failures += context.failures(error, of: self, key: attribute.name, value: old)
      }
    }
    if failures.isEmpty { return }
    context.addTitles(&failures)
    throw ValidationError(failures: failures)
  }
}

extension ManagedObjectContext {
  /// Has an object check itself before a save and keeps what it finds.
  func validate(_ object: ManagedObject) {
    isValidatingSave = true
    defer { isValidatingSave = false }
    do {
      switch buffer(table: object.table).states[object.row] {
      case RowState.deleted: try object.validateForDelete()
      case RowState.inserted: try object.validateForInsert()
      default: try object.validateForUpdate()
      }
    } catch {
      hookFailures += failures(error, of: object, key: "", value: nil)
    }
  }

  /// The findings in an error that a validation method threw.
  func failures(
    _ error: any Error, of object: ManagedObject, key: String, value: AttributeValue?
  ) -> [ObjectValidationFailure] {
    if let error = error as? ValidationError { return error.failures }
    return [
      ObjectValidationFailure(
        entity: object.entity.name, primaryKey: object.primaryKey, property: key, code: .custom, table: object.table,
        row: Int32(object.row), objectID: object.objectID, value: value, message: "\(error)")
    ]
  }

  /// Adds what objects found themselves to what was found in their rows; a finding of both counts once.
  func joinHookFailures(_ failures: inout [ObjectValidationFailure]) {
    if hookFailures.isEmpty { return }
    let known = Set(failures.map(FailedProperty.init))
    failures += hookFailures.filter { $0.code == .custom || !known.contains(FailedProperty($0)) }
    hookFailures = []
  }
}

/// The object and property of a finding.
private struct FailedProperty: Hashable {
  var table: TableID
  var row: Int32
  var property: String
  var code: ObjectFailureCode

  init(_ failure: ObjectValidationFailure) {
    table = failure.table
    row = failure.row
    property = failure.property
    code = failure.code
  }
}
