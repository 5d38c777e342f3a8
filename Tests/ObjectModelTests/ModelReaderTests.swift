import MergewalkDiagnostics
import Foundation
import MergewalkObjectModel
import MergewalkTestSupport
import Testing

@Suite struct ModelReaderTests {
  static let head = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
  static let empty = head + "<model type=\"t\"><entity name=\"A\"/></model>"

  private func versioned(_ folder: TemporaryFolder, current: String?) throws -> String {
    for (name, entity) in [("Shop", "One"), ("Shop 2", "Two"), ("Shop 10", "Ten")] {
      try folder.write(
        Self.head + "<model><entity name=\"\(entity)\"/></model>", to: "Shop.xcdatamodeld/\(name).xcdatamodel/contents")
    }
    if let current {
      try folder.write(
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
        <plist version="1.0"><dict><key>other</key><string>x</string>
        <key>_XCCurrentVersionName</key><string>\(current).xcdatamodel</string></dict></plist>
        """, to: "Shop.xcdatamodeld/.xccurrentversion")
    }
    return folder.file("Shop.xcdatamodeld")
  }

  @Test func `the current version is read, or the one that is named`() throws {
    let folder = TemporaryFolder()
    let path = try versioned(folder, current: "Shop 2")
    let current = try ModelReader.read(path)
    #expect(current.name == "Shop 2")
    #expect(current.entities.map(\.name) == ["Two"])
    #expect(current.path == path + "/Shop 2.xcdatamodel/contents")
    #expect(try ModelReader.read(path + "/", version: "Shop 10").entities.map(\.name) == ["Ten"])
    #expect(try ModelReader.read(path, version: "Shop.xcdatamodel").entities.map(\.name) == ["One"])
    #expect(try ModelReader.read(path + "/Shop.xcdatamodel").entities.map(\.name) == ["One"])
    #expect(try ModelReader.read(path + "/Shop.xcdatamodel/contents").name == "Shop")
    let versions = try ModelReader.versions(path)
    #expect(versions.names == ["Shop", "Shop 10", "Shop 2"])
    #expect(versions.current == "Shop 2")
    withExtendedLifetime(folder) {}
  }

  @Test func `a version that is not there is refused with the nearest name`() throws {
    let folder = TemporaryFolder()
    let path = try versioned(folder, current: "Shop 3")
    let broken = #expect(throws: DiagnosticList.self) { try ModelReader.read(path) }
    #expect(broken?.diagnostics.map(\.code) == ["unknownVersion"])
    #expect(broken?.diagnostics.first?.path == path + "/.xccurrentversion")
    #expect(broken?.diagnostics.first?.position.line == 4)
    let named = #expect(throws: DiagnosticList.self) { try ModelReader.read(path, version: "Shop 4") }
    #expect(named?.diagnostics.first?.hint == "did you mean “Shop 2”?")
    withExtendedLifetime(folder) {}
  }

  @Test func `several versions without a current one are ambiguous`() throws {
    let folder = TemporaryFolder()
    let path = try versioned(folder, current: nil)
    let error = #expect(throws: DiagnosticList.self) { try ModelReader.read(path) }
    #expect(error?.diagnostics.map(\.code) == ["ambiguousVersion"])
    #expect(error?.diagnostics.first?.hint == "name one of them: Shop, Shop 10, Shop 2")
    #expect(try ModelReader.versions(path).current == nil)
    withExtendedLifetime(folder) {}
  }

  @Test(arguments: [
    ("missing.xcdatamodeld", "fileMissing"), ("empty", "notAModel"), ("Old.xcdatamodel", "oldBinaryModel"),
    ("OldD.xcdatamodeld", "oldBinaryModel"), ("Shop.momd", "compiledModel"), ("Shop.mom", "compiledModel"),
    ("notes.txt", "notAModel"), ("page.xml", "notAModel"),
    ("bare.xcdatamodel", "notAModel"),
  ])
  func `what is no model is refused and said so`(name: String, code: String) throws {
    let folder = TemporaryFolder()
    try folder.write("", to: "empty/nothing.txt")
    try folder.write("bplist00...", to: "Old.xcdatamodel/elements")
    try folder.write("bplist00...", to: "Old.xcdatamodel/layout")
    try folder.write("bplist00...", to: "OldD.xcdatamodeld/Old.xcdatamodel/elements")
    try folder.write("bplist00...", to: "Shop.momd/Shop.mom")
    try folder.write("bplist00...", to: "Shop.mom")
    try folder.write("momv2$[]...", to: "Shop.omo")
    try folder.write("hello", to: "notes.txt")
    try folder.write("<html/>", to: "page.xml")
    try folder.write("", to: "bare.xcdatamodel/readme")
    let path = folder.file(name)
    let error = #expect(throws: DiagnosticList.self) { try ModelReader.read(path) }
    #expect(error?.diagnostics.map(\.code) == [code])
    #expect(error?.diagnostics.first?.path.hasPrefix(path) == true)
    withExtendedLifetime(folder) {}
  }

  @Test(arguments: [
    ([UInt8](), "notAModel", "empty"), (Array(" \n".utf8), "notAModel", "empty"),
    (ModelReaderTests.wide(mark: true, isBig: false), "notUTF8", "UTF-16"),
    (ModelReaderTests.wide(mark: true, isBig: true), "notUTF8", "UTF-16"),
    (ModelReaderTests.wide(mark: false, isBig: false), "notUTF8", "UTF-16"),
    (ModelReaderTests.wide(mark: false, isBig: true), "notUTF8", "UTF-16"),
  ])
  func `an empty file and one in UTF-16 are called so`(bytes: [UInt8], code: String, word: String) {
    let error = #expect(throws: DiagnosticList.self) { try ModelReader.parse(bytes, path: "contents") }
    #expect(error?.diagnostics.map(\.code) == [code])
    #expect(error?.diagnostics.first?.message.contains(word) == true, "\(error?.description ?? "")")
  }

  /// A model in UTF-16.
  private static func wide(mark: Bool, isBig: Bool) -> [UInt8] {
    ((mark ? "\u{FEFF}" : "") + empty).utf16.flatMap { unit -> [UInt8] in
      let (high, low) = (UInt8(unit >> 8), UInt8(unit & 0xFF))
      return isBig ? [high, low] : [low, high]
    }
  }

  @Test(arguments: [
    ("<model><entity name=\"A\"></model>", 1, 33), ("<model>\n  <entity name=A/>\n</model>", 2, 16),
    ("<model>\n<entity name=\"ä\" name=\"b\"/></model>", 2, 27), ("<model>", 1, 8), ("<model/>x", 1, 9),
    ("<model>&nbsp;</model>", 1, 14),
  ])
  func `broken XML is refused near the break`(text: String, line: Int, column: Int) {
    let error = #expect(throws: DiagnosticList.self) { try ModelReader.parse(Array(text.utf8), path: "contents") }
    #expect(error?.diagnostics.map(\.code) == ["xmlSyntax"])
    #expect(error?.diagnostics.first?.position.line == line)
    #expect(error?.diagnostics.first?.position.column == column, "\(error?.description ?? "")")
  }

  @Test(arguments: [
    """
    <!DOCTYPE model [<!ENTITY e "boom">]>
    <model><entity name="&e;"/></model>
    """,
    """
    <!DOCTYPE model [<!ENTITY e SYSTEM "file:///etc/passwd">]>
    <model>&e;</model>
    """,
    """
    <!DOCTYPE model [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;&b;&b;">]>
    <model><entity name="&c;"/></model>
    """,
    """
    <!DOCTYPE model [<!ENTITY % p SYSTEM "file:///etc/passwd"> %p;]>
    <model><entity name="&e;"/></model>
    """,
  ])
  func `entities are neither loaded nor expanded`(text: String) {
    let error = #expect(throws: DiagnosticList.self) { try ModelReader.parse(Array(text.utf8), path: "contents") }
    #expect(error?.diagnostics.map(\.code) == ["xmlSyntax"])
  }

  @Test func `the nesting of XML is bounded`() {
    let text = String(repeating: "<a>", count: 200_000)
    let error = #expect(throws: DiagnosticList.self) { try ModelReader.parse(Array(text.utf8), path: "contents") }
    #expect(error?.diagnostics.map(\.code) == ["xmlLimit"])
    #expect(error?.diagnostics.first?.position.column == 97)
  }

  @Test func `predefined entities and character references come through`() throws {
    let text = """
      <model userDefinedModelVersionIdentifier="a&amp;b&lt;&gt;&quot;&apos;&#10;&#x1F600;é">
      <entity name="A" futureFlag="&amp;amp;"/></model>
      """
    let draft = try ModelReader.parse(Array(text.utf8), path: "contents")
    #expect(draft.versionIdentifier == "a&b<>\"'\n😀é")
    #expect(draft.entities[0].unknownXMLAttributes == ["futureFlag": "&amp;"])
  }

  @Test func `every declaration knows its place, also behind multi-byte text`() throws {
    let text = """
      <model>
        <entity name="Größe"
            syncable="YES"><attribute name="ä" attributeType="String"/><relationship
              name="r" destinationEntity="A"/><fetchIndex name="i"/>
        </entity>
        <fetchRequest name="f" entity="A"/><configuration name="c"/>
      </model>
      """
    let draft = try ModelReader.parse(Array(text.utf8), path: "contents")
    func place(_ position: SourcePosition) -> String { "\(position.line):\(position.column)" }
    let entity = try #require(draft.entities.first)
    #expect(place(entity.position) == "2:3")
    #expect(place(entity.attributes[0].position) == "3:22")
    #expect(place(entity.relationships[0].position) == "3:67")
    #expect(place(entity.fetchIndexes[0].position) == "4:41")
    #expect(place(draft.fetchRequestTemplates[0].position) == "6:3")
    #expect(place(draft.configurations[0].position) == "6:38")
    let offset = entity.attributes[0].position.byteOffset
    #expect(Array(text.utf8)[offset...].starts(with: Array("<attribute".utf8)))
  }

  @Test func `an unknown element is a warning and an unknown attribute is kept`() throws {
    let text = "<model><entity name=\"A\" hologram=\"3D\">\n<hologram/></entity><zoo/></model>"
    let draft = try ModelReader.parse(Array(text.utf8), path: "contents")
    let findings = ModelLint.check(draft)
    #expect(findings.map(\.code) == ["unknownElement", "unknownElement"])
    #expect(findings.map(\.severity) == [.warning, .warning])
    #expect(findings.map(\.position.line) == [2, 2])
    #expect(draft.entities[0].unknownXMLAttributes == ["hologram": "3D"])
    #expect(try ManagedObjectModel(draft).entities.count == 1)
  }

  @Test(
    arguments: [
      ("attribute name=\"x\" attributeType=\"Strin\"", "unknownAttributeType", "did you mean “String”?"),
      ("attribute attributeType=\"String\"", "missingName", nil),
      (
        "relationship name=\"x\" destinationEntity=\"A\" deletionRule=\"Cascad\"", "unknownDeleteRule",
        "did you mean “Cascade”?"
      ),
      ("relationship name=\"x\" destinationEntity=\"A\" maxCount=\"many\"", "invalidValue", nil),
      ("relationship name=\"x\"", "missingDestination", nil),
      ("attribute name=\"x\" attributeType=\"Date\" minDateTimeInterval=\"soon\"", "invalidValue", nil),
      ("fetchedProperty name=\"x\"", "missingFetchRequest", nil),
    ] as [(String, String, String?)])
  func `wrong values in XML are findings with their place`(element: String, code: String, hint: String?) throws {
    let text = "<model>\n<entity name=\"A\">\n  <\(element)/></entity></model>"
    let draft = try ModelReader.parse(Array(text.utf8), path: "contents")
    let found = ModelLint.check(draft).filter { $0.code == code }
    #expect(found.map(\.position.line) == [3])
    #expect(found.map(\.position.column) == [3])
    #expect(found.first?.hint == hint)
    #expect(((try? ManagedObjectModel(draft)) == nil) == ModelLint.check(draft).contains { $0.severity == .error })
  }

  @Test func `an empty name is an error, whatever else was found`() throws {
    for other in ["", " hologram=\"3D\""] {
      let text = "<model><entity name=\"A\"\(other)><attribute name=\"\" attributeType=\"String\"/></entity></model>"
      let draft = try ModelReader.parse(Array(text.utf8), path: "contents")
      #expect(ModelLint.check(draft).filter { $0.severity == .error }.map(\.code) == ["missingName"], "\(other)")
    }
  }

  @Test(arguments: [
    ("YES", true), ("NO", false), ("true", true), ("false", false), ("1", true), ("0", false),
  ])
  func `Booleans are read in all their spellings`(text: String, expected: Bool) throws {
    let xml = "<model><entity name=\"A\" syncable=\"\(text)\" isAbstract=\"\(text)\"/></model>"
    let entity = try ModelReader.parse(Array(xml.utf8), path: "contents").entities[0]
    #expect(entity.isSyncable == expected)
    #expect(entity.isAbstract == expected)
  }

  @Test(arguments: 1...400 as ClosedRange<UInt64>)
  func `no bytes make the readers trap`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var generator = ModelGenerator(seed: seed)
    let draft = generator.draft()
    let isXML = seed % 2 == 0
    var bytes = Array((isXML ? ModelWriter.xml(draft) : ModelWriter.yaml(draft)).utf8)
    for _ in 0..<Int.random(in: 1...20, using: &random) where !bytes.isEmpty {
      let place = Int.random(in: 0..<bytes.count, using: &random)
      switch Int.random(in: 0..<4, using: &random) {
      case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
      case 1: bytes.remove(at: place)
      case 2: bytes.insert(Array("<>&\"'/:-{}[]!,\n *&#".utf8).randomElement(using: &random) ?? 0, at: place)
      default: bytes.removeSubrange(place..<min(bytes.count, place + Int.random(in: 0...40, using: &random)))
      }
    }
    do throws(DiagnosticList) {
      let read = try ModelReader.parse(bytes, path: isXML ? "contents" : "m.yaml")
      let findings = ModelLint.check(read, advice: true)
      if findings.contains(where: { $0.severity == .error }) { return }
      let model = try ManagedObjectModel(read)
      #expect(model.versionHashes.allSatisfy { $0.hash.count == 32 }, "seed \(seed)")
      #expect(ModelWriter.xml(read).hasPrefix("<?xml"), "seed \(seed)")
    } catch {
      #expect(error.diagnostics.contains { $0.severity == .error }, "seed \(seed)")
    }
  }

  @Test(.enabled(if: Locations.shared != nil))
  func `every file of libxml2's error suites ends in a finding or a model`() throws {
    let root = Locations.shared("suites/xml")
    var count = 0
    for case let name as String in try #require(FileManager.default.enumerator(atPath: root)) {
      guard let data = FileManager.default.contents(atPath: root + "/" + name) else { continue }
      do throws(DiagnosticList) {
        _ = try ModelReader.parse(Array(data), path: name)
      } catch {
        #expect(error.diagnostics.count == 1)
      }
      count += 1
    }
    #expect(count > 70)
  }
}
