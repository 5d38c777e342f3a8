import MergewalkRecordFormats

/// Other faults in a CSV record that has more or fewer fields than the header: its values are converted all the same,
/// so that all faults can be corrected at once.
struct WidthFaults {
  private let plan: ImportPlan
  private let format: RecordFormat
  /// Records that are still looked at; each is read by itself, and a file that is another one has nothing else.
  private var left = 10_000

  init(plan: ImportPlan, format: RecordFormat) {
    self.plan = plan
    self.format = format
  }

  /// The further faults of a record that was refused for its number of fields, with the batch that they are in.
  ///
  /// - Parameter header: The names of the file's columns.
  mutating func find(_ error: RecordError, header: [String]) -> (faults: [FieldFailure], batch: ImportBatch)? {
    guard error.code == .fieldCount, left > 0, var options = format.lineOptions else { return nil }
    var header = header
    // A replay of records whose columns the definition names has no header.
    if header.isEmpty, case .names(let told) = options.header { header = told }
    guard !header.isEmpty else { return nil }
    left -= 1
    options.header = .names(header)
    options.headerRows = 1
    options.table = nil
    options.skippedLines = 0
    options.encoding = .utf8
    options.padShortRecords = true
    options.longRecords = .truncate
    options.repeatedHeaders = .record
    options.caution = nil
    var batch = ImportBatch(plan: plan)
    // A column that a contract lets be missing is none that the record lacks.
    let known = plan.columnNames.map { header.contains($0) }
    let columns = zip(plan.columnNames, known).map { $1 ? $0 : header[0] }
    do throws(ReadError) {
      var reader = try RecordFormat.csv(options).reader(
        source: ByteSource(bytes: error.raw + [10], path: "record"), columns: .named(columns), index: 0)
      guard try reader.read(into: &batch.records, limit: BatchLimit(records: 2)), batch.records.recordCount == 1 else {
        return nil
      }
    } catch {
      return nil
    }
    var faults: [FieldFailure] = []
    for field in plan.fields.indices where plan.fieldColumns[field] < batch.records.columnCount {
      let column = plan.fieldColumns[field]
      // What is missing is the fault itself.
      guard known[column], batch.records.state(0, column) != .absent else { continue }
      plan.fields[field].convert(&batch.records, column: column, into: &batch.columns[field], failures: &faults)
      plan.fields[field].validate(batch.records, column: column, cells: &batch.columns[field], failures: &faults)
    }
    return faults.isEmpty ? nil : (faults, batch)
  }
}
