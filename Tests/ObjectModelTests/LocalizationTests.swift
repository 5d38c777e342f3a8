import MergewalkDiagnostics
import MergewalkObjectModel
import MergewalkTestSupport
import Testing

@Suite("AP14: names for people")
struct LocalizationTests {
  static let model = """
    entities:
      Person: { attributes: { name: string, born: date } }
      Employee: { parent: Person, attributes: { salary: decimal } }
    """

  @Test("AP14: names of entities, properties and errors are looked up, the nearest first")
  func lookUps() throws {
    var draft = try ModelReader.parse(Array(Self.model.utf8), path: "m.yaml")
    draft.localizationDictionary = [
      "Entity/Employee": "Mitarbeiterin", "Property/name": "Name", "Property/name/Entity/Person": "Vorname",
      "Property/salary": "Gehalt", "ErrorString/too small": "zu klein",
    ]
    let model = try ManagedObjectModel(draft)
    let (person, employee) = (
      try #require(model.entity(named: "Person")), try #require(model.entity(named: "Employee"))
    )
    #expect(model.localizedName(of: employee) == "Mitarbeiterin")
    #expect(model.localizedName(of: person) == "Person")
    #expect(model.localizedName(ofProperty: "name", of: employee) == "Vorname")
    #expect(model.localizedName(ofProperty: "salary", of: employee) == "Gehalt")
    #expect(model.localizedName(ofProperty: "born", of: employee) == "born")
    #expect(model.localizedError("too small") == "zu klein")
    #expect(model.localizedError("too large") == "too large")

    let other = model.localized(["Entity/Person": "Personne"])
    #expect(other.localizedName(of: person) == "Personne")
    #expect(model.localizedName(of: person) == "Person", "a model does not change")
    #expect(other.versionChecksum == model.versionChecksum)
  }

  @Test("AP14: a strings file is found beside the model and read")
  func file() throws {
    let folder = TemporaryFolder()
    try folder.write("x", to: "Shop.xcdatamodeld/x")
    try folder.write(
      """
      /* names */
      "Entity/Order" = "Bestellung"; // one
      "Property/note" = "\\"N\\U00f6te\\"\\n";
      bare.key = word;
      "self";
      "Entity/Order" = "Auftrag";
      """, to: "de.lproj/ShopModel.strings")
    let path = try #require(
      LocalizationFile.path(forModel: folder.path + "/Shop.xcdatamodeld/", language: "de"))
    #expect(
      try LocalizationFile.read(path) == [
        "Entity/Order": "Auftrag", "Property/note": "\"Nöte\"\n", "bare.key": "word", "self": "self",
      ])
    #expect(LocalizationFile.path(forModel: folder.path + "/Shop.xcdatamodeld", language: "fr") == nil)
  }

  @Test("strings files may be UTF-16 of either order", arguments: [true, false])
  func wide(isLittle: Bool) throws {
    var bytes: [UInt8] = isLittle ? [0xFF, 0xFE] : [0xFE, 0xFF]
    for unit in "\"Entity/A\" = \"ä😀\";".utf16 {
      let (low, high) = (UInt8(truncatingIfNeeded: unit), UInt8(truncatingIfNeeded: unit >> 8))
      bytes += isLittle ? [low, high] : [high, low]
    }
    #expect(try LocalizationFile.parse(bytes, path: "s") == ["Entity/A": "ä😀"])
  }

  @Test(
    "a mistake in a strings file has a place",
    arguments: [
      ("\"a\" = \"b\"", 1, 10), ("\n  \"a = 1", 2, 3), ("a = /* x", 1, 5), ("\"a\" \"b\";", 1, 5),
      ("= \"x\";", 1, 1), ("\"\\U12\"=1;", 1, 6), ("\"\\Ud800\"=1;", 1, 8), ("\"a\\", 1, 1),
    ])
  func mistakes(text: String, line: Int, column: Int) {
    let error = #expect(throws: DiagnosticList.self) { try LocalizationFile.parse(Array(text.utf8), path: "s") }
    let finding = error?.diagnostics.first
    #expect(finding?.code == "stringsSyntax")
    #expect(
      finding?.position.line == line && finding?.position.column == column,
      "\(finding.map(String.init(describing:)) ?? "")")
  }

  @Test("bytes that are no text are refused, and any bytes end", arguments: 1...100 as ClosedRange<UInt64>)
  func anyBytes(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let alphabet = Array("\"=;/*\\Unab \n\u{00}\u{FF}".utf8) + [0xFE, 0xFF, 0x80]
    let bytes = (0..<200).map { _ in alphabet.randomElement(using: &generator) ?? 0 }
    do throws(DiagnosticList) {
      _ = try LocalizationFile.parse(bytes, path: "s")
    } catch {
      #expect(error.diagnostics.allSatisfy { ["stringsSyntax", "notUTF8"].contains($0.code) })
    }
  }
}
