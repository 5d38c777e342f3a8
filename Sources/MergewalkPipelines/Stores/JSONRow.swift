import MergewalkRecordFormats

/// The members of a JSON object that is read back from a file of ours.
struct JSONRow {
  private let batch: RecordBatch
  private let record: Int
  private let columns: [String]

  private init(_ batch: RecordBatch, _ record: Int, columns: [String]) {
    self.batch = batch
    self.record = record
    self.columns = columns
  }

  /// Reads the one object of a line; nil when the bytes are something else.
  static func object(_ bytes: [UInt8], columns: [String]) -> JSONRow? {
    var options = NDJSONOptions()
    options.maxRecordBytes = 1 << 29
    var batch = RecordBatch()
    do throws(ReadError) {
      var reader = try NDJSONReader(source: ByteSource(bytes: bytes), options: options, columns: .named(columns))
      guard try reader.read(into: &batch, limit: BatchLimit(records: 1, bytes: 1 << 29)), batch.recordCount == 1 else {
        return nil
      }
    } catch { return nil }
    return JSONRow(batch, 0, columns: columns)
  }

  /// Reads the objects of an array; nil when the bytes are something else.
  static func list(_ bytes: [UInt8], columns: [String], _ body: (JSONRow) -> Bool) -> Bool {
    if bytes.elementsEqual("[]".utf8) { return true }
    do throws(ReadError) {
      var options = JSONOptions()
      options.maxRecordBytes = 1 << 29
      var reader = try JSONReader(source: ByteSource(bytes: bytes), options: options, columns: .named(columns))
      var batch = RecordBatch()
      // A batch takes, and clears, as much memory as it may hold; most of these texts are short.
      let limit = BatchLimit(bytes: min(bytes.count, 1 << 20))
      while try reader.read(into: &batch, limit: limit) {
        guard batch.errors.isEmpty else { return false }
        for record in 0..<batch.recordCount where !body(JSONRow(batch, record, columns: columns)) { return false }
      }
      return true
    } catch { return false }
  }

  private func column(_ name: String) -> Int {
    guard let column = columns.firstIndex(of: name) else { preconditionFailure("not asked for: \(name)") }
    return column
  }

  /// A member as text; nil when it is absent or null.
  func text(_ name: String) -> String? { batch.text(record, column(name)) }

  /// A member that is a whole number.
  func count(_ name: String) -> Int? {
    batch.state(record, column(name)) == .number ? text(name).flatMap { Int($0) } : nil
  }

  func flag(_ name: String) -> Bool { batch.state(record, column(name)) == .true }

  /// A member's own JSON text, of an array or an object.
  func json(_ name: String) -> [UInt8]? {
    guard batch.state(record, column(name)) == .json else { return nil }
    return batch.withField(record, column(name)) { [UInt8]($0) }
  }

  /// A member that is a list of objects; nil when it is something else.
  func list<Element>(_ name: String, columns: [String], _ make: (JSONRow) -> Element?) -> [Element]? {
    guard let bytes = json(name) else { return nil }
    var result: [Element] = []
    let isWhole = Self.list(bytes, columns: columns) { row in
      guard let element = make(row) else { return false }
      result.append(element)
      return true
    }
    return isWhole ? result : nil
  }
}
