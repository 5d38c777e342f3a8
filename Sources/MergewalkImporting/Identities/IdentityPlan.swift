import MergewalkDiagnostics
import MergewalkObjectModel
import MergewalkObjectStore
import MergewalkRecordFormats

/// The import of one entity's whole objects, resolved against the model and the headers of its files.
struct IdentityPlan: Sendable {
  let entity: EntityDescription
  let sources: [ByteSource]
  /// How they are read.
  let format: RecordFormat
  /// The policy for a reference to a missing object.
  let missing: MissingTargetPolicy
  /// The fields as the reader's thread converts them.
  let plan: ImportPlan
  /// The meaning of each field of ``plan``.
  let fields: [IdentityField]
  /// Where the table's columns come from, the identity first.
  let columns: [Column]
  let links: [Links]

  struct Column: Sendable {
    var definition: ColumnDefinition
    /// The field that it comes from; `nil` for positions that no field gives.
    var field: Int?
    /// For positions: the field with the identity that they belong to.
    var reference: Int?
  }

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
  init(_ part: IdentityImport, definition: ImportDefinition, schema: StoreSchema) throws(DiagnosticList) {
    var findings = FindingList(path: definition.name)
    guard let entity = part.resolve(definition.model, &findings), !findings.hasErrors else {
      throw DiagnosticList(findings.list)
    }
    self.entity = entity
    sources = part.sources
    format = part.format
    missing = part.missing
    let all = schema.objectFields(of: entity)
    let header = try Self.header(part)
    if let header, let first = part.sources.first { part.checkNeeded(all, header, first, &findings) }
    guard !findings.hasErrors else { throw DiagnosticList(findings.list) }
    var builder = Builder(entity: entity, format: part.format)
    for field in all {
      if let header, !header.contains(field.name), field.name != IdentityField.identityName {
        builder.addMissing(field)
      } else {
        try builder.add(field)
      }
    }
    plan = builder.plan
    fields = builder.fields
    columns = builder.columns
    links = builder.links
  }

  /// The columns of a CSV file; `nil` for formats whose records name their fields.
  private static func header(_ part: IdentityImport) throws(DiagnosticList) -> Set<String>? {
    guard case .csv(let options) = part.format, let first = part.sources.first else { return nil }
    do {
      return Set(try RecordFormat.csv(options).headers(of: first).first?.columns ?? [])
    } catch {
      throw DiagnosticList([error.diagnostic])
    }
  }
}

/// Collects the fields of a plan.
private struct Builder {
  let entity: EntityDescription
  let format: RecordFormat
  var compiled: [CompiledField] = []
  var names: [ImportPlan.FieldName] = []
  var fields: [IdentityField] = []
  var columns: [IdentityPlan.Column] = []
  var links: [IdentityPlan.Links] = []

  var plan: ImportPlan {
    let node = ImportNode(
      entity: entity.index, rootEntity: entity.root, hasSubentities: false, mode: .insert, duplicates: .last,
      keyFields: [], keySlots: [], attributeFields: Array(compiled.indices), attributeSlots: [], relationships: [])
    return ImportPlan(
      nodes: [node], fields: compiled, fieldColumns: Array(compiled.indices), columnNames: names.map(\.column),
      columnPlaces: names.map { _ in .file }, fieldNames: names, root: 0)
  }

  mutating func add(_ field: IdentityField) throws(DiagnosticList) {
    var made = try CompiledField(Self.fieldImport(field), attribute: field.attribute)
    made.identifier = Int32(compiled.count)
    place(field, at: compiled.count)
    compiled.append(made)
    fields.append(field)
    let property = field.relationship?.name ?? field.name
    names.append(
      ImportPlan.FieldName(
        entity: entity.name, attribute: property, column: IdentityColumn.name(ofField: field.name, in: format)))
  }

  /// Notes a field that a CSV file has no column for.
  mutating func addMissing(_ field: IdentityField) { place(field, at: nil) }

  private mutating func place(_ field: IdentityField, at index: Int?) {
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

  private static func fieldImport(_ field: IdentityField) -> FieldImport {
    var result = FieldImport(attributeName: field.name, column: field.name)
    result.conversion.isStored = true
    result.conversion.isVerbatim = true
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
