import MergewalkObjectContext
import MergewalkObjectModel
import MergewalkObjectStore
import MergewalkSQLite
import MergewalkTestSupport
import Testing

@Suite("Values")
struct ValueRoundTripTests {
  struct Case: CustomTestStringConvertible, Sendable {
    var key: String
    var value: AttributeValue
    /// What `typeof` and `quote` say of the cell; of numbers that SQLite rounds when it quotes them, `typeof` alone.
    var stored: String
    var testDescription: String { "\(key) \(value)" }
  }

  static let cases: [Case] = [
    Case(key: "int16", value: .integer(-32768), stored: "integer|-32768"),
    Case(key: "int16", value: .integer(32767), stored: "integer|32767"),
    Case(key: "int32", value: .integer(-2_147_483_648), stored: "integer|-2147483648"),
    Case(key: "int32", value: .integer(2_147_483_647), stored: "integer|2147483647"),
    Case(key: "int64", value: .integer(.min), stored: "integer|-9223372036854775808"),
    Case(key: "int64", value: .integer(.max), stored: "integer|9223372036854775807"),
    Case(key: "boolean", value: .boolean(true), stored: "integer|1"),
    Case(key: "boolean", value: .boolean(false), stored: "integer|0"),
    Case(key: "double", value: .double(.leastNonzeroMagnitude), stored: "real"),
    Case(key: "double", value: .double(-1.7976931348623157e308), stored: "real"),
    Case(key: "double", value: .double(3), stored: "real|3.0"),
    Case(key: "float", value: .double(0.10000000149011612), stored: "real"),
    Case(key: "float", value: .double(Double(Float.greatestFiniteMagnitude)), stored: "real"),
    Case(key: "date", value: .date(0), stored: "integer|0"),
    Case(key: "date", value: .date(-63_114_076_800), stored: "integer|-63114076800"),
    Case(key: "date", value: .date(645_123_456.25), stored: "real|645123456.25"),
    Case(key: "decimal", value: .decimal(DecimalNumber(significand: 0, exponent: 0)), stored: "integer|0"),
    Case(key: "decimal", value: .decimal(DecimalNumber(significand: 333, exponent: -2)), stored: "real|3.33"),
    Case(key: "decimal", value: .decimal(DecimalNumber(significand: 12, exponent: 3)), stored: "integer|12000"),
    Case(
      key: "decimal", value: .decimal(DecimalNumber(significand: Int128(Int64.max), exponent: 0)),
      stored: "integer|9223372036854775807"),
    Case(
      key: "decimal", value: .decimal(DecimalNumber(significand: -999_999_999_999_999, exponent: -10)),
      stored: "real|-99999.9999999999"),
    Case(key: "string", value: .string(""), stored: "text|''"),
    Case(key: "string", value: .string("it's Ünïcödé \u{1F469}\u{200D}\u{1F680}"), stored: "text|'it''s Ünïcödé 👩‍🚀'"),
    Case(key: "binary", value: .binary([]), stored: "blob|X''"),
    Case(key: "binary", value: .binary([0, 255, 10]), stored: "blob|X'00FF0A'"),
    Case(key: "transformable", value: .binary([1, 2]), stored: "blob|X'0102'"),
    Case(key: "external", value: .binary([7, 8]), stored: "blob|X'010708'"),
    Case(
      key: "uuid", value: .uuid(0x0123_4567_89AB_CDEF, 0xFEDC_BA98_7654_3210),
      stored: "blob|X'0123456789ABCDEFFEDCBA9876543210'"),
    Case(key: "uri", value: .uri("https://example.org/a?b=c"), stored: "text|'https://example.org/a?b=c'"),
  ]

  @Test("a value comes back as it was set, and the store holds it as Core Data does", arguments: cases)
  func roundTrip(_ test: Case) throws {
    let place = try Workplace(try Models.types())
    let object = try place.context.insert("Thing")
    #expect(try object.value(forKey: test.key) == .null)
    try object.setValue(test.value, forKey: test.key)
    #expect(try object[test.key] == test.value)
    try place.context.save()
    let column = "Z" + test.key.uppercased()
    if case .double(let number) = test.value, test.stored == "real" {
      #expect(try place.rows("SELECT typeof(\(column)) FROM ZTHING") == ["real"])
      let statement = try #require(place.coordinator.store).connection.prepare("SELECT \(column) FROM ZTHING")
      #expect(try statement.step())
      #expect(statement.double(0).bitPattern == number.bitPattern)
    } else {
      #expect(try place.rows("SELECT typeof(\(column)), quote(\(column)) FROM ZTHING") == [test.stored])
    }

    try place.reopen()
    let fetched = try #require(try place.context.fetchAll("Thing").first)
    #expect(try fetched.value(forKey: test.key) == test.value)
    #expect(try place.context.count("Thing", where: [test.key: test.value]) == 1)
    try fetched.setValue(test.value, forKey: test.key)
    #expect(!fetched.hasChanges, "the same value again is no change")

    try fetched.setValue(.null, forKey: test.key)
    try place.context.save()
    #expect(try place.rows("SELECT typeof(\(column)) FROM ZTHING") == ["null"])
    try place.verify()
  }

  @Test("values of the wrong type are refused when they are set")
  func wrongTypes() throws {
    let place = try Workplace(try Models.types())
    let object = try place.context.insert("Thing")
    let right: [String: AttributeValue] = [
      "int16": .integer(1), "boolean": .boolean(true), "double": .double(1), "string": .string("a"), "date": .date(1),
      "binary": .binary([1]), "uuid": .uuid(1, 2), "uri": .uri("a:b"),
      "decimal": .decimal(DecimalNumber(significand: 1, exponent: 0)),
    ]
    for (key, _) in right {
      for (other, value) in right where other != key {
        #expect(
          objectErrorCode { try object.setValue(value, forKey: key) } == .typeMismatch, "\(key) takes a \(other)")
      }
      #expect(try object.value(forKey: key) == .null)
    }
    #expect(objectErrorCode { try object.setValue(.null, forKey: "nothing") } == .unknownKey)
    #expect(objectErrorCode { _ = try object.value(forKey: "nothing") } == .unknownKey)
  }

  @Test(
    "decimals that the store would round are refused",
    arguments: [
      ("9223372036854775808", false), ("1234567890.1234567", false), ("123456789012345.6", false),
      ("12345678901234.5", true), ("-9223372036854775808", true),
    ] as [(String, Bool)])
  func decimals(text: String, isStorable: Bool) throws {
    let place = try Workplace(try Models.types())
    let object = try place.context.insert("Thing")
    let number = try #require(DecimalNumber(text))
    let code = objectErrorCode { try object.setValue(.decimal(number), forKey: "decimal") }
    #expect(code == (isStorable ? nil : .notStorable))
    #expect(try object.value(forKey: "decimal") == (isStorable ? .decimal(number) : .null))
  }

  @Test("a Float attribute holds the nearest binary32 number, also before the save")
  func floats() throws {
    let place = try Workplace(try Models.types())
    let object = try place.context.insert("Thing")
    try object.setValue(.double(0.1), forKey: "float")
    #expect(try object.value(forKey: "float") == .double(Double(Float(0.1))))
  }

  @Test("a transient attribute lives as long as its object and is never written")
  func transient() throws {
    let place = try Workplace(try Models.types())
    let object = try place.context.insert("Thing")
    try place.context.save()
    try object.setValue(.string("good"), forKey: "mood")
    #expect(try object.value(forKey: "mood") == .string("good"))
    let statements = try place.statements { try place.context.save() }
    #expect(statements == [])
    #expect(try object.value(forKey: "mood") == .string("good"))
    #expect(try place.rows("SELECT Z_OPT FROM ZTHING") == ["1"])
    #expect(objectErrorCode { _ = try place.context.fetch("Thing", where: ["mood": .null]) } == .transient)
  }

  @Test("bytes in a file beside the store are read from there, and from nowhere else")
  func externalFiles() throws {
    let place = try Workplace(try Models.types())
    _ = try place.context.insert("Thing")
    try place.context.save()
    let name = "0F5E0AD4-1C7B-4E0F-9F63-0B3A1C2D4E5F"
    let store = try #require(place.coordinator.store)
    try store.connection.execute("UPDATE ZTHING SET ZEXTERNAL = CAST(x'02' || '\(name)' || x'00' AS BLOB)")
    try place.folder.write("far away", to: ".store_SUPPORT/_EXTERNAL_DATA/\(name)")
    let context = place.anotherContext()
    let object = try #require(try context.fetchAll("Thing").first)
    #expect(try object.value(forKey: "external") == .binary(Array("far away".utf8)))

    let evil = "../../../../../../../../etc/hostname"
    try store.connection.execute("UPDATE ZTHING SET ZEXTERNAL = CAST(x'02' || '\(evil)' || x'00' AS BLOB)")
    #expect(evil.utf8.count == 36)
    let second = place.anotherContext()
    let other = try #require(try second.fetchAll("Thing").first)
    #expect(objectErrorCode { _ = try other.value(forKey: "external") } == .externalData)
  }
}
