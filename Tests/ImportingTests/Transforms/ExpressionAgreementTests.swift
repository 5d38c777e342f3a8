@testable import MergewalkImporting
import MergewalkObjectModel
import MergewalkObjectStore
import MergewalkRecordFormats
import MergewalkTestSupport
import Testing

/// One language, one meaning: over whole columns, record by record, in memory and in SQL.
///
/// A failure names its seed and number; the same pair gives the same expression again.
@Suite("Instructions, the evaluator and SQL agree") struct ExpressionAgreementTests {
  @Test("generated expressions give the same over columns and record by record", arguments: Soak.seeds(3, long: 300))
  func columnsAndRecords(seed: UInt64) throws {
    let records = ExpressionRecords(seed: seed)
    var (compiled, both, mixed, values, failures) = (0, 0, 0, 0, 0)
    for number in 0..<150 {
      var generator = ExpressionGenerator(seed: seed << 32 | UInt64(number), isPlain: false)
      let isPredicate = number % 3 == 0
      let text =
        isPredicate ? generator.predicate(3) : generator.value(generator.kinds[number % generator.kinds.count], 3)
      guard let whole = try records.transformed(text, isPredicate: isPredicate, evaluated: false) else { continue }
      // Only instructions make texts of results of two types.
      guard let each = try records.transformed(text, isPredicate: isPredicate, evaluated: true) else {
        mixed += 1
        continue
      }
      both += 1
      if !whole.usesEvaluator { compiled += 1 }
      values += whole.results.count { $0.hasPrefix("“") }
      failures += whole.results.count { $0.hasPrefix("!") }
      let wrong = whole.results.indices.first { whole.results[$0] != each.results[$0] }
      #expect(
        wrong == nil,
        """
        seed \(seed), number \(number): \(text)
        \(wrong.map { "\(whole.results[$0]) over columns, \(each.results[$0]) evaluated, of \(records.rows[$0])" } ?? "")
        """)
    }
    #expect(
      both > 90 && compiled > 50 && compiled < both && mixed < 10,
      "seed \(seed): \(both) compared, \(compiled) compiled, \(mixed) of two types")
    #expect(values > 500 && failures > 20, "seed \(seed): \(values) values, \(failures) failures")
  }

  @Test("what both can say, stores and transforms say alike", arguments: Soak.seeds(3, from: 100, long: 300))
  func storesAndTransforms(seed: UInt64) throws {
    let folder = TemporaryFolder()
    let records = ExpressionRecords(seed: seed, hasAbsent: false)
    let (coordinator, store) = try records.store(folder)
    defer { withExtendedLifetime(coordinator) {} }
    let compiler = FetchCompiler(schema: store.schema, storeUUID: store.file.metadata.uuid)
    var (compared, values) = (0, 0)
    for number in 0..<120 {
      var generator = ExpressionGenerator(seed: seed << 32 | UInt64(number), isPlain: true)
      let text = generator.value(generator.kinds[number % generator.kinds.count], 3)
      guard let whole = try records.transformed(text, isPredicate: false, evaluated: false) else { continue }
      let expression = try ObjectExpression(format: text)
      guard let stored = try evaluated(expression, records) else { continue }
      guard let selected = try select(expression, compiler, store, records.rows.count) else { continue }
      compared += 1
      var exact = PredicateEvaluator(now: 0, .exact)
      for row in records.rows.indices {
        #expect(
          ValueComparison.areEqual(stored[row], selected[row]),
          "seed \(seed), number \(number): \(text)\n\(stored[row]) in memory, \(selected[row]) in SQL")
        // What is exact is what a store has; what has no exact result may be anything there.
        guard
          case .attribute(let value)? = try? exact.evaluate(
            ObjectExpression(exactFormat: text), with: .object(records.values(row)))
        else { continue }
        values += 1
        #expect(
          ValueComparison.areEqual(value, stored[row], .exact),
          "seed \(seed), number \(number): \(text)\n\(value) exact, \(stored[row]) stored, of \(records.rows[row])")
        #expect(!whole.results[row].hasPrefix("!"), "seed \(seed), number \(number): \(text)\n\(whole.results[row])")
      }
    }
    #expect(compared > 50 && values > 300, "seed \(seed): \(compared) compared, \(values) values")
  }

  @Test(
    "a value among many constants is looked up, whatever the words",
    arguments: [
      ("t", "'a', 'É', '12'", ""), ("s", "'A', 'e', 'SS', NULL", "[cd]"), ("s", "'A', 'e', 'SS', NULL", "[l]"),
      ("n", "1, -7, 9007199254740993", ""), ("p", "0.1, 100, 9007199254740993", ""), ("x", "0.1, 3, 1e10", ""),
      ("bad", "1, 2", ""),
    ])
  func memberships(column: String, found: String, options: String) throws {
    let records = ExpressionRecords(seed: 7)
    let elements = found.split(separator: ", ").map(String.init)
    let isText = found.contains("'")
    let constants = elements + (1000..<1070).map { isText ? "'\($0)'" : "\($0)" }
    let list = constants.joined(separator: ", ")
    func chain(_ sign: String, _ word: String) -> String {
      constants.map { "\(column) \(sign)\(options) \($0)" }.joined(separator: word)
    }
    let short = try #require(
      try records.transformed(
        elements.map { "\(column) ==\(options) \($0)" }.joined(separator: " OR "),
        isPredicate: true, evaluated: false))
    #expect(Set(short.results).count > 1)
    for text in [
      "\(column) IN\(options) {\(list)}", "ANY {\(list)} ==\(options) \(column)",
      "{\(list)} CONTAINS\(options) \(column)", "NOT ALL {\(list)} !=\(options) \(column)", chain("==", " OR "),
      "NOT (\(chain("!=", " AND ")))",
    ] {
      let long = try #require(try records.transformed(text, isPredicate: true, evaluated: false))
      #expect(long.results == short.results, "\(text)")
      #expect(!long.usesEvaluator, "\(text)")
      var compiler = TransformCompiler(path: "", model: nil, definitions: ExpressionRecords.definitions, now: 0)
      #expect(compiler.predicate(SourceText(text)) != nil)
      #expect(compiler.plan.instructions.count < 10, "\(text)")
    }
  }

  @Test("a long condition takes the memory of a few registers, and gives the same in every batch")
  func longConditions() throws {
    let terms = (0..<200).map { "(n > \($0 + 2) AND t LIKE 'x\($0)*') OR s == 'a\($0)' AND q > 0.\($0)" }
    var compiler = TransformCompiler(path: "", model: nil, definitions: ExpressionRecords.definitions, now: 0)
    let made = compiler.predicate(SourceText(terms.joined(separator: " OR ")))
    let register = try #require(made)
    compiler.plan.filter = register
    let plan = compiler.finished()
    #expect(plan.instructions.count > 1000)
    let machine = RegisterMachine(plan, tables: [], now: 0)
    let lines = (0..<9).map { #"{"n":"\#($0)","t":"x3","s":"b","q":"\#($0 % 2)"}"# + "\n" }.joined()
    var reader = try NDJSONReader(source: ByteSource(bytes: Array(lines.utf8)), columns: .named(compiler.columnNames))
    var batch = RecordBatch()
    var results: [Bool] = []
    while try reader.read(into: &batch, limit: BatchLimit(records: 4, bytes: 1 << 20)) {
      machine.run(0..<plan.instructions.count, &batch)
      for record in 0..<batch.recordCount {
        #expect(machine.registers[register].tags[record] == Register.value)
        results.append(machine.registers[register].payloads[record] != 0)
      }
      #expect(machine.registers.count { !$0.tags.isEmpty } < 20)
    }
    // The term of 'x3*' holds from 6 on.
    #expect(results == (0..<9).map { $0 > 5 })
  }

  /// The values in memory as a store has them; nil when a sum of integers is too great for one.
  private func evaluated(_ expression: ObjectExpression, _ records: ExpressionRecords) throws -> [AttributeValue]? {
    var values: [AttributeValue] = []
    do {
      for row in records.rows.indices {
        guard case .attribute(let value) = try expression.evaluate(with: records.values(row), now: 0) else {
          throw PredicateError(.typeMismatch, "there is no single value")
        }
        values.append(value)
      }
    } catch let error as PredicateError {
      guard error.code == .overflow else { throw error }
      return nil
    }
    return values
  }

  /// The values that SQL gives; nil when it refuses the expression.
  private func select(
    _ expression: ObjectExpression, _ compiler: FetchCompiler, _ store: PersistentStore, _ count: Int
  ) throws -> [AttributeValue]? {
    var request = FetchRequest("Row")
    request.resultType = .dictionaries
    request.propertiesToFetch = [
      .expression(ExpressionDescription(name: "id", expression: .evaluatedObject)),
      .expression(ExpressionDescription(name: "value", expression: expression)),
    ]
    var found = [AttributeValue?](repeating: nil, count: count)
    do {
      let cursor = try store.cursor(compiler.compile(request, selecting: .values))
      while try cursor.step() {
        guard case .objectID(let id) = cursor.value(0), case .attribute(let value) = cursor.value(1) else { continue }
        found[Int(id.primaryKey) - 1] = value
      }
    } catch let error as PredicateError {
      guard [.typeMismatch, .notInSQL, .toManyKey].contains(error.code) else { throw error }
      return nil
    } catch let error as FetchError {
      // A sum of integers that is too great.
      guard case .predicate(let error) = error, error.code == .overflow else { throw error }
      return nil
    }
    return try found.map { try #require($0) }
  }
}
