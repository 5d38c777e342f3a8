import MergewalkDiagnostics
public import MergewalkObjectModel
import MergewalkObjectStore

/// The row that a batch insert's closure fills: a handle on columns, valid during the call.
///
/// Properties are counted from 0 in the order of ``BatchInsertRequest/properties``. A property that is not set gets the
/// model's default, or keeps its value when the row updates an object; setting a property again replaces the value.
///
/// All methods throw ``ObjectError`` with `unknownKey` for a number beyond the request's properties and with
/// `typeMismatch` when the property cannot hold the value, which ends the request unless the closure catches it. The
/// model's other requirements are checked when the rows are written.
public struct BatchRow: ~Copyable {
  let stage: BatchStage
  let columns: [BatchColumn]
  /// How many of the columns the request names.
  let count: Int
  let entity: EntityDescription
  let storeUUID: String

  /// Sets an attribute to a value, or a property to null.
  ///
  /// - Throws: ``ObjectError`` with `typeMismatch`, or `notStorable` for decimals that the store would round.
  public func set(_ property: Int, _ value: AttributeValue) throws(ObjectError) {
    let cell = try column(property).cell(value, entity: entity)
    if cell.tag == CellTag.text || cell.tag == CellTag.blob {
      try stage.requireRoom(cell.bytes.count)
      cell.bytes.withUnsafeBytes { stage.set(property, cell.tag, bytes: $0) }
    } else {
      stage.set(property, cell.tag, cell.payload)
    }
  }

  /// Sets a property to a value; an object ID stands for the object.
  public func set(_ property: Int, _ value: ConstantValue) throws(ObjectError) {
    switch value {
    case .attribute(let value): try set(property, value)
    case .objectID(let id): try set(property, object: id)
    case .collection: throw try column(property).mismatch("a list", entity)
    case .dictionary: throw try column(property).mismatch("a dictionary", entity)
    }
  }

  /// Sets an integer, Double, Float or Decimal attribute to a whole number.
  public func set(_ property: Int, integer: Int64) throws(ObjectError) {
    let column = try column(property)
    switch column.type {
    case .integer16, .integer32, .integer64:
      guard column.range.contains(integer) else { throw column.outOfRange(integer, entity) }
      stage.set(property, CellTag.integer, UInt64(bitPattern: integer))
    default: try set(property, .integer(integer))
    }
  }

  /// Sets a Double or Float attribute.
  public func set(_ property: Int, double: Double) throws(ObjectError) {
    switch try column(property).type {
    case .double: stage.set(property, CellTag.real, double.bitPattern)
    case .float: stage.set(property, CellTag.real, Double(Float(double)).bitPattern)
    default: throw try column(property).mismatch("the number \(double)", entity)
    }
  }

  /// Sets a Date attribute to a number of seconds since 2001-01-01 00:00:00 UTC.
  public func set(_ property: Int, date seconds: Double) throws(ObjectError) {
    guard try column(property).type == .date, seconds.isFinite else {
      throw try column(property).mismatch("the date \(seconds)", entity)
    }
    stage.set(property, CellTag.real, seconds.bitPattern)
  }

  /// Sets a Boolean attribute.
  public func set(_ property: Int, boolean: Bool) throws(ObjectError) {
    guard try column(property).type == .boolean else { throw try column(property).mismatch("\(boolean)", entity) }
    stage.set(property, CellTag.integer, boolean ? 1 : 0)
  }

  /// Sets a String or URI attribute.
  public func set(_ property: Int, text: String) throws(ObjectError) {
    try checkText(property)
    var text = text
    try stage.requireRoom(text.utf8.count)
    text.withUTF8 { stage.set(property, CellTag.text, bytes: UnsafeRawBufferPointer($0)) }
  }

  /// Sets a to-one relationship.
  ///
  /// Whether the object exists and is of the right entity is checked when the rows are written.
  ///
  /// - Throws: ``ObjectError`` with `typeMismatch`, or `otherContext` for an ID of another store.
  public func set(_ property: Int, object id: ManagedObjectID) throws(ObjectError) {
    guard let relationship = try column(property).reference else {
      throw try column(property).mismatch("the object \(id)", entity)
    }
    guard id.storeUUID == storeUUID else { throw ObjectError(.otherContext, "\(id) is the ID of another store") }
    let column = try column(property)
    guard id.entity.root == column.destinationRoot else {
      throw ObjectError(
        .wrongEntity,
        "\(entity.name).\(relationship.name) refers to \(relationship.destinationEntityName), not to \(id)")
    }
    stage.set(property, CellTag.integer, UInt64(bitPattern: id.primaryKey))
  }

  private func checkText(_ property: Int) throws(ObjectError) {
    let type = try column(property).type
    guard type == .string || type == .uri else { throw try column(property).mismatch("text", entity) }
  }

  private func column(_ property: Int) throws(ObjectError) -> BatchColumn {
    guard property >= 0, property < count else {
      throw ObjectError(
        .unknownKey,
        "the request has \(PrintableText.count(count, "property", "properties")) and none with the number \(property)")
    }
    return columns[property]
  }
}
