import MergewalkObjectModel
import MergewalkObjectStore
import MergewalkSQLite
import MergewalkTestSupport
import Testing

/// SQL and the evaluator in memory have one meaning: the same rows in the same order, the same values.
///
/// A failure names its seed and number; the same pair gives the same predicate again.
@Suite("SQL and memory agree")
struct DifferentialTests {
  static let entities = ["Party", "Party", "Party", "Customer", "Item", "Group"]

  @Test("FN13: generated predicates and orders give the same rows", arguments: Soak.seeds(6))
  func predicates(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let world = try GeneratedWorld(&random)
    var compared = 0
    for number in 0..<250 {
      let name = DifferentialTests.entities[number % DifferentialTests.entities.count]
      let entity = try #require(world.model.entity(named: name))
      var generator = PredicateGenerator(
        random: SeededGenerator(seed: seed << 32 | UInt64(number)), entity: entity, model: world.model)
      let predicate = generator.predicate(3)
      let order = generator.order()
      let expected: [Int64]
      do {
        let found = try world.all(name).filtered(by: predicate).sorted(by: order)
        expected = found.map(\.id.primaryKey)
      } catch { continue }
      let request = FetchRequest(name, where: predicate, sortedBy: order)
      guard let fetch = try compiled(request, .primaryKeys(withSortKeys: false), world) else { continue }
      var found: [Int64] = []
      do {
        let cursor = try world.store.cursor(fetch)
        while try cursor.step() { found.append(cursor.integer(0)) }
      } catch {
        if case .predicate = error { continue }
        Issue.record("seed \(seed), number \(number): \(error)\n\(predicate)")
        continue
      }
      compared += 1
      if order.isEmpty { found.sort() }
      #expect(
        found == (order.isEmpty ? expected.sorted() : expected),
        "seed \(seed), number \(number), \(name): \(predicate)\norder \(order)\n\(fetch.sql)\n\(fetch.bindings)"
      )
    }
    #expect(compared > 120, "seed \(seed): only \(compared) predicates ran in both engines")
  }

  /// The last ones lost the digits or the type of decimals within CAST, TERNARY and lists.
  @Test(
    "FN13: generated expressions give the same values",
    arguments: Array(Soak.seeds(6, from: 100)) + [
      51_540_149, 51_540_157, 51_540_245, 51_540_272, 51_540_275, 51_540_282, 51_540_366, 51_540_374, 61_530_114,
      61_530_243,
    ])
  func expressions(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let world = try GeneratedWorld(&random)
    var compared = 0
    for number in 0..<200 {
      let name = DifferentialTests.entities[number % DifferentialTests.entities.count]
      let entity = try #require(world.model.entity(named: name))
      var generator = PredicateGenerator(
        random: SeededGenerator(seed: seed << 32 | UInt64(number)), entity: entity, model: world.model)
      let expression = generator.value(PredicateGenerator.Kind.allCases[number % 3], 3)
      var expected: [ManagedObjectID: AttributeValue] = [:]
      do {
        for object in world.all(name) {
          guard case .attribute(let value) = try expression.evaluate(with: object) else { continue }
          expected[object.id] = value
        }
      } catch { continue }
      var request = FetchRequest(name)
      request.resultType = .dictionaries
      request.propertiesToFetch = [
        .expression(ExpressionDescription(name: "id", expression: .evaluatedObject)),
        .expression(ExpressionDescription(name: "value", expression: expression)),
      ]
      guard let fetch = try compiled(request, .values, world) else { continue }
      var found: [ManagedObjectID: AttributeValue] = [:]
      do {
        let cursor = try world.store.cursor(fetch)
        while try cursor.step() {
          guard case .objectID(let id) = cursor.value(0), case .attribute(let value) = cursor.value(1) else { continue }
          found[id] = value
        }
      } catch {
        if case .predicate = error { continue }
        Issue.record("seed \(seed), number \(number): \(error)\n\(expression)\n\(fetch.sql)")
        continue
      }
      compared += 1
      let wrong = expected.first { id, value in !(found[id].map { ValueComparison.areEqual($0, value) } ?? false) }
      #expect(
        found.count == expected.count && wrong == nil,
        """
        seed \(seed), number \(number), \(name): \(expression)
        \(fetch.sql)\n\(fetch.bindings)
        \(wrong.map { "\($0.key): memory \($0.value), SQL \(found[$0.key] ?? .null)" } ?? "\(found.count) rows")
        """)
    }
    #expect(compared > 80, "seed \(seed): only \(compared) expressions ran in both engines")
  }

  @Test(
    "decimals keep their type and all their digits beside other numbers, in every place that casts can look into",
    arguments: [
      "CAST(TERNARY(age > 0, price, 0.0), 'NSString')", "CAST(TERNARY(age > 0, rank, price), 'NSString')",
      "CAST(TERNARY(age > 0, price, nil), 'NSString')", "CAST(min:(price, score, rank), 'NSString')",
      "CAST(max:(boss.price, rank, 100000000000000000000), 'NSString')", "CAST(mode:(price, rank, price), 'NSString')",
      "CAST(average:(price, nil, rank), 'NSString')", "CAST(sum:(price, rank), 'NSString')",
      "CAST(median:(price, TERNARY(age > 0, price, score)), 'NSString')",
      "CAST(sum:(distinct:({price, rank, boss.price, score})), 'NSString')",
      "CAST(average:(distinct:({1, price, CAST('1', 'NSDecimalNumber')})), 'NSString')",
      "CAST(CAST('1.00000000000000000000000001', 'NSDecimalNumber'), 'NSString')",
      "CAST(sum:(CAST('0.00000000000000000001', 'NSDecimalNumber'), price), 'NSString')",
      "CAST(average:(friends.price), 'NSDecimalNumber')", "CAST(sum:(sum:(friends.price), rank, 0.5), 'NSString')",
      "CAST(max:(SUBQUERY({price, rank, age}, $x, CAST($x, 'NSString') != '1')), 'NSString')",
      "CAST(TERNARY(age > 0, price, score), 'BOOL')", "CAST(average:(price, rank), 'integer')",
    ])
  func decimals(format: String) throws {
    let expression = try ObjectExpression(format: format)
    var random = SeededGenerator(seed: 19)
    for _ in 0..<4 {
      let world = try GeneratedWorld(&random)
      var request = FetchRequest("Party")
      request.resultType = .dictionaries
      request.propertiesToFetch = [
        .expression(ExpressionDescription(name: "id", expression: .evaluatedObject)),
        .expression(ExpressionDescription(name: "value", expression: expression)),
      ]
      let fetch = try world.compiler.compile(request, selecting: .values)
      let cursor = try world.store.cursor(fetch)
      let objects = Dictionary(uniqueKeysWithValues: world.all("Party").map { ($0.id, $0) })
      var count = 0
      while try cursor.step() {
        guard case .objectID(let id) = cursor.value(0), case .attribute(let value) = cursor.value(1) else { continue }
        guard case .attribute(let expected) = try expression.evaluate(with: #require(objects[id])) else { continue }
        count += 1
        if !ValueComparison.areEqual(value, expected) {
          Issue.record("\(id): memory \(expected), SQL \(value)\n\(fetch.sql)")
        }
      }
      #expect(count == 30)
    }
  }

  @Test("what infinities make is null where it is no number, in comparisons and lists too")
  func infinities() throws {
    var random = SeededGenerator(seed: 20)
    let world = try GeneratedWorld(&random)
    let infinity = "CAST('inf', 'NSNumber')"
    for format in [
      "\(infinity) * (1099511627776 * 0) IN {age, age}", "\(infinity) - \(infinity) == age",
      "score - score != age", "score * 0 == nil", "born + \(infinity) - \(infinity) == met",
      "{score * 0, age} CONTAINS nil", "score + ratio BETWEEN {score - score, 5}",
    ] {
      let predicate = try ObjectPredicate(format: format)
      let expected = try world.all("Party").filtered(by: predicate).map(\.id.primaryKey).sorted()
      let fetch = try world.compiler.compile(
        FetchRequest("Party", where: predicate), selecting: .primaryKeys(withSortKeys: false))
      let cursor = try world.store.cursor(fetch)
      var found: [Int64] = []
      while try cursor.step() { found.append(cursor.integer(0)) }
      #expect(found.sorted() == expected, "\(format)\n\(fetch.sql)")
    }
  }

  /// The SQL; `nil` when it refuses what the evaluator never comes to, such as a wrong type behind a false condition.
  private func compiled(
    _ request: FetchRequest, _ selection: FetchSelection, _ world: GeneratedWorld
  ) throws -> CompiledFetch? {
    do {
      return try world.compiler.compile(request, selecting: selection)
    } catch {
      guard error.code == .typeMismatch || error.code == .notInSQL || error.code == .toManyKey else { throw error }
      return nil
    }
  }
}
