import Diagnostics
import ObjectModel
import ObjectStore
import RecordFormats

/// The import of one entity's whole objects, resolved against the model and the headers of its files.
struct ObjectPlan: Sendable {
  /// The entity.
  let entity: EntityDescription
  /// The inputs.
  let sources: [ByteSource]
  /// How they are read.
  let format: RecordFormat
  /// What a reference to an object that is not there means.
  let missing: MissingTargetPolicy
  /// The fields as the reader's thread converts them.
  let plan: ImportPlan
  /// What each field of ``plan`` is.
  let fields: [ObjectField]
  /// Where the table's columns come from, the identity first.
  let columns: [Column]
  /// The many-to-many relationships.
  let links: [Links]

  /// A column of the table.
  struct Column: Sendable {
    var definition: ColumnDefinition
    /// The field that it comes from; `nil` for positions that no field gives.
    var field: Int?
    /// For positions: the field with the identity that they belong to.
    var reference: Int?
  }

  /// A many-to-many relationship.
  struct Links: Sendable {
    var joinTable: Int
    /// The field with the identities, and those with the positions where there are any.
    var field: Int
    var orders: Int?
    var inverseOrders: Int?
  }

  /// Resolves a definition's part.
  ///
  /// - Throws: `DiagnosticList` with everything that is wrong.
  init(_ part: ObjectImport, definition: ImportDefinition, schema: StoreSchema) throws(DiagnosticList) {
    guard let entity = definition.model.entity(named: part.entityName), !entity.isAbstract else {
      throw Self.failure(
        definition, part, definition.model.entity(named: part.entityName) == nil ? "unknownEntity" : "abstractEntity",
        definition.model.entity(named: part.entityName) == nil
          ? "the model has no entity \(part.entityName)"
          : "\(part.entityName) is abstract and has no objects of its own")
    }
    self.entity = entity
    sources = part.sources
    format = part.format
    missing = part.missing
    for source in part.sources where source.isReadOnce {
      throw Self.failure(
        definition, part, "unsuitableInput",
        "objects are read from files, which \(source.path) is not: it can be read only once")
    }
    let header = try Self.header(part)
    var builder = Builder(entity: entity, format: part.format)
    for field in schema.objectFields(of: entity) {
      if let header, !header.contains(field.name), field.name != ObjectField.identityName {
        guard !Self.isNeeded(field) else {
          throw Self.failure(
            definition, part, "unknownColumn",
            "\(part.sources[0].path) has no column \(field.name), which is mandatory or has a default")
        }
        builder.addMissing(field)
        continue
      }
      try builder.add(field)
    }
    plan = builder.plan
    fields = builder.fields
    columns = builder.columns
    links = builder.links
  }

  /// The columns of a CSV file; `nil` for formats whose records name their fields.
  private static func header(_ part: ObjectImport) throws(DiagnosticList) -> Set<String>? {
    guard case .csv(let options) = part.format, let first = part.sources.first else { return nil }
    do {
      return Set(try RecordFormat.csv(options).headers(of: first).first?.columns ?? [])
    } catch {
      throw DiagnosticList([error.diagnostic])
    }
  }

  /// Whether a file without the column would say nothing where something must be said.
  private static func isNeeded(_ field: ObjectField) -> Bool {
    switch field.kind {
    case .identity: true
    case .attribute(let attribute): !attribute.isDerived && (!attribute.isOptional || attribute.defaultValue != nil)
    case .toOne(let relationship): !relationship.isOptional
    default: false
    }
  }

  private static func failure(
    _ definition: ImportDefinition, _ part: ObjectImport, _ code: String, _ message: String
  ) -> DiagnosticList {
    DiagnosticList([Diagnostic(.error, code: code, path: definition.name, position: part.position, message: message)])
  }
}

/// Collects the fields of a plan.
private struct Builder {
  let entity: EntityDescription
  let format: RecordFormat
  var compiled: [CompiledField] = []
  var names: [ImportPlan.FieldName] = []
  var fields: [ObjectField] = []
  var columns: [ObjectPlan.Column] = []
  var links: [ObjectPlan.Links] = []

  init(entity: EntityDescription, format: RecordFormat) {
    self.entity = entity
    self.format = format
  }

  var plan: ImportPlan {
    let node = ImportNode(
      entity: entity.index, rootEntity: entity.rootIndex, hasSubentities: false, mode: .insert, duplicates: .last,
      keyFields: [], keySlots: [], attributeFields: Array(compiled.indices), attributeSlots: [], relationships: [])
    return ImportPlan(
      nodes: [node], fields: compiled, fieldColumns: Array(compiled.indices), columnNames: names.map(\.column),
      fieldNames: names, root: 0)
  }

  mutating func add(_ field: ObjectField) throws(DiagnosticList) {
    var made = try CompiledField(Self.fieldImport(field), attribute: Self.attribute(field))
    made.identifier = Int32(compiled.count)
    place(field, at: compiled.count)
    compiled.append(made)
    fields.append(field)
    let property = field.relationship?.name ?? field.name
    names.append(
      ImportPlan.FieldName(
        entity: entity.name, attribute: property, column: ObjectColumn.name(ofField: field.name, in: format)))
  }

  /// Notes a field that a CSV file has no column for.
  mutating func addMissing(_ field: ObjectField) { place(field, at: nil) }

  private mutating func place(_ field: ObjectField, at index: Int?) {
    switch field.kind {
    case .links(_, let joinTable):
      if let index { links.append(.init(joinTable: joinTable, field: index)) }
    case .linkOrders(_, let joinTable):
      if let i = links.firstIndex(where: { $0.joinTable == joinTable }) { links[i].orders = index }
    case .inverseOrders(_, let joinTable):
      if let i = links.firstIndex(where: { $0.joinTable == joinTable }) { links[i].inverseOrders = index }
    case .toOneOrder, .ownerOrder:
      // The column before is the one that the position belongs to; without it there is none.
      guard let column = field.column, let reference = columns.last?.field,
        fields[reference].name + ":order" == field.name
      else { return }
      columns.append(.init(definition: column, field: index, reference: reference))
    case .identity, .attribute, .toOne, .owner:
      if let index, let column = field.column {
        columns.append(.init(definition: column, field: index, reference: nil))
      }
    }
  }

  /// The attribute as whose values the field is converted.
  private static func attribute(_ field: ObjectField) -> AttributeDescription {
    if case .attribute(var attribute) = field.kind {
      if attribute.isDerived {
        attribute.derivationExpression = nil
        attribute.isOptional = true
      }
      return attribute
    }
    var attribute = AttributeDescription(name: field.name, type: field.isList ? .string : .integer64)
    switch field.kind {
    case .identity: attribute.isOptional = false
    case .toOne(let relationship): attribute.isOptional = relationship.isOptional
    default: attribute.isOptional = true
    }
    switch field.kind {
    case .identity, .toOne, .owner:
      attribute.validation.minimumValue = .integer(1)
      attribute.validation.minimumText = "1"
    default: break
    }
    return attribute
  }

  private static func fieldImport(_ field: ObjectField) -> FieldImport {
    var result = FieldImport(attributeName: field.name, column: field.name)
    result.conversion.isStored = true
    result.whenAbsent = .null
    result.whenEmpty = .empty
    switch field.kind {
    case .identity:
      result.whenAbsent = .reject
      result.whenNull = .reject
      result.whenEmpty = .reject
    case .attribute(let attribute) where !attribute.isDerived && attribute.defaultValue != nil:
      result.whenAbsent = .useDefault
    default: break
    }
    return result
  }
}
