import MergewalkObjectModel
import MergewalkPropertyLists
import MergewalkSQLite

/// The binary store: a binary property list whose rows are packed, read and written as a whole.
///
/// Apple's binary store is an archive whose layout is not public; this layout is our own. The property list is a
/// dictionary with
///
/// | key | what |
/// |---|---|
/// | `format` | `mergewalk-binary-store`, and `version` 1 |
/// | `uuid`, `metadata` | the store's identity and metadata |
/// | `entities` | for each entity its name and number |
/// | `maxima` | for each root entity the greatest primary key given out |
/// | `tables` | for each table its name, the names of its columns and its rows, as blocks of bytes |
///
/// A row is its cells one after the other (``PackedRow``), so every value comes back bit by bit.
final class BinaryStore: AtomicStore {
  private enum Key {
    static let format = "format"
    static let formatName = "mergewalk-binary-store"
    static let version = "version"
    static let uuid = "uuid"
    static let metadata = "metadata"
    static let numbers = "entities"
    static let maxima = "maxima"
    static let tables = "tables"
    static let name = "name"
    static let columns = "columns"
    static let rows = "rows"
  }
  /// About how many bytes of rows stand in one block.
  private static let blockSize = 1 << 20

  // MARK: - Writing

  func save(_ contents: StoreContents, to path: String) throws(StoreError) {
    let store = contents.store
    let schema = store.schema
    var tables: [PropertyList] = []
    for table in schema.tables {
      tables.append(try pack(table.name, table.columns.map(\.name), order: "Z_PK", store))
    }
    for join in schema.joinTables {
      let names = join.keyColumns + join.orderColumns
      tables.append(try pack(join.name, names, order: join.keyColumns.joined(separator: ", "), store))
    }
    let numbers = schema.model.entities.filter { schema.entityNumbers[$0.index] > 0 }.map {
      PropertyList.Entry($0.name, .integer(Int64(schema.entityNumbers[$0.index])))
    }
    let maxima = contents.rootEntities.map { PropertyList.Entry($0.name, .integer(contents.maximum(of: $0))) }
    let bytes = BinaryPropertyListWriter.write([
      Key.format: .string(Key.formatName), Key.version: .integer(1), Key.uuid: .string(contents.metadata.uuid),
      Key.metadata: .dictionary(contents.metadata.entries), Key.numbers: .dictionary(numbers),
      Key.maxima: .dictionary(maxima), Key.tables: .array(tables),
    ])
    try AtomicFile.replace(path) { file throws(StoreError) in try file.write(bytes) }
  }

  private func pack(
    _ table: String, _ columns: [String], order: String, _ store: PersistentStore
  ) throws(StoreError) -> PropertyList {
    let select = try store.connection.prepare(
      "SELECT \(columns.joined(separator: ", ")) FROM \(table) ORDER BY \(order)")
    var blocks: [PropertyList] = []
    var block = PackedRow.Writer()
    while try select.step() {
      for column in 0..<Int32(columns.count) { block.append(select, column) }
      if block.bytes.count >= Self.blockSize {
        blocks.append(.data(block.bytes))
        block = PackedRow.Writer()
      }
    }
    if !block.bytes.isEmpty { blocks.append(.data(block.bytes)) }
    return [Key.name: .string(table), Key.columns: .array(columns.map { .string($0) }), Key.rows: .array(blocks)]
  }

  // MARK: - Reading

  func load(from path: String, into filler: StoreFiller) throws(StoreError) {
    let list = try read(path)
    filler.metadata = try metadata(list, path)
    try filler.checkMetadata()
    let store = filler.store
    let schema = store.schema
    for entity in schema.model.entities where schema.entityNumbers[entity.index] > 0 {
      guard list[Key.numbers]?[entity.name]?.integer == Int64(schema.entityNumbers[entity.index]) else {
        throw filler.damaged("entity \(entity.name) has another number than the model gives it")
      }
    }
    for root in schema.tables.map({ schema.model.entities[$0.rootEntity.index] }) {
      if let maximum = list[Key.maxima]?[root.name]?.integer { filler.setMaximum(maximum, of: root) }
    }
    var expected: [String: [String]] = [:]
    for table in schema.tables { expected[table.name] = table.columns.map(\.name) }
    for join in schema.joinTables { expected[join.name] = join.keyColumns + join.orderColumns }
    for table in list[Key.tables]?.elements ?? [] {
      guard let name = table[Key.name]?.string, let columns = expected.removeValue(forKey: name),
        table[Key.columns]?.elements?.map(\.string) == columns
      else {
        throw filler.damaged("there is a table unknown to the model: \(table[Key.name]?.string ?? "without name")")
      }
      try unpack(table[Key.rows]?.elements ?? [], into: name, columns, filler)
    }
    guard expected.isEmpty else {
      throw filler.damaged("these tables are not in the file: \(expected.keys.sorted().joined(separator: ", "))")
    }
  }

  private func unpack(
    _ blocks: [PropertyList], into table: String, _ columns: [String], _ filler: StoreFiller
  ) throws(StoreError) {
    let insert = try filler.store.connection.prepare(
      "INSERT INTO \(table) (\(columns.joined(separator: ", "))) VALUES "
        + "(\(columns.map { _ in "?" }.joined(separator: ", ")))")
    for block in blocks {
      guard let bytes = block.data else { throw filler.damaged("rows of \(table) are not bytes") }
      do throws(StoreError) {
        try bytes.withUnsafeBufferPointer { bytes throws(StoreError) in
          var reader = PackedRow.Reader(UnsafeRawBufferPointer(bytes))
          while !reader.isAtEnd {
            for column in 1...Int32(columns.count) where !reader.bind(insert, column) {
              throw filler.damaged("rows of \(table) cannot be read: a row ends too early or makes no sense")
            }
            try insert.run()
          }
        }
      } catch {
        guard let cause = error.cause, cause.kind.isConstraint else { throw error }
        throw filler.damaged("rows of \(table) cannot be read: \(cause.message)")
      }
    }
  }

  func readMetadata(from path: String) throws(StoreError) -> StoreMetadata { try metadata(try read(path), path) }

  func writeMetadata(_ metadata: StoreMetadata, to path: String) throws(StoreError) {
    guard case .dictionary(var entries) = try read(path) else {
      throw StoreError(.damagedFile, path: path, message: "the property list is not a dictionary")
    }
    for index in entries.indices where entries[index].key == Key.metadata {
      entries[index].value = .dictionary(metadata.entries)
    }
    let bytes = BinaryPropertyListWriter.write(.dictionary(entries))
    try AtomicFile.replace(path) { file throws(StoreError) in try file.write(bytes) }
  }

  private func read(_ path: String) throws(StoreError) -> PropertyList {
    guard let size = FileSystem.size(path), let bytes = FileSystem.head(path, count: size) else {
      throw StoreError(.notFound, path: path, message: "the file cannot be read")
    }
    do {
      return try BinaryPropertyListReader.read(bytes)
    } catch {
      throw StoreError(.damagedFile, path: path, message: "the file is \(error)")
    }
  }

  private func metadata(_ list: PropertyList, _ path: String) throws(StoreError) -> StoreMetadata {
    guard list[Key.format]?.string == Key.formatName else {
      throw StoreError(
        .damagedFile, path: path,
        message: "the file is not a binary store of this project; the layout of Apple's binary stores is unknown")
    }
    guard list[Key.version]?.integer == 1 else {
      throw StoreError(.unsupported, path: path, message: "the file has a newer layout than this version can read")
    }
    guard let uuid = list[Key.uuid]?.string, StoreUUID.isValid(uuid), let entries = list[Key.metadata]?.entries else {
      throw StoreError(.damagedMetadata, path: path, message: "the file has no metadata, or no UUID")
    }
    return StoreMetadata(uuid: uuid, entries: entries)
  }
}
