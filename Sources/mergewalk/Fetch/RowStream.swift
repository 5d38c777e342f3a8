import MergewalkBytes
import MergewalkObjectModel
import MergewalkObjectStore
import MergewalkRecordFormats

/// Moves rows from a statement to a writer, cell by cell, without an object, a string or a dictionary for any of them.
struct RowStream {
  /// How a column's values are written.
  private enum Shape {
    /// By what the database has: expressions of which nothing else is known.
    case any
    case integer, boolean, double, float, date, text, uuid
    /// Bytes; tagged ones begin with a byte that says whether they lie in a file.
    case binary(isTagged: Bool)
    /// A primary key of the entity, or of the one whose number is in the next column.
    case object(entity: Int, hasEntityColumn: Bool)
  }

  private let fetch: CompiledFetch
  private let store: PersistentStore
  private let storePath: String
  private let options: String
  private let shapes: [Shape]
  /// The text before the primary key in an ID, by entity.
  private let idPrefixes: [[UInt8]]
  private var scratch: [UInt8] = []
  private var missingFiles = 0

  /// Prepares to run a compiled fetch of values or of a count.
  ///
  /// - Parameters:
  ///   - options: the options that have expressions.
  ///   - shortIDs: whether objects are `Order/p17` instead of `x-coredata://STORE/Order/p17`.
  init(_ fetch: CompiledFetch, store: PersistentStore, storePath: String, options: String, shortIDs: Bool) {
    self.fetch = fetch
    self.store = store
    self.storePath = storePath
    self.options = options
    shapes = fetch.columns.map { Self.shape($0) }
    let scheme = shortIDs ? "" : "x-coredata://\(store.file.metadata.uuid)/"
    idPrefixes = store.model.entities.map { Array("\(scheme)\($0.name)/p".utf8) }
  }

  private static func shape(_ column: FetchedColumn) -> Shape {
    switch column.kind {
    case .primaryKey, .entityNumber, .version: return .integer
    case .cell: return .any
    case .objectID(let entity, let hasEntityColumn): return .object(entity: entity, hasEntityColumn: hasEntityColumn)
    case .value(let type):
      switch type {
      case .integer16, .integer32, .integer64: return .integer
      case .boolean: return .boolean
      case .double: return .double
      case .float: return .float
      case .date: return .date
      case .string, .uri: return .text
      case .uuid: return .uuid
      case .binary, .transformable:
        return .binary(isTagged: column.isExternal)
      case .decimal, .undefined, .objectID, .composite: return .any
      }
    }
  }

  /// Runs the statement and writes all its rows, or as many as the reader wants.
  mutating func run(into writer: RowWriter) throws(FetchFailure) {
    let cursor: FetchCursor
    do throws(FetchError) { cursor = try store.cursor(fetch) } catch { throw failure(error) }
    while try step(cursor) {
      for (index, shape) in shapes.enumerated() { write(shape, fetch.columns[index].position, cursor, writer) }
      do throws(OutputError) {
        guard try writer.endRow() else { return }
      } catch {
        throw FetchFailure(error)
      }
    }
    do throws(OutputError) { try writer.finish() } catch { throw FetchFailure(error) }
  }

  /// Runs a statement that counts, and writes the number.
  func writeNumber(to writer: RowWriter) throws(FetchFailure) {
    do throws(FetchError) {
      writer.integer(Int64(try store.count(fetch)))
    } catch {
      throw failure(error)
    }
    do throws(OutputError) {
      try writer.endRow()
      try writer.finish()
    } catch {
      throw FetchFailure(error)
    }
  }

  private func step(_ cursor: FetchCursor) throws(FetchFailure) -> Bool {
    do throws(FetchError) { return try cursor.step() } catch { throw failure(error) }
  }

  private func failure(_ error: FetchError) -> FetchFailure { FetchFailure(error, store: storePath, options: options) }

  private mutating func write(_ shape: Shape, _ position: Int32, _ cursor: FetchCursor, _ writer: RowWriter) {
    // What the type says counts only where the database has such a value: columns of SQLite hold anything.
    switch (shape, cursor.storage(position)) {
    case (_, .null): writer.null()
    case (.boolean, .integer): writer.boolean(cursor.integer(position) != 0)
    case (.date, .real), (.date, .integer): writer.date(cursor.double(position))
    case (.float, .real), (.float, .integer):
      let value = cursor.double(position)
      // A value that is no binary32 number keeps all its digits.
      if Double(Float(value)) == value { writer.float(Float(value)) } else { writer.double(value) }
    case (.double, .real), (.double, .integer): writer.double(cursor.double(position))
    case (.uuid, .blob):
      let bytes = cursor.bytes(position)
      guard bytes.count == 16 else { return writer.binary(bytes) }
      let (high, low) = UUIDText.halves(bytes: bytes)
      writer.uuid(high, low)
    case (.binary(isTagged: true), .blob): writeTagged(cursor.bytes(position), writer)
    case (.object(let entity, let hasEntityColumn), .integer):
      let own = hasEntityColumn ? cursor.entityIndex(position + 1) : nil
      writeID(idPrefixes[own ?? entity], cursor.integer(position), writer)
    case (_, .integer): writer.integer(cursor.integer(position))
    case (_, .real): writer.double(cursor.double(position))
    case (_, .blob): writer.binary(cursor.bytes(position))
    default: writer.text(cursor.bytes(position))
    }
  }

  private mutating func writeID(_ prefix: [UInt8], _ key: Int64, _ writer: RowWriter) {
    scratch.removeAll(keepingCapacity: true)
    scratch.append(contentsOf: prefix)
    scratch.append(digits: key.magnitude)
    scratch.withUnsafeBytes { writer.objectID($0) }
  }

  /// Writes the value of an attribute that allows external storage: the bytes behind the tag, or those of the file.
  private mutating func writeTagged(_ bytes: UnsafeRawBufferPointer, _ writer: RowWriter) {
    guard let name = ExternalData.fileName(bytes) else { return writer.binary(ExternalData.inlineBytes(bytes)) }
    guard let file = ExternalData.read(name, store: storePath) else {
      missingFiles += 1
      return writer.null()
    }
    file.withUnsafeBytes { writer.binary($0) }
  }

  /// Warnings about the rows that were written.
  func warnings(_ writer: RowWriter, _ format: RowFormat) -> [String] {
    var warnings: [String] = []
    if writer.replacedTexts > 0, !format.isTable {
      warnings.append(
        "\(Figures.count(writer.replacedTexts, "text")) not in UTF-8 lost bytes; the formats csv, yaml and xml keep them"
      )
    }
    if missingFiles > 0 {
      warnings.append("\(Figures.count(missingFiles, "value")) in files beside the store cannot be read")
    }
    return warnings
  }
}
