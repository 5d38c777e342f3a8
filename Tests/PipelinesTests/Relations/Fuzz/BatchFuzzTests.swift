import Foundation
import MergewalkImporting
import MergewalkObjectStore
import MergewalkPipelines
import MergewalkTestSupport
import Testing

/// Random pipelines in which references and lists meet, in batches of one record, of two or three, and of all: stores,
/// rejects and counts are the same.
///
/// Two counts depend on the batches and are not compared: objects that records only refer to are updated or unchanged once
/// for each batch, and the element that is to blame for a reject is the first one of those that the batch does not find.
///
/// 60 seeds, 3,000 with `MERGEWALK_SOAK`, from `MERGEWALK_FIRST_SEED` on; `MERGEWALK_SEED` runs one alone. The smallest form
/// of a failure belongs into `RecordOrderTests`.
@Suite("Sizes of batches") struct BatchFuzzTests {
  /// What a run leaves.
  private struct Outcome {
    /// By what they are about.
    var parts: [String: [String]] = [:]

    /// How it differs from another one; empty if it does not.
    func difference(from other: Outcome) -> String {
      Set(parts.keys).union(other.parts.keys).sorted().compactMap { name -> String? in
        let (mine, theirs) = (parts[name] ?? [], other.parts[name] ?? [])
        if mine == theirs { return nil }
        let (more, less) = (mine.filter { !theirs.contains($0) }, theirs.filter { !mine.contains($0) })
        return "\(name): \(more) in place of \(less)"
      }.joined(separator: "\n")
    }
  }

  /// A folder in which the run before was done, with the files of the run itself but the pipeline.
  private func folder(_ book: BookImport) throws -> TemporaryFolder {
    let folder = TemporaryFolder()
    try folder.write(book.model, to: "model.yaml")
    if !book.before.isEmpty {
      try folder.write(book.firstPipeline, to: "pipeline.yaml")
      try folder.write(book.before, to: "b.ndjson")
      _ = try InterruptedTrial.session(folder).run()
      try? FileManager.default.removeItem(atPath: folder.file("rejects.ndjson"))
    }
    try folder.write(book.records, to: "b.ndjson")
    try folder.write(book.others, to: "o.ndjson")
    return folder
  }

  /// Runs the pipeline of a folder.
  private func outcome(_ book: BookImport, _ folder: TemporaryFolder, batch: Int) throws -> Outcome {
    let path = try folder.write(book.pipeline(batch: batch), to: "pipeline.yaml")
    let definition = try Pipeline.read(path).definition
    var outcome = Outcome()
    do {
      let summary = try ImportSession(definition).run()
      outcome.parts["counts"] = [
        "\(summary.status)", "\(summary.counts)", "deleted \(summary.deleted)", "denied \(summary.denied)",
      ]
      outcome.parts["counts of imports"] = summary.parts.map { "\($0.name) \($0.counts)" }
      outcome.parts["counts of rejects"] = summary.rejectCounts.map { "\($0.key) \($0.value)" }.sorted()
      outcome.parts["counts of entities"] = summary.entities
        .map { "\($0.key) inserted \($0.value.inserted), deleted \($0.value.deleted)" }.sorted()
      outcome.parts["counts of lists"] = summary.lists.map { "\($0)" }
    } catch let error as ImportError {
      outcome.parts["error"] = ["\(error.code)"]
    }
    outcome.parts["rejects"] = try rejects(folder)
    let store = folder.file("s.sqlite")
    guard FileManager.default.fileExists(atPath: store) else { return outcome }
    outcome.parts["objects"] = try book.objects(folder)
    let report = try StoreVerifier.verify(path: store, model: definition.model)
    outcome.parts["damage"] = report.isSound ? [] : report.findings.map { "\($0)" }
    return outcome
  }

  /// The records in the rejects file, with the codes.
  private func rejects(_ folder: TemporaryFolder) throws -> [String] {
    let text = (try? String(contentsOfFile: folder.file("rejects.ndjson"), encoding: .utf8)) ?? ""
    return try text.split(separator: "\n").map { line in
      let reject = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any] ?? [:]
      return "\(reject["import"] as? String ?? "") \(reject["record"] as? Int ?? 0) \(reject["code"] as? String ?? "")"
    }.sorted()
  }

  /// All that is needed to run a seed's pipeline by hand.
  private func reproduction(_ book: BookImport, batch: Int) -> String {
    """
    model.yaml:
    \(book.model)
    the run before, its pipeline and b.ndjson:
    \(book.before.isEmpty ? "none" : book.firstPipeline)
    \(book.before)
    the run, its pipeline, b.ndjson and o.ndjson:
    \(book.pipeline(batch: batch))
    \(book.records)
    \(book.others)
    """
  }

  @Test("records take effect one after the other, whatever the batches", arguments: Soak.seeds(60))
  func sizes(seed: UInt64) throws {
    let book = BookImport(seed: seed)
    let folder = try folder(book)
    let alone = try outcome(book, InterruptedTrial.copy(folder), batch: 1)
    let damage = alone.parts["damage"] ?? []
    #expect(damage.isEmpty, "seed \(seed), batches of 1: \(damage)\n\(reproduction(book, batch: 1))")
    for batch in [2 + Int(seed % 2), 1000] {
      let difference = try outcome(book, InterruptedTrial.copy(folder), batch: batch).difference(from: alone)
      #expect(
        difference.isEmpty,
        "seed \(seed), batches of \(batch) and of 1:\n\(difference)\n\(reproduction(book, batch: batch))")
    }
  }

  @Test("a run that is resumed ends as one that was not interrupted", arguments: Array(Soak.seeds(6)) + [30032])
  func interrupted(seed: UInt64) throws {
    let book = BookImport(seed: seed)
    let folder = try folder(book)
    let batch = 1 + Int(seed % 3)
    try folder.write(book.pipeline(batch: batch), to: "pipeline.yaml")
    _ = try InterruptedTrial.run(
      folder, "seed \(seed), batches of \(batch)\n\(reproduction(book, batch: batch))", comparesUnchanged: false)
  }
}
