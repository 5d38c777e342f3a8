import MergewalkDiagnostics
import MergewalkObjectModel
import MergewalkTestSupport
import Testing

/// What Xcode writes and its compiler takes is read, with warnings.
@Suite struct CompiledModelRulesTests {
  /// Reads an entity `A` with an inner text, in XML.
  private func draft(_ inner: String, outer: String = "") throws -> ModelDraft {
    let text =
      "<model><entity name=\"A\"><attribute name=\"key\" attributeType=\"String\"/>\(inner)</entity>\(outer)</model>"
    return try ModelReader.parse(Array(text.utf8), path: "contents")
  }

  /// The defaults that shipped models have, by type.
  @Test(
    arguments: [
      ("Integer 16", "NO", .integer(0), true), ("Integer 64", "YES", .integer(1), true),
      ("Integer 32", "0.0", .integer(0), false), ("Integer 32", "3.9", .integer(3), true),
      ("Integer 32", " 12 ", .integer(12), true), ("Integer 16", "-7 days", .integer(-7), true),
      ("Integer 16", "40000", nil, true), ("Integer 16", "none", nil, true), ("Integer 16", "", nil, true),
      ("Boolean", "0.0", .boolean(false), true), ("Boolean", "1.0", .boolean(true), true),
      ("Boolean", "-0001", .boolean(true), true), ("Boolean", "maybe", .boolean(false), true),
      ("Boolean", "Yes", .boolean(true), true), ("Boolean", "YES", .boolean(true), false),
      ("Double", "3,5", .double(3), true), ("Float", "NO", .double(0), true), ("Double", "1e2", .double(100), false),
      ("Decimal", "YES", .decimal(DecimalNumber(significand: 1, exponent: 0)), true), ("UUID", "none", nil, true),
    ] as [(String, String, AttributeValue?, Bool)])
  func `a default is what the compiler makes of it`(
    type: String, text: String, expected: AttributeValue?, isReported: Bool
  ) throws {
    let draft = try draft("<attribute name=\"x\" attributeType=\"\(type)\" defaultValueString=\"\(text)\"/>")
    let findings = ModelLint.check(draft)
    #expect(findings.map(\.code) == (isReported ? ["invalidDefault"] : []), "\(DiagnosticList(findings))")
    #expect(findings.allSatisfy { $0.severity == .warning })
    let model = try ManagedObjectModel(draft)
    #expect(model.entities[0].attributes.last?.defaultValue == expected)
    // The default is not in the hash, and the text stays as it was.
    let plain = try ManagedObjectModel(self.draft("<attribute name=\"x\" attributeType=\"\(type)\"/>"))
    #expect(model.versionChecksum == plain.versionChecksum)
    #expect(model.draft.entities[0].attributes.last?.defaultValueText == text)
  }

  static func unique(_ name: String) -> String {
    "<uniquenessConstraints><uniquenessConstraint><constraint value=\"\(name)\"/></uniquenessConstraint>"
      + "</uniquenessConstraints>"
  }

  private static let twoIndexes = String(
    repeating: #"<fetchIndex name="i"><fetchIndexElement property="key"/></fetchIndex>"#, count: 2)

  /// Each is a warning of this code, and the model serves.
  static let properties: [(String, String)] = [
    (
      "unfitIndex",
      #"<relationship name="as" toMany="YES" destinationEntity="A"/><fetchIndex name="i"><fetchIndexElement property="as"/></fetchIndex>"#
    ),
    ("unknownProperty", #"<fetchIndex name="i"><fetchIndexElement property="gone"/></fetchIndex>"#),
    ("unknownProperty", #"<compoundIndexes><compoundIndex><index value="gone"/></compoundIndex></compoundIndexes>"#),
    ("emptyIndex", #"<fetchIndex name="i"/>"#),
    ("emptyIndex", #"<fetchIndex name="i"><fetchIndexElement type="Binary" order="ascending"/></fetchIndex>"#),
    ("invalidValue", #"<fetchIndex name="i"><fetchIndexElement property="key" type="Hash"/></fetchIndex>"#),
    (
      "duplicateIndex",
      twoIndexes
    ),
    ("emptyConstraint", "<uniquenessConstraints><uniquenessConstraint/></uniquenessConstraints>"),
    (
      "unknownProperty",
      unique("gone")
    ),
    (
      "transientConstraint",
      "<attribute name=\"t\" attributeType=\"String\" transient=\"YES\"/>\(unique("t"))"
    ),
    ("reversedBounds", #"<attribute name="n" attributeType="Double" minValueString="2" maxValueString="1"/>"#),
    ("invalidBound", #"<attribute name="n" attributeType="Double" minValueString="low"/>"#),
    ("invalidBound", #"<attribute name="n" attributeType="String" minValueString="-1"/>"#),
    ("invalidValue", #"<attribute name="d" attributeType="Date" minDateTimeInterval="soon"/>"#),
    (
      "defaultTransformerNamed",
      #"<attribute name="t" attributeType="Transformable" valueTransformerName="NSKeyedUnarchiveFromData"/>"#
    ),
    (
      "transientDerived",
      #"<attribute name="t" attributeType="Date" transient="YES" derived="YES" derivationExpression="now()"/>"#
    ),
    (
      "unknownProperty",
      #"<attribute name="t" optional="YES" attributeType="String" derived="YES" derivationExpression="canonical:(gone)"/>"#
    ),
    ("illegalCount", #"<relationship name="a" toMany="YES" maxCount="1" destinationEntity="A"/>"#),
    ("illegalCount", #"<relationship name="a" toMany="YES" minCount="4" maxCount="3" destinationEntity="A"/>"#),
    ("illegalCount", #"<relationship name="a" toMany="YES" maxCount="-1" destinationEntity="A"/>"#),
    ("illegalCount", #"<relationship name="a" maxCount="2" destinationEntity="A"/>"#),
    ("illegalCount", #"<relationship name="a" minCount="2" maxCount="1" destinationEntity="A"/>"#),
    ("invalidValue", #"<relationship name="a" maxCount="one" destinationEntity="A"/>"#),
    ("unknownDeleteRule", #"<relationship name="a" maxCount="1" deletionRule="cascade" destinationEntity="A"/>"#),
    (
      "unknownDestination",
      #"<relationship name="a" maxCount="1" destinationEntity="A" inverseName="a" inverseEntity="Old"/>"#
    ),
    ("missingFetchRequest", #"<fetchedProperty name="f" optional="YES"/>"#),
    ("unknownEntity", #"<fetchedProperty name="f"><fetchRequest name="r" entity="Old"/></fetchedProperty>"#),
  ]

  @Test(arguments: properties)
  func `an odd property is a warning`(code: String, inner: String) throws {
    try check(draft(inner), code)
  }

  static let oddities: [(String, String)] = [
    ("unknownEntity", #"<configuration name="c"><memberEntity name="Old"/></configuration>"#),
    ("duplicateConfiguration", #"<configuration name="c"/><configuration name="c"/>"#),
    ("unknownEntity", #"<fetchRequest name="r" entity="Old"/>"#),
    ("missingEntity", #"<fetchRequest name="r"/>"#),
    ("illegalCount", #"<fetchRequest name="r" entity="A" fetchLimit="-1"/>"#),
    ("invalidValue", #"<fetchRequest name="r" entity="A" resultType="9"/>"#),
    ("duplicateFetchRequest", #"<fetchRequest name="r" entity="A"/><fetchRequest name="r" entity="A"/>"#),
    (
      "duplicateProperty",
      #"<entity name="B" parentEntity="A"><attribute name="key" attributeType="String"/></entity>"#
    ),
  ]

  @Test(arguments: oddities)
  func `an oddity of the model is a warning`(code: String, outer: String) throws {
    try check(draft("", outer: outer), code)
  }

  /// The draft has the warning, makes a model, and is the same model after it went through YAML, as stores keep it.
  private func check(_ draft: ModelDraft, _ code: String) throws {
    let findings = ModelLint.check(draft)
    #expect(findings.contains { $0.code == code }, "\(DiagnosticList(findings))")
    #expect(findings.allSatisfy { $0.severity == .warning }, "\(DiagnosticList(findings))")
    let model = try ManagedObjectModel(draft)
    let copy = try ModelReader.parse(Array(ModelWriter.yaml(draft).utf8), path: "m.yaml")
    #expect(try ManagedObjectModel(copy).versionChecksum == model.versionChecksum)
    let xml = try ModelReader.parse(Array(ModelWriter.xml(draft).utf8), path: "contents")
    #expect(try ManagedObjectModel(xml).versionChecksum == model.versionChecksum)
  }

  @Test func `a maximum of one makes a relationship to-one`() throws {
    let many = try ManagedObjectModel(
      draft(#"<relationship name="a" toMany="YES" maxCount="1" destinationEntity="A"/>"#))
    let one = try ManagedObjectModel(draft(#"<relationship name="a" maxCount="1" destinationEntity="A"/>"#))
    #expect(many.entities[0].relationships[0].isToMany == false)
    #expect(many.versionChecksum == one.versionChecksum)
    #expect(many.columnSlotCounts == one.columnSlotCounts)
    // The draft stays what the file says.
    #expect(many.draft.entities[0].relationships[0].isToMany)
  }

  @Test func `an attribute that a subentity declares again is there once`() throws {
    let model = try ManagedObjectModel(
      draft(
        "", outer: #"<entity name="B" parentEntity="A"><attribute name="key" attributeType="String"/></entity>"#))
    let plain = try ManagedObjectModel(draft("", outer: #"<entity name="B" parentEntity="A"/>"#))
    #expect(model.entities[1].attributes.map(\.name) == ["key"])
    #expect(model.versionChecksum == plain.versionChecksum)
    #expect(model.slotCounts == plain.slotCounts)
    let other = try draft(
      "", outer: #"<entity name="B" parentEntity="A"><attribute name="key" attributeType="Date"/></entity>"#)
    #expect(throws: DiagnosticList.self) { try ManagedObjectModel(other) }
  }

  @Test func `a constraint that a store cannot hold counts in the hash only`() throws {
    let (good, odd, none) = try (draft(Self.unique("key")), draft(Self.unique("gone")), draft(""))
    #expect(try ManagedObjectModel(good).entities[0].uniquenessConstraints == [["key"]])
    #expect(try ManagedObjectModel(odd).entities[0].uniquenessConstraints.isEmpty)
    #expect(try ManagedObjectModel(odd).versionChecksum != ManagedObjectModel(none).versionChecksum)
  }

  @Test func `a list of versions without a choice names none`() throws {
    let folder = TemporaryFolder()
    try folder.write(#"<model><entity name="A"/></model>"#, to: "M.xcdatamodeld/M.xcdatamodel/contents")
    try folder.write(#"<plist version="1.0"><dict/></plist>"#, to: "M.xcdatamodeld/.xccurrentversion")
    #expect(try ModelReader.read(folder.file("M.xcdatamodeld")).entities.map(\.name) == ["A"])
    withExtendedLifetime(folder) {}
  }

  /// As a published model of Xcode's has it.
  private static let composite = """
    <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
    <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0" lastSavedToolsVersion="24477" \
    systemVersion="24A335" minimumToolsVersion="Automatic" sourceLanguage="Swift" userDefinedModelVersionIdentifier="">
        <entity name="Task" representedClassName="Task" syncable="YES">
            <attribute name="place" optional="YES" attributeType="Composite" composite="Point"/>
        </entity>
        <composite name="Point">
            <attribute name="lat" attributeType="Double" defaultValueString="0.0" usesScalarValueType="YES"/>
            <attribute name="lng" optional="YES" attributeType="Double" usesScalarValueType="YES"/>
        </composite>
    </model>
    """

  @Test func `a composite attribute names its composite as in Xcode, in both formats`() throws {
    let draft = try ModelReader.parse(Array(Self.composite.utf8), path: "contents")
    #expect(draft.entities[0].attributes[0].compositeName == "Point")
    #expect(draft.entities[0].attributes[0].unknownXMLAttributes.isEmpty)
    #expect(ModelWriter.xml(draft) == Self.composite)
    #expect(ModelWriter.yaml(draft).contains("composite: Point"))
    let copy = try ModelReader.parse(Array(ModelWriter.yaml(draft).utf8), path: "m.yaml")
    #expect(ModelWriter.xml(copy).contains(#"attributeType="Composite" composite="Point""#))
    // What this project wrote before.
    let earlier = Self.composite.replacing(" composite=", with: " compositeName=")
    #expect(
      try ModelReader.parse(Array(earlier.utf8), path: "contents").entities[0].attributes[0].compositeName == "Point")
    #expect(try ManagedObjectModel(draft).entities[0].attributes.map(\.name) == ["place.lat", "place.lng"])
  }

  @Test func `a composite attribute is in a compiled model with its elements, composites inside it too`() throws {
    let text = Self.composite.replacing(
      "    </composite>",
      with: """
                <attribute name="inner" optional="YES" attributeType="Composite" composite="Name"/>
            </composite>
            <composite name="Name">
                <attribute name="short" optional="YES" attributeType="String"/>
            </composite>
        """)
    let model = try ManagedObjectModel(ModelReader.parse(Array(text.utf8), path: "contents"))
    let compiled = ModelWriter.compiled(model)
    #expect(compiled.leftOut.isEmpty)
    let draft = try ModelReader.parse(compiled.bytes, path: "m.mom")
    #expect(draft.readerFindings.isEmpty && draft.incompleteEntities.isEmpty)
    let read = try ManagedObjectModel(draft)
    #expect(read.entities[0].attributes.map(\.name) == ["place.inner.short", "place.lat", "place.lng"])
    #expect(read.entities[0].attributes.map(\.type) == [.string, .double, .double])
    #expect(read.entities[0].attributes.map(\.isOptional) == model.entities[0].attributes.map(\.isOptional))
    #expect(read.versionChecksum == model.versionChecksum)
  }

  @Test func `a compiled model without entities is one`() throws {
    let model = try ManagedObjectModel(ModelReader.parse(Array("<model/>".utf8), path: "contents"))
    let compiled = ModelWriter.compiled(model)
    let read = try ModelReader.parse(compiled.bytes, path: "m.mom")
    #expect(read.entities.isEmpty)
    #expect(ModelLint.check(read).map(\.code) == ["emptyModel"])
  }
}
