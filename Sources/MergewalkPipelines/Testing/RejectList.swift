import MergewalkRecordFormats

/// A record that a run rejected, as far as tests look at it.
struct RejectedRecord {
  var code: String
  var record: Int?
  var line: Int?
  var field: String?
  var message: String

  /// The record as messages name it.
  var summary: String {
    "record \(record.map(String.init) ?? "?"): \(code)" + (field.map { " in “\($0)”" } ?? "") + ": \(message)"
  }
}

/// Reads files of rejects.
enum RejectList {
  private static let columns = ["code", "record", "line", "field", "message"]

  /// Reads the rejected records, in the order of the file; empty when there is no file.
  static func read(_ path: String?) -> [RejectedRecord] {
    guard let path,
      var reader = try? RecordFormat.ndjson(NDJSONOptions()).reader(
        source: ByteSource(path: path), columns: .named(columns), index: 0)
    else { return [] }
    var rejects: [RejectedRecord] = []
    var batch = RecordBatch()
    while (try? reader.read(into: &batch, limit: BatchLimit(records: 1_000, bytes: 1 << 20))) == true {
      for record in 0..<batch.recordCount {
        rejects.append(
          RejectedRecord(
            code: batch.text(record, 0) ?? "", record: batch.text(record, 1).flatMap { Int($0) },
            line: batch.text(record, 2).flatMap { Int($0) }, field: batch.text(record, 3),
            message: batch.text(record, 4) ?? ""))
      }
    }
    return rejects
  }
}
