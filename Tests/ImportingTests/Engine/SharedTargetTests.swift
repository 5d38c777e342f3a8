import Foundation
import MergewalkImporting
import MergewalkObjectModel
import MergewalkObjectStore
import MergewalkRecordFormats
import MergewalkTestSupport
import Testing

/// Entities that a record fills in more than one place.
@Suite struct SharedTargetTests {
  private let folder = TemporaryFolder()

  private static func toOne(_ name: String, _ destination: String, inverse: String? = nil) -> RelationshipDescription {
    var relationship = RelationshipDescription(name: name, destinationEntityName: destination)
    relationship.isOptional = true
    relationship.inverseName = inverse
    relationship.inverseEntityName = inverse.map { _ in destination }
    return relationship
  }

  private static func text(_ name: String) -> AttributeDescription {
    var attribute = AttributeDescription(name: name, type: .string)
    attribute.isOptional = true
    return attribute
  }

  /// A letter goes from one place to another; a seal belongs to one letter.
  private func model() throws -> ManagedObjectModel {
    var letter = EntityDraft(name: "Letter")
    letter.attributes = [Self.text("number")]
    letter.relationships = [
      Self.toOne("from", "Place"), Self.toOne("to", "Place"), Self.toOne("seal", "Seal", inverse: "letter"),
    ]
    letter.uniquenessConstraints = [["number"]]
    var place = EntityDraft(name: "Place")
    place.attributes = [Self.text("name"), Self.text("country")]
    place.uniquenessConstraints = [["name"]]
    var seal = EntityDraft(name: "Seal")
    seal.attributes = [Self.text("sign"), Self.text("motto")]
    seal.relationships = [Self.toOne("letter", "Letter", inverse: "seal")]
    seal.uniquenessConstraints = [["sign"], ["motto"]]
    var draft = ModelDraft()
    draft.entities = [letter, place, seal]
    return try ManagedObjectModel(draft)
  }

  private func run(
    _ rows: [[String]], batch: Int, plan: FindPlan = .automatic
  ) throws -> (summary: ImportSummary, dump: StoreDump) {
    let header = "number,from,from_country,to,to_country,sign,motto\n"
    let input = try folder.write(
      header + rows.map { $0.joined(separator: ",") + "\n" }.joined(), to: "in-\(UUID().uuidString).csv")
    func field(_ name: String, _ column: String) -> FieldImport { FieldImport(attributeName: name, column: column) }
    var root = EntityImport(entityName: "Letter", findBy: [field("number", "number")])
    root.relationships = ["from", "to"].map { name in
      RelationshipImport(
        name: name,
        target: EntityImport(
          entityName: "Place", findBy: [field("name", name)], attributes: [field("country", name + "_country")]))
    }
    root.relationships.append(
      RelationshipImport(
        name: "seal",
        target: EntityImport(
          entityName: "Seal", findBy: [field("sign", "sign")], attributes: [field("motto", "motto")])))
    var definition = ImportDefinition(
      name: "letters", model: try model(), storePath: folder.file("s.sqlite"), inputs: [input],
      format: .csv(CSVOptions()), root: root)
    definition.batchLimit = BatchLimit(records: batch)
    definition.findPlan = plan
    let summary = try ImportSession(definition).run()
    let keys = ["Letter": ["number"], "Place": ["name"], "Seal": ["sign"]]
    return (summary, try StoreDump(path: definition.storePath, model: definition.model, keys: keys))
  }

  @Test(arguments: [1, 2, 3, 100])
  func anEntityInTwoPlacesIsFoundInBoth(batch: Int) throws {
    let rows = [
      ["1", "Rome", "I", "Oslo", "N", "", ""], ["2", "Oslo", "N", "Rome", "I", "", ""],
      ["3", "Rome", "I", "Rome", "I", "", ""], ["4", "Bern", "CH", "", "", "", ""],
      ["1", "Bern", "CH", "Oslo", "N", "", ""],
    ]
    let expected = [
      "number=“1” from→(“Bern”) seal→null to→(“Oslo”)", "number=“2” from→(“Oslo”) seal→null to→(“Rome”)",
      "number=“3” from→(“Rome”) seal→null to→(“Rome”)", "number=“4” from→(“Bern”) seal→null to→null",
    ]
    let first = try run(rows, batch: batch)
    #expect(first.dump.entities["Letter"] == expected)
    #expect(
      first.dump.entities["Place"] == [
        "country=“CH” name=“Bern”", "country=“I” name=“Rome”", "country=“N” name=“Oslo”",
      ])
    #expect(first.summary.inserted == 4 && first.summary.updated == 1)
    for plan in FindPlan.allCases {
      let again = try run(Array(rows.dropFirst()), batch: batch, plan: plan)
      #expect(again.summary.unchanged == 4 && again.summary.entities["Place"]?.updated == 0, "\(plan)")
      #expect(again.dump.raw == first.dump.raw, "\(plan)")
    }
  }

  @Test(arguments: [1, 2, 3, 100])
  func anObjectThatHasOneOwnerIsTakenFromTheOther(batch: Int) throws {
    let first = try run(
      [["1", "", "", "", "", "lion", "m1"], ["2", "", "", "", "", "bear", "m2"], ["3", "", "", "", "", "", ""]],
      batch: batch)
    #expect(
      first.dump.entities["Letter"]?.map { $0.split(separator: " ")[2] } == [
        "seal→(“lion”)", "seal→(“bear”)", "seal→null",
      ])
    #expect(
      first.dump.entities["Seal"] == [
        "motto=“m1” sign=“lion” letter→(“1”)", "motto=“m2” sign=“bear” letter→(“2”)",
      ])
    for plan in FindPlan.allCases {
      // 3 takes the seal of 1; 4 would come with a seal whose motto the bear has.
      let rows = [["3", "", "", "", "", "lion", "m1"], ["4", "", "", "", "", "wolf", "m2"]]
      let next = try run(rows, batch: batch, plan: plan)
      #expect(next.summary.rejected == 1, "\(plan)")
      #expect(next.dump.entities["Letter"]?.count == 3, "\(plan)")
      #expect(
        next.dump.entities["Seal"] == [
          "motto=“m1” sign=“lion” letter→(“3”)", "motto=“m2” sign=“bear” letter→(“2”)",
        ], "\(plan)")
    }
  }
}
