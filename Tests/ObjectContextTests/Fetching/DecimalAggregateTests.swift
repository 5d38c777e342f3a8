import MergewalkObjectContext
import MergewalkObjectModel
import Testing

/// Aggregates over decimals: the same exact decimals in memory and in SQL, in every kind of result.
@Suite struct DecimalAggregateTests {
  private static func model() throws -> ManagedObjectModel {
    try Models.model(
      Models.entity(
        "Bill", attributes: [Models.attribute("title", .string)],
        relationships: [Models.toMany("lines", "Line", inverse: "bill")]),
      Models.entity(
        "Line",
        attributes: [
          Models.attribute("amount", .decimal), Models.attribute("pieces", .integer32),
          Models.attribute("weight", .double),
        ], relationships: [Models.toOne("bill", "Bill", inverse: "lines")]))
  }

  private func place(_ amounts: [String?]) throws -> Workplace {
    let place = try Workplace(try Self.model())
    let bill = try place.context.insert("Bill")
    try bill.setValue(.string("b"), forKey: "title")
    for (number, amount) in amounts.enumerated() {
      let line = try place.context.insert("Line")
      try line.setObject(bill, forKey: "bill")
      try line.setValue(.integer(Int64(number)), forKey: "pieces")
      try line.setValue(.double(0.1), forKey: "weight")
      if let amount { try line.setValue(.decimal(try #require(DecimalNumber(amount))), forKey: "amount") }
    }
    try place.context.save()
    place.context.reset()
    return place
  }

  private func inSQL(
    _ place: Workplace, _ expression: String, _ type: AttributeType = .undefined, of entity: String = "Line"
  ) throws -> AttributeValue {
    var request = FetchRequest(entity)
    let parsed = try ObjectExpression(format: expression)
    request.propertiesToFetch = [.expression(ExpressionDescription(name: "x", expression: parsed, resultType: type))]
    let rows = try place.context.fetchDictionaries(request)
    guard case .attribute(let value)? = rows.first?["x"] else { throw NoSuchValue() }
    return value
  }

  private func inMemory(_ place: Workplace, _ expression: String) throws -> AttributeValue {
    let bill = try #require(try place.context.fetchAll("Bill").first)
    guard case .attribute(let value) = try ObjectExpression(format: expression).evaluate(with: .object(bill)) else {
      throw NoSuchValue()
    }
    return value
  }

  private func decimal(_ text: String) throws -> AttributeValue { .decimal(try #require(DecimalNumber(text))) }

  @Test("0.10 + 0.20 + 0.30 + 99.99 is 100.59, in every type of result")
  func sums() throws {
    let place = try place(["0.10", "0.20", "0.30", "99.99", nil])
    #expect(try inSQL(place, "sum:(amount)") == decimal("100.59"))
    #expect(try inSQL(place, "sum:(amount)", .decimal) == decimal("100.59"))
    #expect(try inSQL(place, "sum:(amount)", .double) == .double(100.59))
    #expect(try inSQL(place, "average:(amount)") == decimal("25.1475"))
    #expect(try inSQL(place, "median:(amount)") == decimal("0.25"))
    #expect(try inSQL(place, "min:(amount)") == decimal("0.1"))
    #expect(try inSQL(place, "max:(amount)") == decimal("99.99"))
    #expect(try inSQL(place, "lines.@sum.amount", of: "Bill") == decimal("100.59"))
    #expect(try inSQL(place, "sum:(lines.amount)", .double, of: "Bill") == .double(100.59))
    for (expression, value) in [
      ("lines.@sum.amount", "100.59"), ("sum:(lines.amount)", "100.59"), ("lines.@avg.amount", "25.1475"),
      ("median:(lines.amount)", "0.25"), ("lines.@max.amount", "99.99"),
    ] {
      #expect(try inMemory(place, expression) == decimal(value), "\(expression)")
    }
    // A condition says the same of both.
    for predicate in ["lines.@sum.amount == 100.59", "lines.@avg.amount == 25.1475"] {
      let request = FetchRequest("Bill", where: try ObjectPredicate(format: predicate))
      #expect(try place.context.count(for: request) == 1, "\(predicate)")
      #expect(try place.context.fetch(request).count == 1)
    }
  }

  @Test("a sum with more digits than a stored number has keeps them all, and sorts as a number")
  func longSums() throws {
    let place = try place(["99999999999999.9", "0.00000000000001", "99999999999999.9"])
    let sum = "199999999999999.80000000000001"
    #expect(try inSQL(place, "sum:(amount)") == decimal(sum))
    #expect(try inMemory(place, "sum:(lines.amount)") == decimal(sum))
    var request = FetchRequest("Line", sortedBy: [ObjectSortDescriptor("total", ascending: false)])
    request.propertiesToGroupBy = [.property("pieces")]
    request.propertiesToFetch = [
      .property("pieces"),
      .expression(ExpressionDescription(name: "total", expression: try ObjectExpression(format: "sum:(amount)"))),
    ]
    var havingLarge = request
    havingLarge.havingPredicate = try ObjectPredicate(format: "total > 1")
    let rows = try place.context.fetchDictionaries(request)
    #expect(rows.map { $0.double(1) } == [99999999999999.9, 99999999999999.9, 0.00000000000001])
    #expect(try place.context.fetchDictionaries(havingLarge).count == 2)
    request.propertiesToGroupBy = []
    request.sortDescriptors = []
    request.propertiesToFetch.removeFirst()
    #expect(try place.context.fetchDictionaries(request).first?.double(0) == 199999999999999.8)
  }

  @Test("whole numbers beside decimals make decimals, binary64 numbers make such; nothing sums up to 0")
  func mixtures() throws {
    let place = try place(["0.1", "0.2"])
    #expect(try inMemory(place, "sum:({lines.@sum.amount, 1})") == decimal("1.3"))
    #expect(try inSQL(place, "sum:({lines.@sum.amount, 1})", .decimal, of: "Bill") == decimal("1.3"))
    #expect(try inMemory(place, "sum:(lines.weight)") == .double(0.2))
    #expect(try inSQL(place, "sum:(weight)") == .double(0.2))
    #expect(try inSQL(place, "average:(pieces)") == .double(0.5))
    let empty = try self.place([nil])
    #expect(try inSQL(empty, "sum:(amount)", .decimal) == decimal("0"))
    #expect(try inSQL(empty, "average:(amount)") == .null)
    let thirds = try self.place(["1", "0", "0"])
    let third = "0." + String(repeating: "3", count: 37)
    #expect(try inSQL(thirds, "average:(amount)") == decimal(third))
    #expect(try inMemory(thirds, "lines.@avg.amount") == decimal(third))
  }
}

private struct NoSuchValue: Error {}
