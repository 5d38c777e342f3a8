import MergewalkDiagnostics
@testable import MergewalkImporting
import MergewalkObjectModel
import MergewalkObjectStore
@testable import MergewalkRecordFormats
import Testing

@Suite struct FieldPolicyTests {
  /// The four kinds of fields, with every policy for the three that have one.
  @Test(arguments: FieldImport.Substitute.allCases)
  func fourCasesAreFourDifferentThings(substitute: FieldImport.Substitute) throws {
    let fields = [
      MadeField.absent, .null, MadeField(""), MadeField("", .quoted), MadeField("v"), MadeField("v", .quoted),
    ]
    let result = try convert(fields, .string, default: .string("default")) {
      $0.whenAbsent = substitute
      $0.whenNull = substitute
      $0.whenEmpty = substitute
    }
    let expected: [Converted] =
      switch substitute {
      case .keep: [.absent, .absent, .absent, .absent]
      case .null: [.null, .null, .null, .null]
      case .useDefault: Array(repeating: .text("default"), count: 4)
      case .empty: Array(repeating: .text(""), count: 4)
      case .reject: [.failed(.valueAbsent), .failed(.valueNull), .failed(.valueEmpty), .failed(.valueEmpty)]
      }
    #expect(result == expected + [.text("v"), .text("v")])
  }

  @Test(
    arguments: [
      (.string, .text("")), (.binary, .blob([])), (.integer64, .null), (.double, .null), (.decimal, .null),
      (.boolean, .null),
      (.date, .null), (.uuid, .null), (.uri, .null), (.transformable, .null),
    ] as [(AttributeType, Converted)])
  func withoutPolicyEmptyIsEmptyForTextAndBytesOnly(type: AttributeType, empty: Converted) throws {
    #expect(try convert([.absent, .null, MadeField("")], type) == [.absent, .null, empty])
  }

  @Test(
    arguments: [
      (.integer32, .integer(7), .integer(7)), (.boolean, .boolean(true), .integer(1)),
      (.double, .double(1.5), .real(1.5)),
      (.float, .double(0.1), .real(Double(Float(0.1)))), (.date, .date(12), .real(12)),
      (.decimal, .decimal(DecimalNumber(significand: 25, exponent: -1)), .real(2.5)), (.uri, .uri("a:b"), .text("a:b")),
      (.binary, .binary([1, 2]), .blob([1, 2])),
      (.uuid, .uuid(0x0102, 3), .blob([0, 0, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 0, 0, 0, 3])), (.string, .null, .null),
    ] as [(AttributeType, AttributeValue, Converted)])
  func defaultsOfEveryTypeTakeTheValuesPlace(type: AttributeType, value: AttributeValue, cell: Converted) throws {
    let result = try convert([.null, MadeField(""), .null], type, default: value) {
      $0.whenNull = .useDefault
      $0.whenEmpty = .useDefault
    }
    #expect(result == [cell, cell, cell])
  }

  @Test func withoutADefaultTheDefaultIsNull() throws {
    #expect(try convert([.null], .string) { $0.whenNull = .useDefault } == [.null])
  }

  @Test func nullSpellingsAreNullsAndComparedExactly() throws {
    let fields = ["NULL", "null", "-", " NULL", "", "12"].map { MadeField($0) } + [MadeField("NULL", .quoted)]
    let result = try convert(fields, .string) { $0.conversion.nullSpellings = ["NULL", "-"] }
    #expect(result == [.null, .text("null"), .null, .text(" NULL"), .text(""), .text("12"), .null])
    let trimmed = try convert(fields, .string) {
      $0.conversion.nullSpellings = ["NULL", "-"]
      $0.conversion.trim = true
      $0.whenNull = .reject
    }
    #expect(trimmed[3] == .failed(.valueNull))
  }

  @Test func columnsAreReusedWhateverTheyHeld() throws {
    var attribute = AttributeDescription(name: "a", type: .integer64)
    attribute.isOptional = true
    let compiled = try CompiledField(FieldImport(attributeName: "a", column: "a"), attribute: attribute)
    var cells = CellColumn()
    var failures: [FieldFailure] = []
    var first = makeBatch([MadeField("1"), MadeField("x")])
    compiled.convert(&first, column: 0, into: &cells, failures: &failures)
    var second = makeBatch([MadeField.null, MadeField.absent])
    compiled.convert(&second, column: 0, into: &cells, failures: &failures)
    #expect(Array(cells.tags) == [CellTag.null, CellTag.absent])
    #expect(Array(cells.payloads) == [0, 0])
    var third = makeBatch([])
    compiled.convert(&third, column: 0, into: &cells, failures: &failures)
    #expect(cells.tags.isEmpty)
    #expect(failures == [FieldFailure(record: 1, column: 0, field: 0, code: .valueInteger)])
  }

  private func findings(
    _ type: AttributeType, _ configure: (inout FieldImport) -> Void,
    _ change: (inout AttributeDescription) -> Void = { _ in }
  ) -> [String] {
    var attribute = AttributeDescription(name: "a", type: type)
    attribute.isOptional = true
    change(&attribute)
    var field = FieldImport(attributeName: "a", column: "a")
    field.position = SourcePosition(line: 3, column: 7)
    configure(&field)
    var found: [Diagnostic] = []
    let compiled = CompiledField.compile(field, attribute: attribute, path: "p.yaml", findings: &found)
    #expect((compiled == nil) == found.contains { $0.severity == .error })
    #expect(found.allSatisfy { $0.path == "p.yaml" && $0.position.line == 3 })
    return found.map { "\($0.severity.rawValue) \($0.code)" }
  }

  @Test func optionsAtTheWrongTypeAreWarnings() {
    #expect(findings(.string) { $0.conversion.dateFormat = .secondsSince1970 } == ["warning unsuitableOption"])
    #expect(findings(.date) { $0.conversion.groupMark = 0x2C } == ["warning unsuitableOption"])
    #expect(findings(.integer64) { $0.conversion.trueSpellings = ["x"] } == ["warning unsuitableOption"])
    #expect(findings(.boolean) { $0.conversion.binaryEncoding = .hex } == ["warning unsuitableOption"])
    #expect(findings(.uuid) { $0.conversion.timeZoneOffset = 60 } == ["warning unsuitableOption"])
    #expect(findings(.date) { $0.conversion.timeZoneOffset = 60 } == [])
  }

  @Test func contradictionsAreErrors() {
    #expect(findings(.double) { $0.conversion.groupMark = UInt8(ascii: ".") } == ["error ambiguousMark"])
    #expect(findings(.double) { $0.conversion.decimalMark = UInt8(ascii: "5") } == ["error invalidMark"])
    #expect(
      findings(.boolean) {
        $0.conversion.trueSpellings = ["x"]; $0.conversion.falseSpellings = ["X"]
      } == ["error ambiguousSpelling"])
    #expect(findings(.date) { $0.conversion.timeZoneOffset = 90_000 } == ["error invalidTimeZone"])
    #expect(findings(.date) { $0.conversion.dateFormat = .pattern("YYYY") }.contains("error datePattern"))
    #expect(
      findings(.integer16, { $0.whenNull = .useDefault }, { $0.defaultValue = .string("x") }) == [
        "error invalidDefault"
      ])
    #expect(findings(.integer16) { $0.whenNull = .useDefault } == ["warning unsuitableOption"])
    #expect(findings(.composite) { _ in } == ["error unsuitableAttribute"])
    #expect(findings(.string, { _ in }, { $0.isTransient = true }) == ["error unsuitableAttribute"])
    #expect(findings(.string, { _ in }, { $0.derivationExpression = "now()" }) == ["error unsuitableAttribute"])
    #expect(findings(.string, { _ in }, { $0.validation.regularExpression = "(" }) == ["error invalidPattern"])
    #expect(findings(.string, { _ in }, { $0.validation.regularExpression = "(a)\\1" }) == ["warning slowPattern"])
  }
}
