import MergewalkDiagnostics
import MergewalkObjectModel
import MergewalkTestSupport
import Testing

@Suite struct FixtureModelTests {
  @Test func `the shop model in YAML has the hashes of the one in XML`() throws {
    let xml = try ModelReader.read(Locations.fixtures + "/shop/Shop.xcdatamodeld")
    let yaml = try ModelReader.read(Locations.fixtures + "/shop/Shop.yaml")
    let (left, right) = (try ManagedObjectModel(xml), try ManagedObjectModel(yaml))
    #expect(left.hashesByName == right.hashesByName)
    #expect(left.versionHashesDigest == right.versionHashesDigest)
    #expect(left.versionChecksum == right.versionChecksum)
    // Only Xcode's instruction to generate classes is left out of the YAML.
    var plain = xml
    for i in plain.entities.indices { plain.entities[i].codeGenerationType = nil }
    #expect(ModelWriter.xml(yaml) == ModelWriter.xml(plain))
  }

  @Test(arguments: ["shop/Shop.xcdatamodeld", "shop/Shop.yaml", "models/chinook.yaml", "models/openflights.yaml"])
  func `the fixtures' models have no findings`(path: String) throws {
    let draft = try ModelReader.read(Locations.fixtures + "/" + path)
    let findings = ModelLint.check(draft)
    #expect(findings.isEmpty, "\(DiagnosticList(findings))")
    let model = try ManagedObjectModel(draft)
    #expect(!model.entities.isEmpty)
  }
}
