import Foundation
import MergewalkImporting
import MergewalkObjectStore
import MergewalkPipelines
import MergewalkTestSupport
import Testing

/// Random imports into random shapes of relationships, run after run into one store: after each, `store verify` and an
/// independent look by SQL find nothing wrong, and to-one relationships are what the last record said.
///
/// 240 trials, 20,000 with `MERGEWALK_SOAK`, from `MERGEWALK_FIRST_SEED` on; `MERGEWALK_SEED` runs and shows one alone,
/// `MERGEWALK_TRACE` prints seeds before they run.
@Suite("Shapes of relationships") struct RelationFuzzTests {
  private static let perCase: UInt64 = 20
  private static let seeds: [UInt64] = {
    if let given = ProcessInfo.processInfo.environment["MERGEWALK_SEED"].flatMap(UInt64.init) { return [given] }
    let first = ProcessInfo.processInfo.environment["MERGEWALK_FIRST_SEED"].flatMap(UInt64.init) ?? 0
    return stride(from: first, to: first + (Soak.isOn ? 20_000 : 240), by: Int(perCase)).map { $0 }
  }()

  @Test("whatever is imported, both ends agree and nothing leads to nowhere", arguments: seeds)
  func trials(first: UInt64) throws {
    let isOne = ProcessInfo.processInfo.environment["MERGEWALK_SEED"] != nil
    for seed in first..<first + (isOne ? 1 : Self.perCase) {
      // Printed before: a trap has no other way to say which one it was.
      if ProcessInfo.processInfo.environment["MERGEWALK_TRACE"] != nil { print("seed \(seed)") }
      try trial(seed, isShown: isOne)
    }
  }

  @Test(
    """
    seeds that have found something: members of other entities in a list's order, a look-up that outlived its objects, \
    lists of objects that other lists had deleted, targets that lists deleted while a record waited, an object that is \
    its own partner
    """,
    arguments: [63085, 67068, 17_005_283, 18_010_408, 18_013_092] as [UInt64])
  func regressions(seed: UInt64) throws { try trial(seed, isShown: false) }

  @Test("many of the imports are such that a dictionary can follow them") func comparable() {
    var count = 0
    for seed: UInt64 in 0..<400 {
      var random = SeededGenerator(seed: seed)
      let pipeline = RelationImport(RelationShape(&random), &random)
      if !NaiveReferences(pipeline, pipeline.records(&random, keys: 4)).comparable.isEmpty { count += 1 }
    }
    #expect(count >= 20, "\(count) of 400")
  }

  private func trial(_ seed: UInt64, isShown: Bool) throws {
    var random = SeededGenerator(seed: seed)
    let folder = TemporaryFolder()
    let shape = RelationShape(&random)
    try folder.write(shape.text, to: "model.yaml")
    let keys = Int.random(in: 2...6, using: &random)
    var current: RelationImport?
    for run in 0..<Int.random(in: 1...4, using: &random) {
      let chosen =
        current.flatMap { Int.random(in: 0..<10, using: &random) < 4 ? $0 : nil } ?? RelationImport(shape, &random)
      current = chosen
      let records = chosen.records(&random, keys: keys)
      try folder.write(RelationImport.text(records), to: "in\(run).ndjson")
      let path = try folder.write(chosen.text("in\(run).ndjson"), to: "pipeline\(run).yaml")
      let how = "seed \(seed), run \(run):\n\(shape.text)\n\(chosen.text("in"))\n\(RelationImport.text(records))"
      if isShown { print(how) }
      let store = folder.file("s.sqlite")
      let isThere = FileManager.default.fileExists(atPath: store)
      let before = isThere ? try RelationStore(shape, path: store) : nil
      let summary: ImportSummary
      let definition: ImportDefinition
      do {
        definition = try Pipeline.read(path).definition
        summary = try ImportSession(definition).run()
      } catch {
        Issue.record("\(error)\n\(how)")
        return
      }
      guard FileManager.default.fileExists(atPath: store) else { continue }
      let report = try StoreVerifier.verify(path: store, model: definition.model)
      let after = try RelationStore(shape, path: store)
      let problems = after.problems
      #expect(report.isSound && problems.isEmpty, "\(report.findings) \(problems)\n\(how)")
      guard report.isSound, problems.isEmpty else { return }
      let naive = NaiveReferences(chosen, records)
      for relation in naive.comparable where summary.rejected == 0 {
        let expected = naive.targets(relation, from: before)
        let found = after.targets(relation).filter { $0.value != nil }
        #expect(found == expected.filter { $0.value != nil }, "\(relation.owner).\(relation.name), \(how)")
        if found != expected.filter({ $0.value != nil }) { return }
      }
    }
    return
  }
}

/// What to-one relationships should be: records one after the other, each the truth until the next one.
struct NaiveReferences {
  private let pipeline: RelationImport
  private let records: [RelationImport.Record]
  private var shape: RelationShape { pipeline.shape }

  init(_ pipeline: RelationImport, _ records: [RelationImport.Record]) {
    self.pipeline = pipeline
    self.records = records
  }

  /// The relationships that nothing but the records' own fields changes, and in their order.
  var comparable: [RelationShape.Relation] {
    // In two passes records of objects that are there already come after the others.
    guard pipeline.mode == "upsert", pipeline.passes ?? "one" == "one",
      pipeline.filled.allSatisfy({ $0.form == .one }),
      shape.unique.contains(shape.root(pipeline.entity))
    else { return [] }
    return pipeline.filled.filter { filled in
      let isLate = shape.root(filled.target) == shape.root(pipeline.entity)
      let isInverseFilled = pipeline.filled.contains { $0.relation.name == filled.relation.inverse }
      return filled.missing == "create" && !isLate && !isInverseFilled
        && shape.unique.contains(shape.root(filled.target))
    }.map(\.relation)
  }

  /// By key: the key that a relationship of the object refers to.
  func targets(_ relation: RelationShape.Relation, from before: RelationStore?) -> [String: String?] {
    var targets = before?.targets(relation) ?? [:]
    let inverse = shape.inverse(of: relation)
    for record in records {
      guard let target = record.fields[relation.name] else { continue }
      if let target, let inverse, !inverse.isToMany {
        for (key, other) in targets where other == target && key != record.key { targets[key] = .some(nil) }
      }
      targets[record.key] = .some(target)
    }
    return targets
  }
}
