import MergewalkDiagnostics
import MergewalkRecordFormats

/// `map`: what a table has for the value.
struct MapStep: StepAction {
  var table: LookupTable
  var otherwise: TransformStep.Otherwise

  /// The largest table in a file.
  private static let greatestFile = 64 << 20

  static let spec = StepSpec(
    "map", "The table's entry for the value.", example: "{ values: { D: DE, A: AT } }", types: "any → text",
    remark: "a `file: t.csv` may have the table; `otherwise`: `reject` (`transform.unmapped`), `null`, `keep`; or a"
      + " `default` text",
    fields: [
      FieldSpec("values", .pairs, "The table itself.", example: "{ D: DE, A: AT }"),
      FieldSpec(
        "file", .path,
        "A CSV file with a header and two columns: a value of the first becomes that of the second.",
        example: "countries.csv"),
    ] + FieldSpec.otherwise("that are not in the table")
  ) { value, reader in
    guard let otherwise = value.otherwise(reader) else { return nil }
    var pairs = (value.pairs("values") ?? []).map { (key: $0.name.value, value: $0.value.value) }
    if let file = value.text("file") {
      guard let rows = rows(file, reader) else { return nil }
      pairs += rows
    } else if pairs.isEmpty {
      if value.has("values") { return nil }
      return reader.refuse(
        .missingField, at: value.position, "“map” needs “values” or “file”",
        hint: "for example “map: { values: { A: active, I: inactive } }”")
    }
    return MapStep(table: LookupTable(pairs), otherwise: otherwise)
  }

  func compile(_ input: Value, _ compiler: inout TransformCompiler) -> Value? {
    compiler.convert(input, to: .text).map {
      compiler.emit(LookUp(source: .table(table), otherwise: otherwise), on: $0, .text)
    }
  }

  /// The first two columns of a CSV file.
  private static func rows(_ file: Located<String>, _ reader: StepReader) -> [(key: String, value: String)]? {
    let path = reader.resolve(file)
    func refused(_ message: String) -> [(key: String, value: String)]? {
      reader.refuse(.unreadableFile, at: file.position, message)
    }
    do throws(ReadError) {
      let source = ByteSource(path: path)
      if let size = source.fileSize, size > greatestFile {
        return refused("the table “\(path)” is larger than \(greatestFile >> 20) MiB")
      }
      var table = try RecordFormat.csv(CSVOptions()).reader(source: source, columns: .all, index: 0)
      guard table.columns.count >= 2 else {
        let columns = table.columns.count == 1 ? "one column" : "no columns"
        return refused("the table “\(path)” has \(columns), but takes two")
      }
      var batch = RecordBatch()
      var rows: [(key: String, value: String)] = []
      var known: [String: (value: String, line: Int)] = [:]
      while try table.read(into: &batch, limit: BatchLimit()) {
        if let error = batch.errors.first {
          return refused("“\(path)”, line \(error.position.line): \(error.message)")
        }
        for record in 0..<batch.recordCount {
          let (key, value) = (batch.text(record, 0) ?? "", batch.text(record, 1) ?? "")
          let line = batch.records[record].line
          if let first = known[key], first.value != value {
            return refused("“\(path)”, line \(line): “\(key)” also occurs on line \(first.line), with another value")
          }
          known[key] = (value, line)
          rows.append((key, value))
        }
      }
      return rows
    } catch {
      return reader.refuse(
        .unreadableFile, at: file.position, "the table “\(path)” cannot be read: \(error.message)",
        hint: error.code == .notFound ? NearestFile.hint(for: path) : nil)
    }
  }
}

extension TransformStep {
  /// The replacement for a value that is not in a table or the store.
  public enum Otherwise: Sendable, Hashable {
    /// The record is rejected.
    case reject
    /// Null.
    case null
    /// The value is kept.
    case keep
    /// This text.
    case text(String)
  }
}

extension TransformStep.Action {
  /// Replaces the value with the table's entry for it.
  public static func map(_ table: LookupTable, otherwise: TransformStep.Otherwise) -> Self {
    Self("map", MapStep(table: table, otherwise: otherwise))
  }
}

extension FieldSpec {
  /// The fields for values without an entry; `values` says which those are, after “values”.
  static func otherwise(_ values: String) -> [FieldSpec] {
    [
      FieldSpec(
        "otherwise", .choice(["reject", "null", "keep"]), default: "reject",
        "The treatment of values \(values).", example: "keep"),
      FieldSpec("default", .content, "A text for values \(values).", example: "unknown"),
    ]
  }
}

extension ComponentValue {
  /// The handling of values that are not in the map; nil with a finding when there are two.
  func otherwise(_ reader: StepReader) -> TransformStep.Otherwise? {
    if let text = text("default") {
      guard let word = self.text("otherwise") else { return .text(text.value) }
      return reader.refuse(
        .invalidOption, at: word.position, "“otherwise” has no effect together with “default”",
        hint: "keep one of the two")
    }
    switch self.text(orDefault: "otherwise") {
    case "keep": return .keep
    case "null": return .null
    default: return .reject
    }
  }
}

/// Looks texts up in a table.
struct LookUp: ColumnStep {
  enum Source: Sendable {
    case table(LookupTable)
    /// A table of the store's values, by its number in the plan.
    case store(Int)
  }

  var source: Source
  var otherwise: TransformStep.Otherwise

  func run(_ from: Int, _ machine: Registers, _ index: Int, _ output: inout Register, _ records: inout RecordBatch) {
    let table: LookupTable
    let failure: TransformFailure
    switch source {
    case .table(let own): (table, failure) = (own, .unmapped)
    case .store(let number): (table, failure) = (machine.tables[number], .lookup)
    }
    var other: [UInt8] = []
    if case .text(let text) = otherwise { other = Array(text.utf8) }
    let tooLong = RegisterMachine.Cell.failed(.tooLong, index)
    let isStored = failure == .lookup
    machine.eachRecord(from, &output, &records) { record, text, offset, buffer, output in
      if isStored, table.isDoubtful(text) { return .failed(.doubtfulLookup, index) }
      let start = buffer.position
      if let fits = table.withValue(of: text, { buffer.append($0) }) {
        return fits ? .range(start, buffer.position - start) : tooLong
      }
      switch otherwise {
      case .reject: return .failed(failure, index)
      case .null:
        output.replace(record, .missing)
        return .null
      case .keep: return .range(offset, text.count)
      case .text:
        output.replace(record, .defaultText)
        return other.withUnsafeBufferPointer { buffer.append($0) } ? .range(start, other.count) : tooLong
      }
    }
  }
}
