@testable import MergewalkImporting
import MergewalkObjectModel
import MergewalkObjectStore
@testable import MergewalkRecordFormats
import MergewalkSQLite
import MergewalkTestSupport
import Testing

/// Records with two columns of each type, whose values are ordinary, extreme, null, absent, or cannot be read.
struct ExpressionRecords {
  static let columns: [(name: String, kind: ValueKind, texts: [String])] = [
    ("n", .integer, ["0", "1", "-1", "2", "3", "5", "-7", "10", "100", "9007199254740993", "9223372036854775807"]),
    ("m", .integer, ["0", "1", "2", "7", "-2", "12", "-9223372036854775808"]),
    ("k", .integer, ["0", "3", "63", "-4"]),
    (
      "p", .decimal,
      [
        "0.10", "0.1", "0.2", "1.50", "-2.25", "100", "0", "0.30", "3", "12345678901234567.8", "9007199254740993",
        "99999999999999999999999999999999999999", "0.00000000000000000000000000000000000001",
      ]
    ),
    ("q", .decimal, ["0.2", "0.20", "0.7", "7", "1.000", "-0.5", "1e20", "0.0"]),
    ("x", .double, ["0.1", "0.3", "0.5", "-2.5", "3", "0", "1e10", "9007199254740992", "1e300", "1e-300"]),
    ("y", .double, ["0.2", "1", "-1", "2.5", "7", "100", "0.30000000000000004"]),
    ("s", .text, ["", "a", "Ab", "ab", "é", "e\u{301}", "É", "12", "0.1", "-7", "x1", "1e30", "2024-02-29", "ß", "𝄞"]),
    ("t", .text, ["a", "A", "b", "12", "file2", "É", "x", "0x1F"]),
    ("d", .date, ["2001-01-01", "2024-02-29T12:30:00Z", "1999-12-31T23:59:59.5Z"]),
    ("e", .date, ["2001-01-02", "2024-02-29"]),
    ("f", .boolean, ["true", "false"]),
    ("g", .boolean, ["true", "false"]),
    ("bad", .integer, ["1", "x", "2"]),
  ]

  /// For each record the texts of the columns: nil for null; columns that are not there are absent.
  let rows: [[String: String?]]

  init(seed: UInt64, count: Int = 24, hasAbsent: Bool = true) {
    var random = SeededGenerator(seed: seed)
    rows = (0..<count).map { _ in
      var row: [String: String?] = [:]
      for column in Self.columns {
        switch Int.random(in: 0..<14, using: &random) {
        case 0: row[column.name] = .some(nil)
        case 1: if !hasAbsent { row[column.name] = .some(nil) }
        default: row[column.name] = column.texts.randomElement(using: &random)
        }
      }
      return row
    }
  }

  // MARK: Transforms

  static let definitions: [ColumnTransform] = columns.map {
    ColumnTransform(name: $0.name, source: .column($0.name), kind: $0.kind)
  }

  /// What an expression or a condition gives for each record: its text, `null`, `absent`, or `!` and the failure; nil when
  /// lint refuses it.
  func transformed(
    _ text: String, isPredicate: Bool, evaluated: Bool
  ) throws -> (results: [String], usesEvaluator: Bool)? {
    var compiler = TransformCompiler(path: "", model: nil, definitions: Self.definitions, now: 0)
    compiler.hasInstructions = !evaluated
    let source = SourceText(text)
    let register =
      isPredicate ? compiler.predicate(source) : compiler.expression(source, isText: true)?.register
    guard let register, compiler.findings.isEmpty else {
      #expect(!compiler.findings.isEmpty, "\(text) is refused without a word")
      return nil
    }
    compiler.plan.outputs = [TransformPlan.Output(register: register, derived: 0)]
    let plan = compiler.finished()
    let machine = RegisterMachine(plan, tables: [], now: 0)
    var reader = try NDJSONReader(
      source: ByteSource(bytes: Array(rows.map(Self.line).joined().utf8)), columns: .named(compiler.columnNames))
    var batch = RecordBatch()
    var results: [String] = []
    // Small batches, so that registers are used again.
    while try reader.read(into: &batch, limit: BatchLimit(records: 7, bytes: 1 << 20)) {
      batch.reserveDerived(1)
      machine.run(0..<plan.instructions.count, &batch)
      machine.store(plan.outputs[0], &batch)
      for record in 0..<batch.recordCount {
        let tag = machine.registers[register].tags[record]
        if tag == Register.failed {
          results.append("!\(TransformFailure.Cell(payload: machine.registers[register].payloads[record]).failure)")
        } else if tag == Register.value {
          results.append("“\(batch.text(record, compiler.columnNames.count) ?? "?")”")
        } else {
          results.append(tag == Register.absent ? "absent" : "null")
        }
      }
    }
    return (results, plan.instructions.contains { $0.operation is Evaluation })
  }

  private static func line(_ row: [String: String?]) -> String {
    let members = row.sorted { $0.key < $1.key }.map { name, text in
      "\"\(name)\":" + (text.map { "\"\($0)\"" } ?? "null")
    }
    return "{" + members.joined(separator: ",") + "}\n"
  }

  // MARK: Memory

  /// The values of a record as the evaluator takes them; nil where one cannot be read.
  func values(_ row: Int) -> KeyedDictionary {
    var values: [String: EvaluatedValue] = [:]
    for column in Self.columns where column.name != "bad" {
      let text = rows[row][column.name] ?? nil
      values[column.name] = .attribute(text.map { Self.value($0, column.kind) } ?? .null)
    }
    return KeyedDictionary(values)
  }

  static func value(_ text: String, _ kind: ValueKind) -> AttributeValue {
    if kind != .text, text.isEmpty { return .null }
    switch kind {
    case .text: return .string(text)
    case .integer: return AttributeValue(text: text, type: .integer64) ?? .null
    case .decimal: return AttributeValue(text: text, type: .decimal) ?? .null
    case .double: return AttributeValue(text: text, type: .double) ?? .null
    case .date: return AttributeValue(text: text, type: .date) ?? .null
    case .boolean: return .boolean(text == "true")
    }
  }

  // MARK: SQL

  static func model() throws -> ManagedObjectModel {
    var row = EntityDraft(name: "Row")
    row.attributes = columns.filter { $0.name != "bad" }.map { column in
      let type: AttributeType =
        switch column.kind {
        case .text: .string
        case .integer: .integer64
        case .decimal: .decimal
        case .double: .double
        case .date: .date
        case .boolean: .boolean
        }
      var attribute = AttributeDescription(name: column.name, type: type)
      attribute.isOptional = true
      return attribute
    }
    var draft = ModelDraft()
    draft.entities = [row]
    return try ManagedObjectModel(draft)
  }

  /// A store with the records; the n-th has the primary key n, from 1.
  func store(_ folder: TemporaryFolder) throws -> (coordinator: PersistentStoreCoordinator, store: PersistentStore) {
    let model = try Self.model()
    let coordinator = PersistentStoreCoordinator(model: model)
    let store = try coordinator.addSQLiteStore(at: folder.file("rows.sqlite"))
    let entity = try #require(model.entity(named: "Row"))
    let table = store.schema.table(forRoot: entity.root)
    for (index, _) in rows.enumerated() {
      var names = ["Z_PK", "Z_ENT", "Z_OPT"]
      var values: [AttributeValue] = [.integer(Int64(index + 1)), .integer(Int64(entity.number)), .integer(1)]
      for attribute in entity.attributes {
        guard case .attribute(let value)? = self.values(index).values[attribute.name] else { continue }
        names.append(try #require(table.columnName(slot: attribute.slot)))
        values.append(value)
      }
      let insert = try store.connection.prepare(
        "INSERT INTO \(table.name) (\(names.joined(separator: ", "))) VALUES "
          + "(\(names.map { _ in "?" }.joined(separator: ", ")))")
      for (place, value) in values.enumerated() { Self.bind(value, insert, Int32(place + 1)) }
      try insert.run()
    }
    return (coordinator, store)
  }

  private static func bind(_ value: AttributeValue, _ statement: Statement, _ place: Int32) {
    switch value {
    case .string(let text): statement.bind(place, text: text)
    case .date(let seconds): statement.bind(place, seconds)
    default:
      switch value.number {
      case .integer(let number): statement.bind(place, number)
      case .double(let number): statement.bind(place, number)
      default: statement.bindNull(place)
      }
    }
  }
}
