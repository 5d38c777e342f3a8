import MergewalkBytes
import MergewalkDiagnostics
import MergewalkObjectModel
import MergewalkObjectStore
import MergewalkRecordFormats

/// Writes the objects of one entity in the order of their identities, straight from SQLite's columns.
struct EntityExport {
  let entity: EntityDescription
  let store: PersistentStore
  let storePath: String
  let format: StoreExport.Format

  /// How a field's values are written.
  private enum Kind {
    case integer, boolean, real, date, decimal, text, uuid
    case blob(isExternal: Bool)
    /// The lists of the link cursor with this number: identities, positions, positions in the inverse.
    case identities(Int), orders(Int), inverseOrders(Int)

    init(_ attribute: AttributeDescription) {
      switch attribute.type {
      case .boolean: self = .boolean
      case .double, .float: self = .real
      case .date: self = .date
      case .decimal: self = .decimal
      case .string, .uri: self = .text
      case .uuid: self = .uuid
      case .binary, .transformable: self = .blob(isExternal: attribute.allowsExternalBinaryDataStorage)
      case .integer16, .integer32, .integer64, .undefined, .objectID, .composite: self = .integer
      }
    }
  }

  /// Writes all objects.
  ///
  /// - Returns: How many there are, and how many values of each field an import would reject.
  func run(
    to sink: ByteSink, progress: (Int) -> Void
  ) throws(DiagnosticList) -> (objects: Int, invalid: [(field: String, count: Int)]) {
    let schema = store.schema
    let fields = schema.objectFields(of: entity)
    var kinds: [Kind] = []
    var cursors: [LinkCursor] = []
    for field in fields {
      switch field.kind {
      case .identity, .toOne, .toOneOrder, .owner, .ownerOrder: kinds.append(.integer)
      case .attribute(let attribute): kinds.append(Kind(attribute))
      case .links(let relationship, let position):
        let join = schema.joinTables[position]
        cursors.append(
          try sql { () throws(StoreError) in try LinkCursor(join, relationship, store) })
        kinds.append(.identities(cursors.count - 1))
      case .linkOrders: kinds.append(.orders(cursors.count - 1))
      case .inverseOrders: kinds.append(.inverseOrders(cursors.count - 1))
      }
    }
    let table = schema.table(forRoot: entity.root).name
    let columns = fields.compactMap { $0.column.map { "t.\($0.name)" } }.joined(separator: ", ")
    var demands = fields.filter { $0.column != nil }.enumerated().compactMap { index, field in
      ExportDemand(field, column: Int32(index))
    }
    // The sign keeps SQLite from taking the entity's index, which would make it sort.
    let select = try sql { () throws(StoreError) in
      try store.rows(
        "SELECT \(columns) FROM \(table) AS t WHERE +t.Z_ENT = \(schema.entityNumbers[entity.index]) ORDER BY t.Z_PK")
    }
    let names = fields.map { format.columnName(ofField: $0.name) }
    if format == .csv || format == .tsv {
      // As for the reader of the header, which refuses such names.
      var seen: [String: String] = [:]
      for name in names {
        guard let other = seen.updateValue(name, forKey: name.lowercased()) else { continue }
        throw StoreExport.failure(
          storePath, "unwritableValue",
          "\(entity.name): “\(other)” and “\(name)” differ only in case, and are one column of a header",
          hint: "use --format ndjson, which tells them apart")
      }
    }
    let writer = RowWriter(format.rows, columns: names, to: sink)
    var list: [UInt8] = []
    while try sql({ () throws(StoreError) in try select.step() }) {
      for cursor in cursors {
        try sql { () throws(StoreError) in try cursor.move(to: select.integer(0)) }
        if let type = cursor.damage { throw damaged(select.integer(0), "a position of “\(cursor.name)”", type) }
      }
      var column: Int32 = 0
      for (index, kind) in kinds.enumerated() {
        switch kind {
        case .identities(let number): write(cursors[number].targets, &list, writer)
        case .orders(let number) where !cursors[number].hasOwnOrders: writer.null()
        case .orders(let number): write(cursors[number].orders, &list, writer)
        case .inverseOrders(let number): write(cursors[number].inverseOrders, &list, writer)
        default:
          if !write(kind, select, column, writer) { throw refusal(fields[index], select, column) }
          column += 1
        }
      }
      for index in demands.indices { demands[index].check(select) }
      try end { () throws(OutputError) in _ = try writer.endRow() }
      if writer.replacedTexts > 0 { throw textRefusal(select.integer(0), "text that is not UTF-8") }
      if writer.rowCount & 0xFFF == 0 { progress(writer.rowCount) }
    }
    try end { () throws(OutputError) in try writer.finish() }
    progress(writer.rowCount)
    let invalid = demands.filter { $0.broken > 0 }
    return (writer.rowCount, invalid.map { (field: "\(entity.name).\($0.field)", count: $0.broken) })
  }

  // MARK: Values

  /// Writes a column's value; `false` when it is none of the attribute's type, so that it would not come back.
  @inline(__always)
  private func write(_ kind: Kind, _ row: DatabaseRows, _ column: Int32, _ writer: RowWriter) -> Bool {
    let type = row.storage(column)
    if type == .null {
      writer.null()
      return true
    }
    switch kind {
    case .integer:
      guard type == .integer else { return false }
      writer.integer(row.integer(column))
    case .boolean:
      guard type == .integer else { return false }
      let value = row.integer(column)
      guard value == 0 || value == 1 else { return false }
      writer.boolean(value == 1)
    case .real:
      guard type == .real || type == .integer else { return false }
      write(row.double(column), writer)
    case .decimal:
      if type == .integer {
        writer.integer(row.integer(column))
      } else {
        guard type == .real else { return false }
        write(row.double(column), writer)
      }
    case .date:
      guard type == .real || type == .integer else { return false }
      let seconds = row.double(column)
      if CivilTime.hasText(seconds) { writer.date(seconds) } else { write(seconds, writer) }
    case .text:
      guard type == .text else { return false }
      let text = row.bytes(column)
      guard format.holds(text) else { return false }
      writer.text(text)
    case .uuid:
      guard type == .blob else { return false }
      let bytes = row.bytes(column)
      guard bytes.count == 16 else { return false }
      let (high, low) = UUIDText.halves(bytes: bytes)
      writer.uuid(high, low)
    case .blob(let isExternal):
      guard type == .blob else { return false }
      if isExternal { return writeExternal(row.bytes(column), writer) }
      writer.binary(row.bytes(column))
    case .identities, .orders, .inverseOrders: return false
    }
    return true
  }

  /// Writes a number; infinity is the same word in all formats.
  @inline(__always)
  private func write(_ number: Double, _ writer: RowWriter) {
    if number.isInfinite { writer.text(number < 0 ? "-Infinity" : "Infinity") } else { writer.double(number) }
  }

  /// Writes bytes that may be in a file beside the store.
  private func writeExternal(_ cell: UnsafeRawBufferPointer, _ writer: RowWriter) -> Bool {
    if let name = ExternalData.fileName(cell) {
      guard let bytes = ExternalData.read(name, store: storePath) else { return false }
      bytes.withUnsafeBytes { writer.binary($0) }
    } else {
      writer.binary(ExternalData.inlineBytes(cell))
    }
    return true
  }

  /// Writes a list: `[1,2]` in JSON and YAML, `1 2` elsewhere, and nothing for an empty one there.
  private func write(_ numbers: ContiguousArray<Int64>, _ text: inout [UInt8], _ writer: RowWriter) {
    let isPlain = format.hasPlainLists
    if numbers.isEmpty, isPlain { return writer.null() }
    text.removeAll(keepingCapacity: true)
    if !isPlain { text.append(UInt8(ascii: "[")) }
    for (index, number) in numbers.enumerated() {
      if index > 0 { text.append(isPlain ? UInt8(ascii: " ") : UInt8(ascii: ",")) }
      text.append(decimal: number)
    }
    if !isPlain { text.append(UInt8(ascii: "]")) }
    text.withUnsafeBytes { writer.decimal($0) }
  }

  // MARK: Failures

  /// Says why a value cannot be written.
  private func refusal(_ field: IdentityField, _ row: DatabaseRows, _ column: Int32) -> DiagnosticList {
    let name = "\(entity.name) \(row.integer(0))"
    let type = row.storage(column)
    if case .attribute(let attribute) = field.kind {
      if type == .text, attribute.type == .string || attribute.type == .uri {
        return textRefusal(row.integer(0), "“\(field.name)” has a control character or is not UTF-8")
      }
      if type == .blob, attribute.allowsExternalBinaryDataStorage {
        return StoreExport.failure(
          storePath, "damagedObject", "\(name): the bytes of “\(field.name)” are not in the store nor in its folder",
          hint: "copy the folder .NAME_SUPPORT that belongs to the store with it")
      }
    }
    return damaged(row.integer(0), "“\(field.name)”", type)
  }

  private func damaged(_ identity: Int64, _ place: String, _ type: StorageClass) -> DiagnosticList {
    StoreExport.failure(
      storePath, "damagedObject",
      "\(entity.name) \(identity): \(place) holds \(type.words), which is not a value of its type",
      hint: "mergewalk store verify lists what is wrong with the store")
  }

  private func textRefusal(_ identity: Int64, _ what: String) -> DiagnosticList {
    StoreExport.failure(
      storePath, "unwritableValue", "\(entity.name) \(identity): \(what), which \(format.rawValue) cannot hold",
      hint: format == .ndjson || format == .json ? nil : "use --format ndjson, which holds all characters")
  }

  private func end(_ body: () throws(OutputError) -> Void) throws(DiagnosticList) {
    do throws(OutputError) { try body() } catch {
      throw StoreExport.failure(storePath, "cannotWrite", "\(entity.name): \(error.description)")
    }
  }

  @inline(__always)
  private func sql<Value>(_ body: () throws(StoreError) -> Value) throws(DiagnosticList) -> Value {
    do throws(StoreError) { return try body() } catch { throw DiagnosticList(error) }
  }
}
