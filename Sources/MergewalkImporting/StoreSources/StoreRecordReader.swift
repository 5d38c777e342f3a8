import MergewalkBytes
import MergewalkDiagnostics
import MergewalkObjectModel
import MergewalkObjectStore
import MergewalkRecordFormats

/// Reads the objects of an entity as records, row by row: no object is ever made.
struct StoreRecordReader: RecordReader {
  /// How a column's values are spelt.
  private enum Shape {
    /// By what the database has.
    case any
    case boolean, date, uuid
    /// Bytes that begin with a tag, which says whether they are in a file.
    case external
  }

  let columns: [String]
  private let index: Int
  private let database: SourceDatabase
  private let cursor: FetchCursor
  private let shapes: [(shape: Shape, position: Int32)]
  private var builder: RowRecordBuilder
  private var recordCount = 0
  private var isAtEnd = false
  private var failure: ReadError?

  /// Opens a store and prepares to read its objects.
  init(
    source: ByteSource, options: StoreSourceOptions, columns request: ColumnRequest, index: Int
  ) throws(ReadError) {
    database = try SourceDatabase(source)
    self.index = index
    let fetch = try StoreFetch(database, options)
    columns =
      switch request {
      case .all: fetch.allColumns
      case .named(let names): names
      }
    let compiled = try fetch.compile(columns)
    shapes = columns.indices.map { (Self.shape(compiled.columns[$0]), compiled.columns[$0].position) }
    do throws(FetchError) {
      cursor = try fetch.store.cursor(compiled)
    } catch {
      throw Self.failure(error, database)
    }
    builder = RowRecordBuilder(columns: columns, maxRecordBytes: options.maxRecordBytes)
  }

  var bytesRead: Int { database.bytesRead }

  mutating func read(into batch: inout RecordBatch, limit: BatchLimit) throws(ReadError) -> Bool {
    let limit = limit.fitting(columns: columns.count)
    batch.start(columnCount: columns.count, source: index)
    if let failure { throw failure }
    var count = 0
    while !isAtEnd, count < limit.records, batch.byteCount + batch.errorBytes < limit.bytes {
      do throws(FetchError) {
        guard try cursor.step() else {
          isAtEnd = true
          database.close()
          break
        }
      } catch {
        var failure = Self.failure(error, database)
        failure.position = SourcePosition(line: recordCount + 1, column: 1, byteOffset: 0)
        self.failure = failure
        isAtEnd = true
        database.close()
        break
      }
      for (shape, position) in shapes { append(shape, position) }
      builder.endRecord(index: recordCount, into: &batch)
      recordCount += 1
      count += 1
    }
    if count > 0 { return true }
    if let failure { throw failure }
    return false
  }

  private static func shape(_ column: FetchedColumn) -> Shape {
    guard case .value(let type) = column.kind else { return .any }
    switch type {
    case .boolean: return .boolean
    case .date: return .date
    case .uuid: return .uuid
    case .binary where column.isExternal: return .external
    default: return .any
    }
  }

  private static func failure(_ error: FetchError, _ database: SourceDatabase) -> ReadError {
    switch error {
    case .predicate(let error):
      ReadError(
        .invalidQuery, path: database.path, message: error.message + (error.hint.map { "; " + $0 } ?? ""))
    case .store(let error): database.failure(error)
    }
  }

  /// Appends a value: what the type says counts only where the database has such a value, as columns of SQLite hold
  /// anything; what does not fit is for the import to refuse.
  private mutating func append(_ shape: Shape, _ position: Int32) {
    switch cursor.storage(position) {
    case .null: builder.null()
    case .integer:
      let value = cursor.integer(position)
      switch shape {
      case .boolean where value == 0 || value == 1: builder.boolean(value == 1)
      case .date: builder.date(cursor.double(position))
      default: builder.integer(value)
      }
    case .real:
      if case .date = shape { builder.date(cursor.double(position)) } else { builder.double(cursor.double(position)) }
    case .blob: appendBytes(shape, cursor.bytes(position))
    case .text: builder.text(cursor.bytes(position))
    }
  }

  private mutating func appendBytes(_ shape: Shape, _ bytes: UnsafeRawBufferPointer) {
    switch shape {
    case .uuid where bytes.count == 16:
      let (high, low) = UUIDText.halves(bytes: bytes)
      builder.uuid(high, low)
    case .external: appendExternal(bytes)
    default: builder.base64(bytes)
    }
  }

  /// Appends the value of an attribute that allows external storage: the bytes behind the tag, or those of the file.
  private mutating func appendExternal(_ cell: UnsafeRawBufferPointer) {
    guard let name = ExternalData.fileName(cell) else { return builder.base64(ExternalData.inlineBytes(cell)) }
    guard let bytes = ExternalData.read(name, store: database.path) else {
      return builder.unreadable(
        .missingFile, "the file “\(name)” in the folder of the store's external data cannot be read")
    }
    bytes.withUnsafeBytes { builder.base64($0) }
  }
}
