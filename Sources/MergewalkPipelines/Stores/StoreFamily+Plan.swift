import MergewalkBytes
public import MergewalkDiagnostics
import MergewalkSystem
public import MergewalkImporting
import MergewalkObjectModel
import MergewalkObjectStore
import MergewalkRecordFormats

extension StoreFamily {
  /// Splits the records of a pipeline and plans the stores.
  ///
  /// The published family does not change. An existing plan is replaced.
  ///
  /// - Parameters:
  ///   - pipeline: The path of the pipeline file.
  ///   - sources: Files to read in place of those that it names, or folders with subfolders called `key=value`, which
  ///     another program has already split.
  ///   - variables: The values of `${NAME}`.
  ///   - change: The caller's changes to the definition, such as its expectations of the input.
  /// - Throws: ``FamilyError``; with `limitBreached` when the split alone rejects too many records.
  /// - Complexity: One pass over the input; memory does not grow with it.
  public func plan(
    _ pipeline: String, sources: [String] = [], variables: Variables = Variables(),
    change: (inout ImportDefinition) throws(DiagnosticList) -> Void = { _ in }
  ) throws(FamilyError) -> Planned {
    var settings = PipelineSettings()
    settings.variables = variables
    let hive = HiveFolders(sources)
    try hive?.checkFiles()
    settings.sourcePaths = hive?.sample.map { [$0] } ?? sources
    settings.checksHeaders = hive == nil
    let read: Pipeline
    var definition: ImportDefinition
    do throws(DiagnosticList) {
      read = try Pipeline.read(pipeline, settings: settings)
      hide(read.redaction)
      definition = read.definition
      let found = definition.allSources.map(\.expected)
      try change(&definition)
      if hive != nil, definition.allSources.map(\.expected) != found {
        throw DiagnosticList(
          error: FamilyError.Code.invalidPipeline.rawValue, path: pipeline,
          message: "an expected SHA-256 is for one input, and folders called key=value have many files",
          hint: "give the number of records with --expect-records")
      }
    } catch { throw FamilyError(error) }
    guard let policy = definition.stores else { throw FamilyError(LoadedFamily.noStores(definition)) }
    var forms: [SpoolForm] = []
    for part in definition.parts {
      do throws(DiagnosticList) {
        // What a folder's name says is in none of its records.
        let columns = try definition.columnNames(of: part).filter { hive == nil || $0 != policy.column }
        forms.append(SpoolForm(part.format, columns: columns))
      } catch { throw FamilyError(error) }
    }
    try hive?.check(policy, definition)
    if hive == nil { try Self.checkContracts(definition, forms) }
    let loaded: LoadedFamily
    do throws(DiagnosticList) {
      loaded = try LoadedFamily(definition, forms: forms, variables: variables)
    } catch { throw FamilyError(error) }
    self.loaded = loaded
    for definition in [definition] + loaded.shared { try checkInputs(definition) }
    try files.make()
    let lock = try FamilyLock(files.planFolder + "/lock", seconds: definition.policy.lockWait)
    defer { withExtendedLifetime(lock) {} }
    let attempt = try AttemptFolder(files)
    let spool = try attempt.folder("spool")
    let states = definition.allSources.map { FamilyFiles.state($0.path) }
    var splitter = try Splitter(
      definition, policy, forms: forms, spool: spool, rejects: attempt.path + "/rejects.ndjson")
    var plan = FamilyPlan()
    if let hive {
      try hive.plan(&plan, &splitter, definition, policy)
    } else {
      try splitter.run(definition)
      plan.sources = zip(definition.allSources, states).map { FamilyPlan.Source($0.path, state: $1) }
    }
    for (source, kinds) in zip(plan.sources.indices, splitter.kinds) { plan.sources[source].kinds = kinds }
    try splitter.finish()
    try check(definition, splitter.counts, isWhole: hive == nil)
    plan.pipeline = definition.name
    plan.pipelinePath = ResolvedPath.fromRoot(pipeline)
    plan.variables = variables.assignments
    plan.base = loaded.base
    plan.model = Hexadecimal.text(definition.model.versionHashes.flatMap(\.hash).prefix(32))
    plan.shared = loaded.sharedDigests
    plan.forms = forms
    plan.limits = definition.rejects
    plan.gone = policy.gone
    plan.headers = splitter.headerTexts
    plan.units = splitter.units
    plan.counts = splitter.counts
    plan.hasFolders = hive != nil
    if hive != nil { plan.expectedRecords = definition.expectedRecords }
    plan.parts = try parts(plan.parts, splitter, policy, isHive: hive != nil)
    try checkSources(plan)
    if let breach = plan.limits.breach(
      read: splitter.counts.read, rejected: splitter.counts.rejected, codes: splitter.counts.codes), hive == nil
    {
      throw FamilyError(.limitBreached, breach.message + "; nothing of the family has changed")
    }
    try checkGone(plan, good: nil)
    try publish(&plan, attempt)
    split = FamilyFiles.identity(files.plan).map { ($0, splitter.states) }
    var warnings = read.warnings
    if !definition.reporting.notifications.isEmpty {
      warnings.append(
        Diagnostic(
          .warning, code: RunWarning.Code.notNotified.rawValue, path: pipeline, position: .file,
          message: "“notify” is for runs: nothing is sent about a family",
          hint: "tell people by the exit code of the command"))
    }
    if definition.reporting.metricsPath != nil || definition.reporting.reportPath != nil {
      warnings.append(
        Diagnostic(
          .warning, code: FindingCode.unsuitableOption.rawValue, path: pipeline, position: .file,
          message: "“metrics” and “report” are for runs: no such file is written about a family",
          hint: "take the figures from the command's JSON (--json)"))
    }
    return planned(plan, definition, splitter, warnings)
  }

  /// Refuses inputs that are files of the family itself, which a folder or a glob finds when the family is in it: its
  /// records would be read once more with each plan.
  private func checkInputs(_ definition: ImportDefinition) throws(FamilyError) {
    let root = ResolvedPath.absolute(folder) + "/"
    let stores = Set(try manifest()?.stores.map(\.path) ?? [])
    for source in definition.allSources where !source.isReadOnce {
      let path = ResolvedPath.absolute(source.path).utf8
      guard path.starts(with: root.utf8) else { continue }
      let name = String(decoding: path.dropFirst(root.utf8.count), as: UTF8.self)
      guard FamilyFiles.isOwn(name) || stores.contains(name) else { continue }
      throw FamilyError(
        DiagnosticList(
          error: FamilyError.Code.invalidPipeline.rawValue, path: definition.path ?? definition.name,
          message: "“\(source.path)” is a file of the family itself, and its inputs are looked for where it is",
          hint: "name another folder with --out, or inputs that are not below \(folder)"))
    }
  }

  /// Refuses contracts about what the split does not keep: of most formats it writes the columns that are requested and
  /// no more, as JSON, which has types where XML has none.
  private static func checkContracts(_ definition: ImportDefinition, _ forms: [SpoolForm]) throws(FamilyError) {
    for (part, form) in zip(definition.parts, forms) where form.isRewritten {
      guard let contract = part.contract else { continue }
      var isXML = false
      if case .xml = part.format { isXML = true }
      let message: String
      let hint: String
      if contract.newColumns != nil || contract.missingColumns != nil {
        message =
          "a contract can check new or missing columns in stores from CSV and NDJSON only: of other formats, the"
          + " split keeps only the requested columns"
        hint = "take “new” and “missing” out of the contract, or convert the input to NDJSON"
      } else if isXML, contract.types != nil {
        message = "a contract cannot check types in stores from XML, which has no types"
        hint = "take “types” out of the contract"
      } else {
        continue
      }
      throw FamilyError(
        DiagnosticList(
          error: FamilyError.Code.invalidPipeline.rawValue, path: definition.path ?? definition.name,
          position: contract.position, message: message, hint: hint))
    }
  }

  /// Checks what was read against what was expected.
  private func check(
    _ definition: ImportDefinition, _ counts: Splitter.Counts, isWhole: Bool
  ) throws(FamilyError) {
    guard isWhole, let expected = definition.expectedRecords, expected != counts.read else { return }
    throw FamilyError(
      .inputChanged,
      "the input has \(PrintableText.count(counts.read, "record")), not \(PrintableText.grouped(expected)) as expected: the"
        + " program that writes it has not finished, or wrote something else; nothing was planned")
  }

  private func planned(
    _ plan: FamilyPlan, _ definition: ImportDefinition, _ splitter: Splitter, _ warnings: [Diagnostic]
  ) -> Planned {
    var result = Planned(id: plan.id, stores: plan.parts.count, warnings: warnings)
    // What was found before the split is among the findings.
    let found = splitter.warnings.filter { !definition.warnings.contains($0) }
    result.runWarnings = found + (RunWarning(of: splitter.text).map { [$0] } ?? [])
    result.text = splitter.text
    if plan.parts.allSatisfy(\.files.isEmpty) { result.read = plan.counts?.read }
    result.skipped = plan.counts?.skipped ?? 0
    result.rejected = plan.counts?.rejected ?? 0
    result.rejectCodes = plan.counts?.codes ?? [:]
    if result.rejected > 0 { result.rejectsPath = files.splitRejects }
    // Folders are counted by the commit.
    if plan.hasFolders { return result }
    if definition.expectedRecords != nil || definition.allSources.contains(where: { $0.expected != nil }) {
      result.completeness = .checked
    } else if definition.allSources.contains(where: \.isReadOnce) {
      result.completeness = .unchecked
    }
    return result
  }

  /// The parts of the plan: those of the splitter, and those of folders, with the paths of their stores.
  private func parts(
    _ given: [FamilyPlan.Part], _ splitter: Splitter, _ policy: StoresPolicy, isHive: Bool
  ) throws(FamilyError) -> [FamilyPlan.Part] {
    var parts: [FamilyPlan.Part] = []
    for (number, value) in splitter.values.enumerated() {
      let part = splitter.partFiles[number]
      let name = StorePathTemplate.encoded(value)
      if let folder = given.first(where: { $0.name == name }) {
        throw FamilyError(
          .invalidPipeline,
          "\(FileSystem.folder(of: folder.files[0].path)): “\(value)” is the value of this folder and, by “missing”, of "
            + "the records without one, and they could not be told apart: choose another value under “missing”")
      }
      parts.append(
        FamilyPlan.Part(
          value: value, name: name, path: "", records: part.records,
          digest: FamilyPlan.digest(Hexadecimal.text(part.finish()), isOfFolder: isHive), places: part.places.text,
          unit: part.unit))
    }
    parts += given
    // Of values that differ in case only the first in the order of their bytes keeps its letters.
    var folded: [String: [Int]] = [:]
    for (number, part) in parts.enumerated() { folded[part.name.lowercased(), default: []].append(number) }
    for number in parts.indices {
      let twins = folded[parts[number].name.lowercased()] ?? []
      let first = twins.min { parts[$0].value.utf8.lexicographicallyPrecedes(parts[$1].value.utf8) }
      let isCoded = twins.count > 1 && first != number
      if isCoded { parts[number].name = StorePathTemplate.encoded(parts[number].value, isCoded: true) }
      guard let path = policy.path.path(for: parts[number].value, isCoded: isCoded) else {
        throw FamilyError(
          .failed, "“\(parts[number].value.prefix(40))…” is too long for the name of a store: mend it under “columns”")
      }
      parts[number].path = path
    }
    return parts
  }

  /// Puts the plan and the spool in their places.
  private func publish(_ plan: inout FamilyPlan, _ attempt: AttemptFolder) throws(FamilyError) {
    let paths = Set(plan.parts.map(\.path))
    var known = paths
    if let bytes = try FamilyFiles.read(files.plan), let old = FamilyPlan(json: bytes) {
      known.formUnion(old.parts.map(\.path) + old.former)
      plan.former = Set(old.parts.map(\.path) + old.former).subtracting(paths).filter {
        FileSystem.exists(files.store($0)) || FileSystem.exists(files.nextStore($0))
      }.sorted()
      known = Set(old.parts.map(\.path) + old.former)
    } else {
      known = Set((try manifest()?.stores ?? []).map(\.path))
    }
    for part in plan.parts where !known.contains(part.path) && FileSystem.exists(files.store(part.path)) {
      // Where capital and small letters are the same, a name of before may be this one.
      let folded = part.path.lowercased()
      if known.contains(where: {
        $0.lowercased() == folded && FamilyFiles.areSame(files.store($0), files.store(part.path))
      }) {
        continue
      }
      throw FamilyError(
        .occupied,
        "\(files.store(part.path)): there is a file that is not a store of this family; name another folder with --out")
    }
    do throws(StoreError) {
      let old = attempt.path + "/old"
      if FileSystem.exists(files.spool) { try FileSystem.rename(files.spool, to: old) }
      try FileSystem.rename(attempt.path + "/spool", to: files.spool)
      let rejects = attempt.path + "/rejects.ndjson"
      if FileSystem.exists(rejects) {
        try FileSystem.rename(rejects, to: files.splitRejects)
      } else {
        try FileSystem.remove(files.splitRejects)
      }
    } catch { throw FamilyError(error) }
    try FamilyFiles.replace(files.plan, plan.json, through: attempt.path)
  }
}

extension FamilyPlan {
  /// One digest of several.
  static func joined(_ digests: [String]) -> String {
    let digest = DigestStream()
    for text in digests { digest.add(text: text) }
    return Hexadecimal.text(digest.finish())
  }

  /// The digest of a part's own files, with what the pipeline makes of their records.
  ///
  /// - Parameter outcome: See ``ImportDefinition/outcomeDigest``; its formats are those of the files.
  static func digest(of files: [StoreReceipt.File], outcome: String) -> String {
    joined(["files", outcome] + files.map(\.sha256))
  }

  /// The digest of a part's records, which mean something else where a folder says what they leave out.
  static func digest(_ records: String, isOfFolder: Bool) -> String {
    isOfFolder ? joined(["folder", records]) : records
  }
}
