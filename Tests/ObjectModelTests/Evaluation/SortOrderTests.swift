import MergewalkObjectModel
import MergewalkTestSupport
import Testing

@Suite struct SortOrderTests {
  private func names(_ descriptors: [ObjectSortDescriptor], _ objects: [EvaluatedValue]) throws -> [String] {
    try objects.sorted(by: descriptors).map { object in
      guard case .object(let keyed) = object, case .attribute(let name) = try keyed.evaluatedValue(forKey: "name")
      else { return "?" }
      return name.text ?? "-"
    }
  }

  @Test func nullComesFirstAndBytesDecide() throws {
    let objects: [EvaluatedValue] = ["b", "a", nil, "Z", "\u{E9}", "e\u{301}", "f"].map { (name: EvaluatedValue) in
      ["name": name]
    }
    #expect(try names([ObjectSortDescriptor("name")], objects) == ["-", "Z", "a", "b", "e\u{301}", "f", "\u{E9}"])
    #expect(
      try names([ObjectSortDescriptor("name", ascending: false)], objects) == [
        "\u{E9}", "f", "e\u{301}", "b", "a", "Z", "-",
      ])
  }

  @Test func comparisonsOfTexts() throws {
    let objects: [EvaluatedValue] = ["b", "A", "a", "Á", "file10", "file9", "B"].map { (name: EvaluatedValue) in
      ["name": name]
    }
    func order(_ comparison: ObjectSortDescriptor.Comparison) throws -> [String] {
      try names([ObjectSortDescriptor("name", comparison: comparison)], objects)
    }
    #expect(try order(.folded(.caseInsensitive)) == ["A", "a", "b", "B", "file10", "file9", "Á"])
    #expect(
      try order(.folded([.caseInsensitive, .diacriticInsensitive])) == ["A", "a", "Á", "b", "B", "file10", "file9"])
    #expect(try order(.localized) == ["a", "A", "Á", "b", "B", "file10", "file9"])
    #expect(try order(.localizedCaseInsensitive) == ["A", "a", "Á", "b", "B", "file10", "file9"])
    #expect(try order(.localizedStandard) == ["a", "A", "Á", "b", "B", "file9", "file10"])
    let byLength = SortClosure { left, right in
      guard case .attribute(let first) = left, case .attribute(let second) = right else { return 0 }
      return (first.text ?? "").utf8.count - (second.text ?? "").utf8.count
    }
    #expect(try order(.custom(byLength)) == ["b", "A", "a", "B", "Á", "file9", "file10"])
  }

  @Test func selfBeforeAKey() throws {
    let objects: [EvaluatedValue] = ["b", "a", "c"].map { (name: EvaluatedValue) in ["name": name] }
    for key in ["SELF.name", "self.name", "Self.name"] {
      #expect(try names([ObjectSortDescriptor(key)], objects) == ["a", "b", "c"])
    }
  }

  @Test func severalCriteriaAndPrimaryKeys() throws {
    let things = [
      Thing(3, ["n": 1, "m": "b"]), Thing(2, ["n": 1, "m": "a"]), Thing(1, ["n": 1, "m": "b"]),
      Thing(4, ["n": 0.5, "m": "z"]),
    ]
    let sorted = try things.sorted(by: [ObjectSortDescriptor("n"), ObjectSortDescriptor("m", ascending: false)])
    #expect(sorted.map(\.id.primaryKey) == [4, 1, 3, 2])
    #expect(try things.sorted(by: [ObjectSortDescriptor]()).map(\.id.primaryKey) == [1, 2, 3, 4])
    let order = try SortOrder([ObjectSortDescriptor("n"), ObjectSortDescriptor("m")])
    #expect(try order.compare(order.keys(of: .object(things[0])), order.keys(of: .object(things[1]))) > 0)
    let counted: [EvaluatedValue] = [
      ["name": "two", "l": [1, 2]], ["name": "one", "l": [1]], ["name": "none", "l": nil],
    ]
    #expect(try names([ObjectSortDescriptor("l.@count")], counted) == ["none", "one", "two"])
  }

  @Test func whatHasNoOrderIsAnError() throws {
    func code(_ descriptor: ObjectSortDescriptor, _ objects: [EvaluatedValue]) -> PredicateError.Code? {
      do throws(PredicateError) {
        _ = try objects.sorted(by: [descriptor])
        return nil
      } catch {
        return error.code
      }
    }
    #expect(code(ObjectSortDescriptor("a"), [["a": 1], ["a": "x"]]) == .typeMismatch)
    #expect(code(ObjectSortDescriptor("a", comparison: .localized), [["a": 1], ["a": "x"]]) == .typeMismatch)
    #expect(code(ObjectSortDescriptor("a"), [["a": [1]], ["a": [2]]]) == .toManyKey)
    #expect(code(ObjectSortDescriptor("a"), [["a": ["x": 1]], ["a": ["x": 2]]]) == .typeMismatch)
    #expect(code(ObjectSortDescriptor("a..b"), []) == .unknownKey)
    #expect(code(ObjectSortDescriptor("b"), [.object(Thing(1))]) == .unknownKey)
  }

  @Test("Sorting agrees with comparing", arguments: Soak.seeds(8, from: 21))
  func sortingAgreesWithComparing(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    for comparison: ObjectSortDescriptor.Comparison in [
      .standard, .folded(.caseInsensitive), .folded(.diacriticInsensitive), .localized, .localizedCaseInsensitive,
      .localizedStandard,
    ] {
      let descriptor = ObjectSortDescriptor("SELF", ascending: Bool.random(using: &generator), comparison: comparison)
      let objects: [EvaluatedValue] = (0..<30).map { _ in
        [
          "SELF": Int.random(in: 0..<9, using: &generator) == 0
            ? nil : .attribute(.string(RandomText.make(&generator, count: 2)))
        ]
      }
      let order = try SortOrder([descriptor])
      let sorted = try objects.sorted(by: [descriptor])
      for (left, right) in zip(sorted, sorted.dropFirst()) {
        #expect(try order.compare(order.keys(of: left), order.keys(of: right)) <= 0, "seed \(seed) \(comparison)")
      }
    }
  }
}
