import MergewalkDiagnostics
package import MergewalkRecordFormats

/// Checks sources against a ``SchemaContract``.
///
/// A run asks it about all that the contract says, and the split of a family of stores about missing columns: it reads
/// sources too.
package struct ContractCheck {
  private let contract: SchemaContract
  private let columns: [String]
  /// The members of a record that are known.
  private let members: Set<String>
  private var checksMembers = false
  /// The columns that the current source does not have.
  private var missing: [Int] = []
  /// Why all records of a file are rejected: of the current source, or of a member of it, by their paths.
  private var refusals: [String: (code: RejectCode, message: String)] = [:]
  private var path = ""
  /// Whether the headers of the current source are those of its batches, and whose were looked at.
  private var isReadOnce = false
  private var seen: Set<String> = []
  private var types: ContractTypes?
  private let notes: SourceNotes
  /// The columns to request from the current source.
  package private(set) var requestedColumns: [String]

  /// - Parameters:
  ///   - lists: the columns that lists are read from.
  ///   - notes: takes what the summary warns of.
  init(_ contract: SchemaContract, columns: [String], lists: [Int], notes: SourceNotes) {
    self.contract = contract
    self.notes = notes
    self.columns = columns
    // Records say names, columns paths, in which dots of names have a backslash.
    let firsts = columns.map { JSONReader.firstMember(ofPath: $0).flatMap(JSONReader.memberName) ?? $0 }
    members = Set(firsts + contract.ignored + contract.ignored.compactMap(JSONReader.memberName))
    types = ContractTypes(contract, columns: columns, lists: lists, notes: notes)
    requestedColumns = columns
  }

  /// The same about missing columns only.
  ///
  /// - Returns: `nil` when the contract says nothing about them.
  package init?(missingColumnsOf contract: SchemaContract?, columns: [String], notes: SourceNotes) {
    guard let policy = contract?.missingColumns else { return nil }
    var narrow = SchemaContract()
    narrow.missingColumns = policy
    self.init(narrow, columns: columns, lists: [], notes: notes)
  }

  private static func broken(_ message: String) -> ImportError {
    ImportError(code: .contract, message: message + "; the contract of the source does not allow it")
  }

  /// The same about a record, with its place.
  static func broken(
    _ message: String, _ path: String, _ batch: RecordBatch, _ record: Int, _ column: Int? = nil
  ) -> ImportError {
    let error = broken("record \(batch.records[record].index + 1)\(message)")
    let finding = Diagnostic(
      .error, code: ImportError.Code.contract.rawValue, path: file(path, batch),
      position: place(batch, record, column), message: error.message)
    return ImportError(code: error.code, message: error.message, diagnostics: [finding])
  }

  /// The file that a batch stands in: a source, or a member of it.
  static func file(_ path: String, _ batch: RecordBatch) -> String {
    guard !batch.isReplayed, let member = batch.member else { return path }
    return "\(path)/\(member)"
  }

  /// Where a record stands, or a field of it.
  private static func place(_ batch: RecordBatch, _ record: Int, _ column: Int?) -> SourcePosition {
    if let column { return batch.position(record, column) }
    let facts = batch.records[record]
    return SourcePosition(line: facts.line, column: facts.column, byteOffset: facts.byteOffset)
  }

  // MARK: Headers

  /// Begins with a source; looks at its header where it has one.
  ///
  /// - Parameter kinds: See ``ContractTypes/begin(_:_:)``.
  package mutating func begin(
    _ source: ByteSource, format: RecordFormat, kinds: String? = nil
  ) throws(ImportError) {
    missing = []
    refusals = [:]
    path = source.path
    (isReadOnce, seen) = (false, [])
    requestedColumns = columns
    types?.begin(format, kinds)
    checksMembers = false
    // A replay has no header of its own.
    guard contract.newColumns != nil || contract.missingColumns != nil else { return }
    guard format.hasFixedColumns else {
      switch format {
      case .json, .ndjson, .jsonSequence: checksMembers = contract.newColumns != nil && contract.newColumns != .discard
      default: break
      }
      return
    }
    // The header of what can be read only once comes with its records; a missing column is then an error of the reader.
    isReadOnce = source.isReadOnce
    guard !isReadOnce else { return }
    let headers: [(path: String, columns: [String])]
    do { headers = try format.headers(of: source, isWhole: true) } catch { throw ImportError(error) }
    // All records of a file that is no archive of several are those of its one header.
    defer { if headers.count == 1, let only = refusals.first?.value { refusals = [path: only] } }
    for header in headers { try checkNew(header.path, header.columns) }
    guard let header = headers.first, let policy = contract.missingColumns else { return }
    missing = columns.indices.filter { !header.columns.contains(columns[$0]) }
    // Files of an archive that differ in what they lack are refused where they are read.
    let areAlike = headers.allSatisfy { other in
      columns.indices.allSatisfy { other.columns.contains(columns[$0]) != missing.contains($0) }
    }
    if !areAlike { missing = [] }
    guard !missing.isEmpty else { return }
    let names = missing.map { "“\(columns[$0])”" }.joined(separator: ", ")
    let message = "“\(headers.count == 1 ? header.path : path)” has no column \(names)"
    switch policy {
    case .freeze: throw Self.broken(message)
    case .evolve: notes.add(.contractMissingColumn, message)
    case .reject: for header in headers { refusals[header.path] = (.contractMissingColumn, message) }
    case .discard: break
    }
    // Whatever is read in their place is taken for absent.
    guard let present = columns.first(where: header.columns.contains) ?? header.columns.first else {
      throw Self.broken("“\(header.path)” has no columns")
    }
    for index in missing { requestedColumns[index] = present }
  }

  private mutating func checkNew(_ path: String, _ header: [String]) throws(ImportError) {
    guard let policy = contract.newColumns else { return }
    let known = Set(columns + contract.ignored)
    let new = header.filter { !known.contains($0) }
    guard !new.isEmpty else { return }
    let message =
      "“\(path)” has \(new.count == 1 ? "a column" : "columns") that the import does not know: "
      + new.map { "“\($0)”" }.joined(separator: ", ")
    switch policy {
    case .freeze: throw Self.broken(message)
    case .evolve: notes.add(.contractNewColumn, message)
    case .reject: refusals[path] = (.contractNewColumn, message)
    case .discard: break
    }
  }

  // MARK: Records

  /// Makes the columns absent that the source does not have.
  ///
  /// - Returns: Why all records of the batch are to be rejected; `nil` when they are not.
  package func markMissing(in records: inout RecordBatch) -> (code: RejectCode, message: String)? {
    for column in missing { records.setAbsent(column: column) }
    return refusals[Self.file(path, records)] ?? refusals[path]
  }

  mutating func check(_ batch: inout ImportBatch) throws(ImportError) {
    let count = batch.records.recordCount
    if isReadOnce, case let file = Self.file(path, batch.records), seen.insert(file).inserted {
      try checkNew(file, batch.header)
    }
    if let refusal = markMissing(in: &batch.records) {
      for record in 0..<count {
        batch.transformed.refusals.append(
          RecordReject(record: Int32(record), field: nil, code: refusal.code, detail: refusal.message))
      }
      return
    }
    if checksMembers { try checkMembers(&batch, count) }
    var refused: [RecordReject] = []
    try types?.check(batch.records, of: path, except: missing) { record, message in
      refused.append(RecordReject(record: Int32(record), field: nil, code: .contractType, detail: message))
    }
    batch.transformed.refusals += refused
  }

  private mutating func checkMembers(_ batch: inout ImportBatch, _ count: Int) throws(ImportError) {
    guard let policy = contract.newColumns else { return }
    for record in 0..<count {
      var new: [String] = []
      batch.records.eachMember(record) { name in
        let text = String(decoding: name, as: UTF8.self)
        if !members.contains(text), !new.contains(text) { new.append(text) }
      }
      guard !new.isEmpty else { continue }
      let names = new.prefix(8).map { RejectMessage.shown($0) }.joined(separator: ", ")
      switch policy {
      case .evolve:
        for name in new {
          notes.add(
            .contractNewColumn, "records have a member \(RejectMessage.shown(name)) that the import does not know")
        }
      case .freeze:
        throw Self.broken(" has a member that the import does not know: \(names)", path, batch.records, record)
      case .reject:
        batch.transformed.refusals.append(
          RecordReject(
            record: Int32(record), field: nil, code: .contractNewColumn,
            detail: "the record has a member that the import does not know: \(names)"))
      case .discard: break
      }
    }
  }
}

extension RejectMessage {
  /// A text in quotes, cut after so many bytes.
  static func shown(_ text: String) -> String { Array(text.utf8).withUnsafeBytes { shown($0) } }
}
