import MergewalkDiagnostics
import Foundation
import MergewalkObjectModel
import MergewalkTestSupport
import Testing

#if canImport(FoundationXML)
  import FoundationXML
#endif

@Suite struct ModelRoundTripTests {
  @Test(.enabled(if: Locations.shared != nil), arguments: Examples.models)
  func `MO1: writing XML loses nothing of a real model`(path: String) throws {
    let file = Locations.shared("coredata/\(path)/contents")
    let draft = try ModelReader.read(file)
    let written = ModelWriter.xml(draft)
    let source = try String(contentsOfFile: file, encoding: .utf8)
    #expect(try canonical(written) == canonical(source))
    // Current versions of Xcode order the attributes of the first element in this way.
    if source.contains("<model type="), !source.hasSuffix("\n") {
      #expect(written == source, "the text is byte for byte what Xcode wrote")
    }
  }

  @Test(.enabled(if: Locations.shared != nil), arguments: Examples.models)
  func `a real model goes to YAML and back to the same XML`(path: String) throws {
    let draft = try ModelReader.read(Locations.shared("coredata/" + path))
    let yaml = ModelWriter.yaml(draft)
    let again = try ModelReader.parse(Array(yaml.utf8), path: "model.yaml")
    #expect(again.readerFindings.isEmpty, "\(DiagnosticList(again.readerFindings))")
    #expect(again.withoutPlaces == draft.withoutPlaces)
    #expect(ModelWriter.xml(again) == ModelWriter.xml(draft))
    #expect(ModelWriter.yaml(again) == yaml)
    #expect(try ManagedObjectModel(again).versionChecksum == ManagedObjectModel(draft).versionChecksum)
  }

  @Test(arguments: 1...150 as ClosedRange<UInt64>)
  func `a generated model survives XML and YAML`(seed: UInt64) throws {
    var generator = ModelGenerator(seed: seed)
    let draft = generator.draft()
    let errors = ModelLint.check(draft).filter { $0.severity == .error }
    #expect(errors.isEmpty, "seed \(seed): \(DiagnosticList(errors))")
    let xml = ModelWriter.xml(draft)
    let fromXML = try ModelReader.parse(Array(xml.utf8), path: "Made.xcdatamodel/contents")
    #expect(fromXML.withoutPlaces == draft.withoutPlaces, "seed \(seed)\n\(xml)")
    #expect(ModelWriter.xml(fromXML) == xml, "seed \(seed)")
    let yaml = ModelWriter.yaml(fromXML)
    let fromYAML = try ModelReader.parse(Array(yaml.utf8), path: "model.yaml")
    #expect(fromYAML.withoutPlaces == draft.withoutPlaces, "seed \(seed)\n\(yaml)")
    #expect(ModelWriter.xml(fromYAML) == xml, "seed \(seed)")
  }

  @Test(arguments: ["name=\"r\" predicateString=\"x == 1\" fetchLimit=\"3\"", "name=\"r\"", nil])
  func `the request of a fetched property stays without an entity, and one that is not there stays away`(
    attributes: String?
  ) throws {
    let request = attributes.map { "<fetchRequest \($0)/>" } ?? ""
    let text = "<model><entity name=\"A\"><fetchedProperty name=\"f\">\(request)</fetchedProperty></entity></model>"
    let draft = try ModelReader.parse(Array(text.utf8), path: "contents")
    let fromXML = try ModelReader.parse(Array(ModelWriter.xml(draft).utf8), path: "contents")
    #expect(fromXML.withoutPlaces.entities == draft.withoutPlaces.entities)
    let fromYAML = try ModelReader.parse(Array(ModelWriter.yaml(draft).utf8), path: "model.yaml")
    #expect(ModelWriter.xml(fromYAML) == ModelWriter.xml(draft))
    #expect(ModelWriter.xml(fromYAML).contains("<fetchRequest") == (attributes != nil))
  }

  /// The tree of an XML text with attributes sorted, so that their order does not matter.
  private func canonical(_ text: String) throws -> String {
    let collector = XMLCollector()
    let parser = XMLParser(data: Data(text.utf8))
    parser.delegate = collector
    try #require(parser.parse())
    return collector.lines.joined(separator: "\n")
  }
}

extension ModelDraft {
  /// The draft without what depends on the file it stands in.
  var withoutPlaces: ModelDraft {
    func plain(_ attribute: AttributeDescription) -> AttributeDescription {
      var copy = attribute
      copy.position = .file
      copy.elements = copy.elements.map(plain)
      return copy
    }
    func plain(_ request: FetchRequestTemplate) -> FetchRequestTemplate {
      var copy = request
      copy.position = .file
      return copy
    }
    var copy = self
    copy.path = ""
    copy.readerFindings = []
    copy.fetchRequestTemplates = copy.fetchRequestTemplates.map { plain($0) }
    for i in copy.configurations.indices { copy.configurations[i].position = .file }
    for i in copy.composites.indices {
      copy.composites[i].position = .file
      copy.composites[i].attributes = copy.composites[i].attributes.map { plain($0) }
    }
    for i in copy.entities.indices {
      copy.entities[i].position = .file
      copy.entities[i].attributes = copy.entities[i].attributes.map { plain($0) }
      for r in copy.entities[i].relationships.indices { copy.entities[i].relationships[r].position = .file }
      for x in copy.entities[i].fetchIndexes.indices { copy.entities[i].fetchIndexes[x].position = .file }
      for f in copy.entities[i].fetchedProperties.indices {
        copy.entities[i].fetchedProperties[f].position = .file
        copy.entities[i].fetchedProperties[f].fetchRequest = plain(copy.entities[i].fetchedProperties[f].fetchRequest)
      }
    }
    return copy
  }
}
