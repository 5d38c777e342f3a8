import MergewalkSystem
import MergewalkDiagnostics
import MergewalkObjectStore
import MergewalkPropertyLists
import MergewalkRecordFormats

/// Decides how a run begins, by the traces of earlier runs of the pipeline in the store.
enum RunStart {
  /// At the start of the inputs; what an earlier process has begun is forgotten.
  case fresh
  /// Where an earlier process stopped.
  case resumed(RunCheckpoint)
  /// An earlier process has finished the run, and this was not reported.
  case done(RunCheckpoint)
  /// The inputs were imported before, and that is enough.
  case again
}

/// Decides how a run begins.
///
/// For the next developer:
/// - The checkpoint is committed by the transaction that holds its rows (``RunJournal``). Never write it before or after:
///   a crash in between would lose records or import them twice.
/// - A run resumes only when definition, inputs and store are those of the checkpoint. When in doubt, refuse or start
///   over; never guess. Each reason has a code in ``ImportError``.
/// - Whatever changes the meaning of records belongs into ``DefinitionDigest``, and each new count into ``RunTally``:
///   a resumed run must end with the numbers of an undisturbed one.
/// - Inputs that can be read only once cannot be resumed; ``SourcePrint`` says which.
/// - ``RunStart/done(_:)`` is a run that ended without being reported: report it, and import nothing.
/// - The kill tests (`CLITests/Once`) stop a run at every point; add a point for each new step.
struct RunStartChoice {
  let definition: ImportDefinition
  let digest: UInt64
  let inputs: [SourcePrint]
  private let plans: [ImportPlan]
  private let groups: [Range<Int>]

  /// Prepares the decision.
  ///
  /// - Parameters:
  ///   - plans: the plans of the definition's parts.
  ///   - groups: the parts that run together.
  /// - Throws: `cannotRead`: inputs that cannot be read are not taken for others.
  init(_ definition: ImportDefinition, plans: [ImportPlan], groups: [Range<Int>]) throws(ImportError) {
    self.definition = definition
    self.plans = plans
    self.groups = groups
    digest = definition.digest ?? DefinitionDigest.of(definition)
    do throws(ReadError) { inputs = try SourcePrint.prints(of: definition) } catch { throw ImportError(error) }
  }

  /// How the run begins in an existing store.
  ///
  /// - Throws: the codes of ``ImportError`` that are about earlier runs, and `cannotRead`.
  func choose(_ file: StoreFile) throws(ImportError) -> RunStart {
    let policy = definition.policy
    let state = file.metadata.mergewalk
    if let saved = state.runs[definition.journalName] {
      guard let checkpoint = RunCheckpoint(saved) else {
        if policy.unfinished == .restart { return .fresh }
        throw ImportError(
          code: .cannotResume,
          message: "\(about(nil)): its checkpoint is not one of this version of mergewalk; \(Self.restartAdvice)")
      }
      if checkpoint.isDone {
        // Its end was not reported. The same inputs are not imported twice for that.
        if policy.unfinished != .restart, !definition.isDryRun, try difference(checkpoint) == nil {
          return .done(checkpoint)
        }
      } else if policy.unfinished == .restart {
        return .fresh
      } else {
        if let difference = try difference(checkpoint) { throw difference }
        return .resumed(checkpoint)
      }
    }
    if policy.unfinished == .resumeOrFail { throw Self.nothingToResume(definition) }
    if !definition.isDryRun, policy.unfinished != .restart,
      let finished = state.finished[definition.journalName].flatMap(FinishedRun.init), try isAgain(finished)
    {
      switch definition.effectiveAgain {
      case .run: break
      case .skip: return .again
      case .fail:
        throw ImportError(
          code: .alreadyImported,
          message: "\(definition.name) has imported the same inputs \(finished.when), and “again” is “fail”;"
            + " use other inputs, or set “again: run” to import them once more")
      }
    }
    return .fresh
  }

  /// Why an unfinished run cannot go on although its pipeline and inputs are the same; `nil` when it can.
  func loss(_ file: StoreFile) -> String? {
    // What the store tells of a run that has ended is the end of this plan: whoever applied it did not come to remove it.
    guard !file.hasOutdatedPlan || hasEnded(file) else {
      return "another program has written to the store since the unfinished run of \(definition.name) was interrupted"
    }
    return doubt(file)
  }

  /// Why a run whose plan fits the store, or whose new store is whole, could end as another one than an undisturbed run.
  func doubt(_ file: StoreFile) -> String? {
    guard let checkpoint = checkpoint(file) else { return nil }
    if lacksWaitingRecords(checkpoint, file) {
      return "the machine has stopped since the unfinished run of \(definition.name) was interrupted,"
        + " and the file of records that wait for the second pass may not be whole"
    }
    return looksUpOwnRows(checkpoint)
      ? "the unfinished run of \(definition.name) was interrupted within an import that changes what its lookups found"
      : nil
  }

  /// Whether the records that wait for the second pass of a planned run may be lost: they are not synced.
  private func lacksWaitingRecords(_ checkpoint: RunCheckpoint, _ file: StoreFile) -> Bool {
    // The records that wait in a new store's file were looked at with the store.
    guard !file.isNew, let later = checkpoint.later, later > 0 else { return false }
    return checkpoint.boot != BootIdentity.current || FileSystem.size(file.laterPath ?? "") ?? 0 < later
  }

  /// Whether the tables of look-ups would have rows now that they did not have when the import began.
  private func looksUpOwnRows(_ checkpoint: RunCheckpoint) -> Bool {
    guard checkpoint.definition == digest, let group = groups.first(where: { $0.contains(checkpoint.part) }),
      checkpoint.part > group.lowerBound || checkpoint.position.records > 0
    else { return false }
    return plans[group].contains { plan in
      plan.transforms.lookups.contains { lookup in
        plans[group].contains { lookup.isChanged(by: $0, definition.model) }
      }
    }
  }

  private func checkpoint(_ file: StoreFile) -> RunCheckpoint? {
    file.metadata.mergewalk.runs[definition.journalName].flatMap(RunCheckpoint.init)
  }

  /// Whether an earlier process has finished its run, up to the telling.
  func hasEnded(_ file: StoreFile) -> Bool {
    checkpoint(file)?.isDone ?? false
  }

  /// The error for a run that is to go on and is not there.
  ///
  /// - Parameter refusal: Why what is there is not resumed.
  static func nothingToResume(_ definition: ImportDefinition, _ refusal: String? = nil) -> ImportError {
    ImportError(
      code: .nothingToResume,
      message: definition.isDryRun
        ? "a dry run begins at the start of its inputs and resumes nothing; leave --resume-or-fail out"
        : "\(refusal ?? "\(definition.storePath) has no unfinished run of \(definition.name)");"
          + " leave --resume-or-fail out to begin one")
  }

  private func isAgain(_ finished: FinishedRun) throws(ImportError) -> Bool {
    guard finished.definition == digest, finished.size == inputs.reduce(0, { $0 + max($1.size, 0) }) else {
      return false
    }
    // Reading the files is the last question.
    do throws(ReadError) { return try SourcePrint.contents(definition.allSources) == finished.contents } catch {
      throw ImportError(error)
    }
  }

  // MARK: What has changed

  private static let restartAdvice = "discard the run and start over with --restart"

  private func about(_ checkpoint: RunCheckpoint?) -> String {
    guard let checkpoint else { return "the unfinished run of \(definition.name) cannot resume" }
    return "the unfinished run \(checkpoint.run) cannot resume after"
      + " \(PrintableText.count(checkpoint.ledger.read, "record"))"
  }

  private func error(_ code: ImportError.Code, _ checkpoint: RunCheckpoint, _ reason: String) -> ImportError {
    ImportError(code: code, message: "\(about(checkpoint)): \(reason); \(Self.restartAdvice)")
  }

  /// Why the run cannot go on; `nil` when it can, as far as can be told from outside of the inputs.
  private func difference(_ checkpoint: RunCheckpoint) throws(ImportError) -> ImportError? {
    if checkpoint.definition != digest {
      let isIncremental = definition.parts.contains { $0.since != nil }
      let options = isIncremental ? ", or --since or --reset-cursor is not as it was" : ""
      return error(
        .pipelineChanged, checkpoint, "the pipeline or its model has changed since the run began\(options)")
    }
    let counts = definition.parts.map(\.sources.count)
    guard checkpoint.inputCounts.count == counts.count else {
      return error(.inputsDiffer, checkpoint, "the number of imports is another one now")
    }
    if checkpoint.inputs.isEmpty {
      let isSame = checkpoint.inputCounts == counts && checkpoint.inputsHash == SourcePrint.hash(inputs)
      return isSame ? nil : error(.inputsDiffer, checkpoint, "the input files are not the same now")
    }
    var oldStart = 0
    var start = 0
    for (number, part) in definition.parts.enumerated() {
      let old = Array(
        checkpoint.inputs[oldStart..<min(oldStart + checkpoint.inputCounts[number], checkpoint.inputs.count)])
      let new = Array(inputs[start..<start + counts[number]])
      oldStart = min(oldStart + checkpoint.inputCounts[number], checkpoint.inputs.count)
      start += counts[number]
      if let found = try difference(checkpoint, part: number, old, new, part.sources) { return found }
    }
    return nil
  }

  private func difference(
    _ checkpoint: RunCheckpoint, part: Int, _ old: [SourcePrint], _ new: [SourcePrint],
    _ sources: [ByteSource]
  ) throws(ImportError) -> ImportError? {
    let mayGrow = definition.policy.append && part >= checkpoint.part
    let names = new.map(\.name)
    let hasMore = names.count > old.count && names.starts(with: old.map(\.name))
    if old.map(\.name) != names, !(hasMore && mayGrow) {
      let known = Set(old.map(\.name))
      let added = sources.filter { !known.contains(SourcePrint.nameHash($0.path)) }.map(\.path)
      let gone = known.subtracting(names).count
      var changes: [String] = []
      if !added.isEmpty {
        changes.append("\(added.prefix(3).joined(separator: ", "))\(added.count > 3 ? ", …" : "") came")
      }
      if gone > 0 { changes.append("\(gone) went") }
      if changes.isEmpty { changes.append("their order is another one") }
      return error(
        .inputsDiffer, checkpoint, "the input files are not the same now: \(changes.joined(separator: ", "))")
    }
    for (index, before) in old.enumerated() {
      let now = new[index]
      let path = sources[index].path
      if before.isSame(as: now) || before.size < 0 || now.size < 0 { continue }
      if now.size < before.size {
        return error(.inputShorter, checkpoint, "\(path) had \(before.size) bytes and has \(now.size) now")
      }
      if now.size == before.size {
        return error(.inputChanged, checkpoint, "\(path) was written to since")
      }
      let isBeginning: Bool
      do throws(ReadError) { isBeginning = try before.isBeginning(of: sources[index]) } catch {
        throw ImportError(error)
      }
      guard isBeginning else { return error(.inputChanged, checkpoint, "\(path) has other content now") }
      // What was read to its end must not grow any more: the records behind it have been imported.
      guard mayGrow, part > checkpoint.part || index >= checkpoint.position.source else {
        let advice = definition.policy.append ? "" : " (“append: true” allows that)"
        return error(
          .inputLonger, checkpoint, "\(path) had \(before.size) bytes and has \(now.size) now\(advice)")
      }
    }
    return nil
  }

}

/// Which inputs a finished run had.
struct FinishedRun {
  var definition: UInt64
  /// The hash of all their bytes, see ``SourcePrint/contents(_:)``.
  var contents: UInt64
  /// Their bytes together.
  var size: Int64
  /// When the run ended, in seconds since 1970; 0 when it is not told.
  var ended: Int64

  var list: PropertyList {
    [
      "definition": .data(definition.bytes), "contents": .data(contents.bytes), "size": .integer(size),
      "ended": .integer(ended),
    ]
  }

  var when: String { ended == 0 ? "before" : "on \(RunIdentity.timestamp(Double(ended)).prefix(19))Z" }
}

extension FinishedRun {
  init?(_ list: PropertyList) {
    guard let definition = list["definition"]?.data, definition.count == 8, let contents = list["contents"]?.data,
      contents.count == 8, let size = list["size"]?.integer, let ended = list["ended"]?.integer
    else { return nil }
    self.init(definition: UInt64(definition), contents: UInt64(contents), size: size, ended: ended)
  }
}

extension ImportDefinition {
  /// The name under which a store remembers the definition's runs: rejects that are replayed are a run of their own.
  var journalName: String { reporting.kind == .replay ? name + "/replay" : name }

  /// The policy when the last finished run had the same inputs.
  package var effectiveAgain: RunPolicy.SameInputs {
    policy.again ?? (parts.contains { $0.root.mode == .insert && $0.root.findBy.isEmpty } ? .fail : .run)
  }
}
