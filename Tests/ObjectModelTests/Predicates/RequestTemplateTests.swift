import MergewalkDiagnostics
import MergewalkObjectModel
import MergewalkTestSupport
import Testing

@Suite struct RequestTemplateTests {
  private static func draft(_ predicate: String, _ attributes: String = "") -> String {
    """
    <?xml version="1.0" encoding="UTF-8"?>
    <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0" userDefinedModelVersionIdentifier="">
      <entity name="A" syncable="YES"><attribute name="x" optional="YES" attributeType="String"/>
        <fetchedProperty name="others" optional="YES"><fetchRequest name="fetchedPropertyFetchRequest" entity="A" predicateString="x == $FETCH_SOURCE.x"/></fetchedProperty>
      </entity>
      <fetchRequest name="r" entity="A" predicateString="\(predicate)" \(attributes)/>
    </model>
    """
  }

  private func read(_ xml: String) throws -> ModelDraft {
    let folder = TemporaryFolder()
    let path = folder.file("M.xcdatamodel")
    try folder.write(xml, to: "M.xcdatamodel/contents")
    return try ModelReader.read(path)
  }

  @Test func `a template makes a request with its options and its predicate`() throws {
    let options = """
      resultType="1" fetchLimit="7" fetchBatchSize="3" includeSubentities="NO" includePropertyValues="NO"
      includesPendingChanges="NO" returnObjectsAsFaults="NO" returnDistinctResults="YES"
      """
    let model = try ManagedObjectModel(try read(Self.draft("x == $NAME AND x != 'y'", options)))
    let template = try #require(model.fetchRequestTemplate(named: "r"))
    let request = try FetchRequest(template: template)
    #expect(request.entityName == "A")
    #expect(request.predicate?.description == "x == $NAME AND x != \"y\"")
    #expect(request.resultType == .objectIDs)
    #expect(request.fetchLimit == 7)
    #expect(request.fetchBatchSize == 3)
    #expect(!request.includesSubentities)
    #expect(!request.includesPropertyValues)
    #expect(!request.includesPendingChanges)
    #expect(!request.returnsObjectsAsFaults)
    #expect(request.returnsDistinctResults)

    let bound = try #require(try model.fetchRequest(fromTemplate: "r", substituting: ["NAME": "Ann"]))
    #expect(bound.predicate?.description == "x == \"Ann\" AND x != \"y\"")
    #expect(try model.fetchRequest(fromTemplate: "none") == nil)
    let error = #expect(throws: PredicateError.self) { try model.fetchRequest(fromTemplate: "r") }
    #expect(error?.code == .missingVariable)
  }

  @Test func `options that are left out keep their defaults`() throws {
    let model = try ManagedObjectModel(try read(Self.draft("")))
    let request = try #require(try model.fetchRequest(fromTemplate: "r"))
    #expect(request == FetchRequest("A"))
  }

  @Test func `a template's predicate that cannot be read is a finding at its place`() throws {
    let draft = try read(Self.draft("x BEGINWITH 'y'"))
    let findings = ModelLint.check(draft)
    let finding = try #require(findings.first { $0.code == "invalidPredicate" })
    #expect(findings.count == 1)
    #expect(finding.severity == .warning)
    #expect(finding.position.line == 6)
    #expect(finding.message.contains("found “BEGINWITH” at 1:3"))
    #expect(finding.hint == "did you mean BEGINSWITH?")
    let error = #expect(throws: PredicateError.self) {
      try FetchRequest(template: draft.fetchRequestTemplates[0])
    }
    #expect(error?.code == .syntax)
  }

  @Test(.enabled(if: Locations.shared != nil), arguments: Examples.models)
  func `the predicates of real models can be read`(path: String) throws {
    let model = try Examples.freeze(path)
    var templates = model.draft.fetchRequestTemplates
    for entity in model.draft.entities { templates += entity.fetchedProperties.map(\.fetchRequest) }
    for template in templates {
      let request = try FetchRequest(template: template)
      #expect((request.predicate == nil) == (template.predicateText ?? "").isEmpty, "\(template.name)")
    }
    #expect(!ModelLint.check(model.draft).contains { $0.code == "invalidPredicate" })
  }
}
