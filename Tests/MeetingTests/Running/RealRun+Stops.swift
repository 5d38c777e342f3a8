import MergewalkImporting
import MergewalkTestSupport

extension RealRun {
  /// Runs an import that is stopped behind a few batches, again and again, and always goes on.
  ///
  /// - Parameter triesBetween: whether there is a dry run each time, which changes nothing.
  func runInPieces(
    _ definition: ImportDefinition, _ random: SeededGenerator, triesBetween: Bool = false
  ) -> RunOutcome {
    var random = random
    do throws(ImportError) {
      for _ in 0..<4 {
        let last = Int.random(in: 1...3, using: &random)
        var batches = 0
        let summary = try session(definition).run(
          progress: { if $0.stage == .records { batches += 1 } }, shouldStop: { batches >= last })
        guard summary.status == .interrupted else { return outcome(summary, definition) }
        guard triesBetween else { continue }
        var dry = definition
        dry.isDryRun = true
        _ = try session(dry).run()
      }
      return outcome(try session(definition).run(), definition)
    } catch {
      return failed(error)
    }
  }

  /// Runs an import whose process is killed before one of its writes, and other processes that go on.
  func runKilled(_ definition: ImportDefinition, _ random: SeededGenerator) throws -> RunOutcome {
    var random = random
    for attempt in 0... {
      let environment = attempt < 3 ? Shim.killing(at: Int.random(in: 1...60, using: &random)) : [:]
      let command = try Command(
        ["run", "pipeline.yaml", "--json", "--quiet"], in: files.folder.path, environment: environment)
      // Killed before it has said anything; what it has said before that counts.
      if command.output.isEmpty, command.status == -9 { continue }
      return try outcome(command, definition)
    }
    preconditionFailure("the last process is not killed")
  }

  /// What a process has printed, as an outcome.
  private func outcome(_ command: Command, _ definition: ImportDefinition) throws -> RunOutcome {
    let object = try command.object()
    var outcome = RunOutcome()
    guard let status = object["status"] as? String else { throw MeetingFailure(command.words) }
    if let error = object["error"] as? [String: Any] { outcome.failure = error["code"] as? String ?? "unknown" }
    outcome.status = status
    func count(_ name: String, _ object: [String: Any]) -> Int { object[name] as? Int ?? -1 }
    for part in object["imports"] as? [[String: Any]] ?? [] {
      var counts = ImportSummary.PartCounts()
      counts.name = part["name"] as? String ?? ""
      counts.entity = part["entity"] as? String ?? ""
      counts.read = count("read", part)
      counts.inserted = count("inserted", part)
      counts.updated = count("updated", part)
      counts.unchanged = count("unchanged", part)
      counts.skipped = count("skipped", part)
      counts.rejected = count("rejected", part)
      outcome.parts.append(counts)
    }
    for (name, entity) in object["entities"] as? [String: [String: Any]] ?? [:] {
      var counts = ImportSummary.EntityCounts()
      counts.inserted = count("inserted", entity)
      counts.updated = count("updated", entity)
      counts.unchanged = count("unchanged", entity)
      counts.duplicates = count("duplicates", entity)
      counts.deleted = count("deleted", entity)
      counts.marked = count("marked", entity)
      outcome.entities[name] = counts
    }
    outcome.links = ReferenceTally.links(
      (object["lists"] as? [[String: Any]] ?? []).map { list in
        var tally = ListTally()
        tally.entity = list["entity"] as? String ?? ""
        tally.relationship = list["relationship"] as? String ?? ""
        (tally.linked, tally.alreadyLinked) = (count("linked", list), count("already_linked", list))
        return tally
      })
    outcome.deleted = count("deleted", object)
    outcome.marked = count("marked", object)
    outcome.denied = count("denied", object)
    outcome.rejects = rejects(definition)
    outcome.cursors = cursors(definition)
    let warnings = object["warnings"] as? [[String: Any]] ?? []
    outcome.emptyFiles = warnings.count { $0["code"] as? String == "emptyFile" }
    outcome.unusedColumns = Self.unusedColumns(
      warnings.filter { $0["code"] as? String == "unusedColumn" }.compactMap { $0["message"] as? String })
    return outcome
  }
}
