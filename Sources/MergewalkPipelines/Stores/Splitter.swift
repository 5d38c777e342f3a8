import MergewalkDiagnostics
import MergewalkImporting
import MergewalkRecordFormats

/// Spreads the records of a definition over the files of a spool, in one pass.
struct Splitter {
  /// The outcomes of the records.
  struct Counts {
    var read = 0
    var skipped = 0
    var rejected = 0
    var codes: [String: Int] = [:]
  }

  let policy: StoresPolicy
  /// The forms of the files for the parts' imports.
  let forms: [SpoolForm]
  private let files: SpoolFiles
  private let headers: HeaderList
  private let rejects: RejectWriter
  private let redaction: Redaction
  private var table = ValueTable()
  private var names: StoreNames
  /// The part of each value; -1 for one that names no store, less for one whose first record is still to come.
  private var parts: [Int32] = []
  private static let isNew: Int32 = -2
  /// Why a value names no store.
  private var refusals: [Int: String] = [:]
  private(set) var counts = Counts()
  /// The warnings about the inputs for the run's user.
  private(set) var warnings: [RunWarning] = []
  /// What there is to find about the inputs of the import at hand, and what was found.
  private var inputFindings = InputFindings()
  /// Looks for elements of `each` in the import at hand.
  private var unmatched: UnmatchedColumns?
  private let notes = SourceNotes()
  /// The outcomes of the text of the inputs.
  private(set) var text = TextAccount()
  /// Compares the types of values with each other, where a contract says so.
  private var types: ContractTypes?
  /// For each source what ``ContractTypes/kinds`` says at its end.
  private(set) var kinds: [String?] = []
  /// Whether the last record was given to a store.
  private var lastIsKept = true
  private var isHeaderWritten: Set<SpoolRun> = []
  /// The number of each record's value in the batch; -1 where it has none.
  private var numbers: [Int32] = []
  /// The records of a batch by their part.
  private var order = SpoolOrder()
  private let hasSeveralImports: Bool
  /// Why no record of the folder that is read has a store, when its value names none.
  private var refusal: Refusal?

  /// Why records are rejected, whatever their values are.
  private typealias Refusal = (code: RejectCode, message: String)

  /// The first lines of files, by number; files that begin alike share one.
  final class HeaderList {
    private(set) var texts: [[UInt8]] = []

    func number(_ text: [UInt8]) -> Int {
      if let known = texts.firstIndex(of: text) { return known }
      texts.append(text)
      return texts.count - 1
    }
  }

  init(
    _ definition: ImportDefinition, _ policy: StoresPolicy, forms: [SpoolForm], spool: String, rejects: String
  ) throws(FamilyError) {
    self.policy = policy
    self.forms = forms
    names = StoreNames(policy.path)
    redaction = definition.redaction
    hasSeveralImports = definition.parts.count > 1
    let headers = HeaderList()
    self.headers = headers
    let isOneCSV = forms.allSatisfy { $0.fileExtension == "csv" }
    files = SpoolFiles(folder: spool, fileName: isOneCSV ? "part.csv" : "part.ndjson") { headers.texts[$0] }
    do throws(RejectWriterError) {
      self.rejects = try RejectWriter(path: rejects, run: StoreFamily.rejectsRun(definition))
    } catch { throw FamilyError(error) }
  }

  /// The first lines of files.
  var headerTexts: [[UInt8]] { headers.texts }

  var units: [SpoolUnit] { files.units }

  /// See ``SpoolFiles/states``.
  var states: [[String: FileState]] { files.states }

  /// The state of each part's records, by number.
  var partFiles: [SpoolFiles.Part] { files.parts }

  /// The values that have a part, by the number of the part.
  var values: [String] {
    var result = Array(repeating: "", count: files.parts.count)
    for (value, part) in parts.enumerated() where part >= 0 { result[Int(part)] = table.text(value) }
    return result
  }

  /// Spreads the records of all imports.
  mutating func run(_ definition: ImportDefinition) throws(FamilyError) {
    var source = 0
    for (number, part) in definition.parts.enumerated() {
      var columns: [String] = []
      if readsAllColumns(of: part, number) {
        do throws(DiagnosticList) { columns = try definition.columnNames(of: part) } catch { throw FamilyError(error) }
      }
      types = ContractTypes(part.contract, columns: columns)
      inputFindings = part.inputFindings
      unmatched = UnmatchedColumns(elementsOf: part, file: definition.path)
      let column: SplitColumn
      do throws(DiagnosticList) {
        column = try SplitColumn(
          policy.column, at: policy.position, of: part, columns: columns, path: definition.path ?? definition.name)
      } catch { throw FamilyError(error) }
      for input in part.sources {
        try split(input, number, part, column, source: source)
        source += 1
      }
      for warning in inputFindings.neverMatched { notes.add(warning) }
      endImport()
    }
  }

  /// Whether the split reads what the stores are made of, and not the column alone that spreads the records.
  func readsAllColumns(of part: ImportPart, _ number: Int) -> Bool {
    forms[number].isRewritten || ContractTypes.areNeeded(part.contract) && !part.format.hasFixedColumns
  }

  private mutating func endImport() {
    warnings += types?.warnings ?? []
    types = nil
    for warning in unmatched?.warnings ?? [] { notes.add(warning) }
    unmatched = nil
  }

  /// Takes the value of a folder, and returns why it names no store.
  mutating func take(folder value: String) -> String? {
    if case .refusal(let message) = names.take(value) { message } else { nil }
  }

  /// Spreads the records of inputs that name no store: those of a folder without a value, or with one that is refused.
  ///
  /// - Parameter areAll: Whether no other folder has a store, whose run would tell what was not found.
  mutating func runWithoutValue(
    _ inputs: [(source: ByteSource, refusal: String?)], _ definition: ImportDefinition, columns: [String], areAll: Bool
  ) throws(FamilyError) {
    let part = definition.parts[0]
    types = ContractTypes(part.contract, columns: columns)
    if areAll { unmatched = UnmatchedColumns(elementsOf: part, file: definition.path) }
    for (index, input) in inputs.enumerated() {
      refusal = input.refusal.map { (code: .storeBadName, message: $0) }
      try split(input.source, 0, part, nil, columns: columns, source: index)
    }
    refusal = nil
    endImport()
  }

  /// Ends the files.
  mutating func finish() throws(FamilyError) {
    warnings += notes.all
    try files.finish()
    do throws(RejectWriterError) { try rejects.close(isFinished: true) } catch { throw FamilyError(error) }
  }

  private mutating func split(
    _ input: ByteSource, _ number: Int, _ part: ImportPart, _ column: SplitColumn?, columns: [String] = [],
    source: Int
  ) throws(FamilyError) {
    let form = forms[number]
    let columns = column?.columns ?? columns
    var contract = ContractCheck(missingColumnsOf: part.contract, columns: columns, notes: notes)
    do throws(ImportError) {
      try contract?.begin(input, format: part.format)
    } catch { throw FamilyError(error) }
    var reader: any RecordReader
    do throws(ReadError) {
      reader = try part.format.reader(
        source: input, columns: .named(contract?.requestedColumns ?? columns), index: source)
    } catch { throw FamilyError(error) }
    types?.begin(part.format)
    lastIsKept = true
    var batch = RecordBatch()
    while true {
      // The more records of a batch go to one of a thousand parts, the fewer times its state comes into the processor's
      // cache; the fewer records a batch has, the better fits its text.
      let limit = BatchLimit(records: min(max(4_096, 16 * files.parts.count), 16_384), bytes: 1 << 20)
      let isMore: Bool
      do throws(ReadError) { isMore = try reader.read(into: &batch, limit: limit) } catch { throw FamilyError(error) }
      text += batch.account
      unmatched?.note(batch)
      for warning in inputFindings.warnings(batch, header: reader.header, of: input) { notes.add(warning) }
      if isMore {
        let header = headers.number(form.header(reader.header))
        let run = SpoolRun(
          part: number, source: source, member: batch.member, header: header, encoding: batch.encoding?.name)
        let refusal = contract?.markMissing(in: &batch) ?? self.refusal
        try take(&batch, run, column, refusal, form, input.path, part.name, reader.header)
      }
      // A condition decides about the record when its store is built.
      for doubt in RunWarning.doubts(about: batch, input, isLastKept: lastIsKept && part.filter == nil)
      where !warnings.contains(doubt) {
        warnings.append(doubt)
      }
      if !isMore { break }
    }
    kinds.append(types?.kinds)
  }

  private mutating func take(
    _ batch: inout RecordBatch, _ run: SpoolRun, _ column: SplitColumn?, _ refusal: Refusal?, _ form: SpoolForm,
    _ path: String, _ name: String, _ header: [String]
  ) throws(FamilyError) {
    files.begin(run)
    counts.read += batch.recordCount + batch.errors.count
    let place = column?.prepare(&batch)
    // Records that are to be rejected are so in their store, unless something leaves them out.
    do throws(ImportError) { try types?.check(batch, of: path) { _, _ in } } catch { throw FamilyError(error) }
    for error in batch.errors {
      var reject = Reject(error, file: redaction(path), member: batch.member, message: redaction(error.message))
      reject.namespaces = batch.namespaces(ofRecord: error.recordIndex)
      try error.raw.withUnsafeBufferPointer { (raw) throws(FamilyError) in
        try write(&reject, run, name, header, UnsafeRawBufferPointer(raw))
      }
    }
    order.begin(records: batch.recordCount)
    findNumbers(place, of: batch)
    for record in 0..<batch.recordCount {
      lastIsKept = false
      if let refusal {
        try reject(record, nil, of: batch, refusal.code, refusal.message, run, path, name, header)
      } else if case let number = Int(numbers[record]), number >= 0 {
        let part = part(number)
        guard part >= 0 else {
          try reject(record, place, of: batch, .storeBadName, refusals[number] ?? "", run, path, name, header)
          continue
        }
        order.add(record, to: Int(part))
        lastIsKept = true
      } else if let failure = column?.failure(record, of: batch) {
        try reject(record, place, of: batch, failure.code, failure.message, run, path, name, header)
      } else {
        try takeMissing(record, place, of: batch, run, path, name, header)
      }
    }
    try files.append(order, of: batch, form)
  }

  /// Finds the number of each record's value; -1 for none.
  private mutating func findNumbers(_ column: Int?, of batch: RecordBatch) {
    if numbers.count < batch.recordCount {
      numbers += Array(repeating: -1, count: batch.recordCount - numbers.count)
    }
    guard let column else { return numbers.withUnsafeMutableBufferPointer { $0.update(repeating: -1) } }
    batch.forEachField(column) { record, state, bytes in
      let number =
        switch state {
        case .absent, .null: -1
        case .true: ("true" as StaticString).withStaticBytes { table.number(of: $0) }
        case .false: ("false" as StaticString).withStaticBytes { table.number(of: $0) }
        default: bytes.isEmpty ? -1 : table.number(of: bytes)
        }
      numbers[record] = Int32(truncatingIfNeeded: number)
    }
  }

  /// The part of a value; -1 for one that names no store.
  ///
  /// Parts are made in the order of their first records.
  @inline(__always)
  private mutating func part(_ number: Int) -> Int32 {
    if number < parts.count, parts[number] != Self.isNew { return parts[number] }
    return addPart(number)
  }

  private mutating func addPart(_ number: Int) -> Int32 {
    var part: Int32 = -1
    switch names.take(table.text(number)) {
    case .name(let name): part = Int32(files.addPart(name: name, hash: table.hash(number)))
    case .refusal(let message): refusals[number] = message
    }
    while parts.count <= number { parts.append(Self.isNew) }
    parts[number] = part
    return part
  }

  private mutating func takeMissing(
    _ record: Int, _ column: Int?, of batch: RecordBatch, _ run: SpoolRun, _ path: String, _ name: String,
    _ header: [String]
  ) throws(FamilyError) {
    switch policy.missing {
    case .skip: counts.skipped += 1
    case .reject:
      try reject(
        record, column, of: batch, .storeBadName, "the record has no \(policy.column), which names its store", run,
        path, name, header)
    case .value(let text):
      var text = text
      let number = text.withUTF8 { table.number(of: UnsafeRawBufferPointer($0)) }
      let part = part(number)
      guard part >= 0 else {
        return try reject(
          record, column, of: batch, .storeBadName, refusals[number] ?? "", run, path, name, header)
      }
      order.add(record, to: Int(part))
      lastIsKept = true
    }
  }

  // MARK: Rejects

  private mutating func reject(
    _ record: Int, _ column: Int?, of batch: RecordBatch, _ code: RejectCode, _ message: String, _ run: SpoolRun,
    _ path: String, _ name: String, _ header: [String]
  ) throws(FamilyError) {
    let origin = batch.records[record]
    let start = SourcePosition(line: origin.line, column: origin.column, byteOffset: origin.byteOffset)
    var reject = Reject(
      file: redaction(path), member: batch.member, record: origin.index + 1,
      reason: Reject.Reason(
        code, message: redaction(message), field: policy.column,
        position: column.map { batch.position(record, $0) } ?? start))
    reject.indent = forms[run.part].isRewritten ? origin.column - 1 : 0
    reject.namespaces = batch.namespaces(ofRecord: origin.index)
    try batch.withRawRecord(record) { (raw) throws(FamilyError) in try write(&reject, run, name, header, raw) }
  }

  private mutating func write(
    _ reject: inout Reject, _ run: SpoolRun, _ name: String, _ header: [String], _ raw: UnsafeRawBufferPointer
  ) throws(FamilyError) {
    counts.rejected += 1
    counts.codes[reject.reason.code.rawValue, default: 0] += 1
    if hasSeveralImports { reject.part = name }
    if !header.isEmpty, isHeaderWritten.insert(run).inserted { reject.header = header }
    do throws(RejectWriterError) { try rejects.write(reject, raw: raw) } catch { throw FamilyError(error) }
  }
}

extension StaticString {
  fileprivate func withStaticBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    body(UnsafeRawBufferPointer(start: utf8Start, count: utf8CodeUnitCount))
  }
}
