import MergewalkBytes
import MergewalkDiagnostics
import MergewalkImporting
import MergewalkObjectStore
import MergewalkRecordFormats

/// One thread's attempt at the stores of some groups.
///
/// Stores are built in the attempt's folder, some at a time; then all of them are synced at once, moved to their
/// places, and get their receipts.
final class FamilyTask {
  /// A store that is ready and not in its place.
  private struct Ready {
    var part: Int
    var path: String
    var receipt: StoreReceipt
    var rejects: String?
  }

  private let work: FamilyWork
  private let attempt: AttemptFolder
  private var ready: [Ready] = []
  private var readyBytes = 0
  private var number = 0
  private var hasFolders = false
  /// The last run into a store of records that were split, for what it has in common with the next.
  private var resolved: ImportSession?
  /// The store with what is shared, and what its pipelines have read.
  private var template: (path: String, counts: RecordCounts, warnings: [RunWarning])?

  /// So many stores, or bytes of stores, get their places together.
  private static let mostReady = 64
  private static let mostReadyBytes = 64 << 20

  init(_ work: FamilyWork) throws(FamilyError) {
    self.work = work
    attempt = try AttemptFolder(work.files)
  }

  private var plan: FamilyPlan { work.plan }

  /// Builds the stores of a group that are not there.
  func run(_ group: [Int], _ result: inout StoreFamily.Built) throws(FamilyError) {
    do throws(FamilyError) {
      try buildMissing(of: group, &result)
    } catch {
      // Who plans again takes away what is read here, just before the new plan is there.
      _ = try? FamilyLock(work.files.planFolder + "/lock", seconds: work.loaded.definition.policy.lockWait)
      try checkPlan()
      throw error
    }
  }

  private func buildMissing(of group: [Int], _ result: inout StoreFamily.Built) throws(FamilyError) {
    var missing: [Int] = []
    for part in group {
      if try isDone(plan.parts[part]) { result.kept += 1 } else { missing.append(part) }
    }
    guard let first = missing.first else { return }
    guard let unit = plan.parts[first].unit.map({ plan.units[$0] }) else {
      for part in missing { try build(part, nil, &result) }
      return
    }
    if unit.isBucket {
      let pieces = try split(unit, Set(missing))
      for part in missing { try build(part, pieces[part], &result) }
      try? FileSystem.removeTree(attempt.path + "/spool")
      return
    }
    let isAsWritten =
      plan.parts[first].unit.map { number in
        work.states.indices.contains(number)
          && SpoolFiles.areUnchanged(in: work.files.spool, since: work.states[number])
      } ?? false
    for part in missing {
      if !isAsWritten { try check(unit, part) }
      try build(part, (work.files.spool, unit), &result)
    }
  }

  /// Checks that the records of a unit of one part, and their places, are those that the plan names.
  private func check(_ unit: SpoolUnit, _ part: Int) throws(FamilyError) {
    let headers = plan.headers
    try check(Hexadecimal.text(try SpoolFiles.digest(of: unit, in: work.files.spool) { headers[$0] }), part)
    try check(SpoolFiles.places(of: unit, in: work.files.spool), part)
  }

  /// Gives the last stores their places.
  func finish(_ result: inout StoreFamily.Built) throws(FamilyError) { try publish(&result) }

  /// Whether a store is there as its receipt says, and is the one that the plan asks for.
  private func isDone(_ part: FamilyPlan.Part) throws(FamilyError) -> Bool {
    guard let bytes = try FamilyFiles.read(work.files.receipt(part.name)), let receipt = StoreReceipt(json: bytes),
      receipt.key == plan.key(part), receipt.isOf(part, in: plan, work.files, work.known)
    else { return false }
    return receipt.fits(in: work.files.folder, work.files.next, known: work.known)
  }

  private func check(_ digest: String, _ number: Int) throws(FamilyError) {
    let part = plan.parts[number]
    guard FamilyPlan.digest(digest, isOfFolder: plan.hasFolders) == part.digest else {
      throw FamilyError(
        .inputChanged,
        "the records of “\(part.value)” in \(work.files.spool) have changed since the split: plan the family again")
    }
  }

  private func check(_ places: PlacesHash, _ number: Int) throws(FamilyError) {
    let part = plan.parts[number]
    guard places.text == part.places else {
      throw FamilyError(
        .inputChanged,
        "the index of the records of “\(part.value)” in \(work.files.spool) has changed since the split: plan the family"
          + " again")
    }
  }

  // MARK: Records

  /// Splits a bucket once more, into a file for each of some parts.
  private func split(
    _ unit: SpoolUnit, _ wanted: Set<Int>
  ) throws(FamilyError) -> [Int: (folder: String, unit: SpoolUnit)] {
    let folder = try attempt.folder("spool")
    let headers = plan.headers
    let spool = SpoolFiles(folder: folder, fileName: unit.file) { headers[$0] }
    var numbers: [Int: Int] = [:]
    let path = "\(work.files.spool)/\(unit.name)"
    do throws(ReadError) {
      for segment in unit.segments {
        spool.begin(segment.run)
        var places = try RecordPlaceReader(path: unit.places(in: work.files.spool), range: segment.places)
        let records = try FileBytes(path: unit.records(in: work.files.spool), range: segment.bytes)
        while let place = try places.next() {
          let isWanted = wanted.contains(place.part)
          if isWanted, numbers[place.part] == nil {
            numbers[place.part] = spool.addPart(name: plan.parts[place.part].name, hash: 0, isAlone: true)
          }
          guard place.length >= 0, place.length < segment.bytes.count else { throw records.damage() }
          var failure: FamilyError?
          try records.take(place.length + 1) { bytes in
            guard isWanted, let number = numbers[place.part] else { return }
            do throws(FamilyError) {
              try spool.append(UnsafeRawBufferPointer(rebasing: bytes.dropLast()), to: number, place.place)
            } catch { failure = error }
          }
          if let failure { throw ReadError(.inputFailed, path: path, message: failure.message) }
        }
      }
    } catch { throw error.code == .notFound ? FamilyError(spool: error) : FamilyError(error) }
    try spool.finish()
    var result: [Int: (folder: String, unit: SpoolUnit)] = [:]
    for (part, number) in numbers {
      try check(Hexadecimal.text(spool.parts[number].finish()), part)
      try check(spool.parts[number].places, part)
      result[part] = (folder, spool.units[spool.parts[number].unit])
    }
    if let lost = wanted.first(where: { result[$0] == nil }) { try check("", lost) }
    return result
  }

  /// The definition that builds one store.
  ///
  /// - Throws: `otherPlan` when the way to read a folder's files is no longer that of the plan.
  private func definition(
    _ part: FamilyPlan.Part, _ pieces: (folder: String, unit: SpoolUnit)?
  ) throws(FamilyError) -> ImportDefinition {
    var definition = work.loaded.definition
    for index in definition.parts.indices {
      definition.parts[index].sources = []
      definition.parts[index].spool = []
    }
    if let (folder, unit) = pieces {
      // The split has held the types of all records against each other; what is to be rejected is so here.
      for index in definition.parts.indices where definition.parts[index].contract?.types != .reject {
        definition.parts[index].contract?.types = nil
      }
      for segment in unit.segments {
        let source = plan.sources.indices.contains(segment.run.source) ? plan.sources[segment.run.source] : nil
        let piece = SourcePiece(
          file: unit.records(in: folder), range: segment.bytes, prefix: plan.headers[segment.run.header])
        definition.parts[segment.run.part].sources.append(ByteSource(piece: piece, path: source?.path ?? "-"))
        definition.parts[segment.run.part].spool.append(
          SpooledSource(
            places: unit.places(in: folder), range: segment.places, member: segment.run.member,
            records: segment.records, isRewritten: plan.forms[segment.run.part].isRewritten, kinds: source?.kinds,
            encoding: segment.run.encoding.flatMap { TextEncoding(named: $0) }))
      }
    }
    guard plan.hasFolders else { return definition }
    if let first = part.files.first {
      guard let folders = work.folders else {
        throw FamilyError(
          .inputChanged, "\(first.path): files of the folders were deleted after the family was planned; plan it again")
      }
      guard FamilyPlan.digest(of: part.files, outcome: folders.outcome) == part.digest else {
        throw FamilyError(
          .otherPlan,
          "“\(part.value)”: how the pipeline reads the files of its folder has changed since the family was planned; plan"
            + " it again")
      }
      definition.parts[0].format = folders.format
    }
    for file in part.files {
      var source = ByteSource(path: file.path, container: work.folders?.container ?? ContainerOptions())
      let digest = SourceExpectation.sha256(hex: file.sha256)
      _ = source.expect(SourceExpectation(size: file.bytes, sha256: digest))
      definition.parts[0].sources.append(source)
    }
    // The folder's name says what the files leave out; that of records without a value says that they have none.
    let column = work.loaded.policy.column
    let value = part.files.isEmpty ? "NULL" : Self.quoted(part.value)
    definition.parts[0].columns.removeAll { $0.name == column }
    definition.parts[0].columns.append(ColumnTransform(name: column, source: .expression(SourceText(value))))
    return definition
  }

  private static func quoted(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      if scalar == "\"" || scalar == "\\" { result += "\\" }
      result.unicodeScalars.append(scalar)
    }
    return result + "\""
  }

  // MARK: Stores

  private func build(
    _ number: Int, _ pieces: (folder: String, unit: SpoolUnit)?, _ result: inout StoreFamily.Built
  ) throws(FamilyError) {
    // Folders are made once: a file system that has just removed many is slow to make new ones.
    if !hasFolders {
      _ = try attempt.folder("work")
      _ = try attempt.folder("ready")
      hasFolders = true
    }
    let made = PrivateFolder.$path.withValue(attempt.path) {
      Result { () throws(FamilyError) in try make(number, pieces) }
    }
    let store = try made.get()
    ready.append(store)
    readyBytes += store.receipt.files.reduce(0) { $0 + $1.bytes }
    if ready.count >= Self.mostReady || readyBytes >= Self.mostReadyBytes { try publish(&result) }
  }

  /// Makes the store of a part in the attempt's folder.
  private func make(_ number: Int, _ pieces: (folder: String, unit: SpoolUnit)?) throws(FamilyError) -> Ready {
    let part = plan.parts[number]
    // A name of its own: what could not be removed of the store before is not taken for this one's.
    self.number += 1
    let path = "\(attempt.path)/work/\(self.number).sqlite"
    var definition = try definition(part, pieces)
    definition.storePath = path
    definition.rejects.path = "\(attempt.path)/work/\(self.number).rejects.ndjson"
    definition.rejects.run = StoreFamily.rejectsRun(definition)
    definition.seedIdentity = "\(work.loaded.definition.name)/\(part.value)"
    try startStore(path)
    let summary = try run(definition, part)
    var sealed = path
    var receipt: StoreReceipt
    do throws(StoreError) {
      var mark = summary.seed
      if mark == nil {
        sealed = "\(attempt.path)/ready/\(self.number).sqlite"
        mark = try SeedFile.seal(
          path, to: sealed, isPacked: summary.isPacked, access: .usual, identity: definition.seedIdentity ?? ""
        ).mark
        try StoreMove.adopt(companionsOf: path, by: sealed)
        try FileSystem.remove(path)
      }
      receipt = StoreReceipt(
        key: plan.key(part), value: part.value, files: [], content: mark?.seed.digest ?? "", uuid: mark?.uuid ?? "",
        counts: summary.counts, codes: summary.rejectCounts, shared: template?.counts ?? RecordCounts())
    } catch { throw FamilyError(error) }
    // Of text the split tells, which has read the inputs themselves.
    receipt.warnings =
      summary.warnings.filter { pieces == nil || $0.code != .textUncounted } + (template?.warnings ?? [])
    receipt.undecided = summary.undecided
    receipt.fields = summary.fields
    receipt.lists = summary.lists
    receipt.files = try files(of: sealed, part)
    receipt.places = plan.places(part)
    var result = Ready(part: number, path: sealed, receipt: receipt)
    if summary.rejectsPath != nil, let path = definition.rejects.path, let digest = work.known.digest(path) {
      result.receipt.rejects = StoreReceipt.File(
        path: FileSystem.name(of: work.files.rejects(part.name)), bytes: digest.bytes, sha256: digest.sha256)
      result.rejects = path
    }
    return result
  }

  /// The files of a store as its receipt names them: itself, and those beside it.
  private func files(of store: String, _ part: FamilyPlan.Part) throws(FamilyError) -> [StoreReceipt.File] {
    let folder = FileSystem.folder(of: store)
    let name = FileSystem.name(of: part.path)
    var made = [(store, name)]
    do throws(StoreError) {
      let companions = try StoreMove.companions(of: store)
      if !companions.isEmpty {
        let names = try StoreMove.companions(of: store, namedFor: "\(folder)/\(name)")
        made += zip(companions.map { "\(folder)/\($0)" }, names)
      }
    } catch { throw FamilyError(error) }
    var files: [StoreReceipt.File] = []
    for (file, name) in made {
      guard let digest = work.known.digest(file) else {
        throw FamilyError(.failed, "\(file): the store that was built cannot be read")
      }
      files.append(
        StoreReceipt.File(path: StoreReceipt.path(name, beside: part.path), bytes: digest.bytes, sha256: digest.sha256))
    }
    return files
  }

  /// Puts what is shared into the place of a new store.
  private func startStore(_ path: String) throws(FamilyError) {
    guard !work.loaded.shared.isEmpty else { return }
    if template == nil {
      let folder = try attempt.folder("shared")
      var counts = RecordCounts()
      var warnings: [RunWarning] = []
      for shared in work.loaded.shared {
        var shared = shared
        shared.storePath = folder + "/shared.sqlite"
        let summary = try run(shared, nil)
        counts = counts + summary.counts
        warnings += summary.warnings
      }
      template = (folder + "/shared.sqlite", counts, warnings)
    }
    guard let template else { return }
    do throws(StoreError) {
      try FileSystem.copy(template.path, to: path)
      try StoreMove.copy(companionsOf: template.path, to: path)
    } catch { throw FamilyError(error) }
  }

  private func run(_ definition: ImportDefinition, _ part: FamilyPlan.Part?) throws(FamilyError) -> ImportSummary {
    let session: ImportSession
    // The outputs of a part are in the attempt's folder; all else was checked when the pipeline was read.
    do throws(DiagnosticList) {
      if part != nil, let resolved {
        session = ImportSession(definition, like: resolved)
      } else {
        session = try ImportSession(definition, isChecked: part != nil)
      }
    } catch { throw FamilyError(error) }
    // The definitions of folders are of different columns.
    if part != nil, !plan.hasFolders { resolved = session }
    let summary: ImportSummary
    do throws(ImportError) { summary = try session.run() } catch { throw FamilyError(error) }
    guard summary.status == .limitBreached else { return summary }
    let name = part.map { "“\($0.value)”" } ?? definition.name
    throw FamilyError(
      .limitBreached, "\(name): \(summary.breach?.message ?? "too many rejects"); nothing that is published has changed"
    )
  }

  // MARK: Places

  /// Checks that the plan is still the one that is carried out.
  private func checkPlan() throws(FamilyError) {
    guard FamilyFiles.identity(work.files.plan) == work.planIdentity else {
      throw FamilyError(.otherPlan, "the family was planned again while the task ran: run the tasks of the new plan")
    }
  }

  private func publish(_ result: inout StoreFamily.Built) throws(FamilyError) {
    guard !ready.isEmpty else { return }
    do throws(StoreError) { try FileSystem.syncAll(attempt.path) } catch { throw FamilyError(error) }
    try checkPlan()
    // Until a family that is published is replaced as a whole, its stores stay.
    let isPublished = FileSystem.exists(work.files.success)
    let target = isPublished ? work.files.next : work.files.folder
    var folder = ""
    for store in ready {
      let part = plan.parts[store.part]
      let path = target + "/" + part.path
      if folder != FileSystem.folder(of: path) {
        folder = FileSystem.folder(of: path)
        try FamilyFiles.makeFolders(folder)
      }
      do throws(StoreError) {
        // A store that is there already stays the file that it is, so that it is not taken for a new one.
        if store.receipt.fits(in: work.files.folder, known: work.known) {
          try StoreMove.remove(store.path)
        } else if store.receipt.files.count > 1 {
          try StoreMove.move(store.path, to: path)
        } else {
          try FileSystem.rename(store.path, to: path)
        }
        work.known.move(store.path, to: path)
        if let rejects = store.rejects {
          try FileSystem.rename(rejects, to: work.files.rejects(part.name))
          work.known.move(rejects, to: work.files.rejects(part.name))
        } else {
          try FileSystem.remove(work.files.rejects(part.name))
        }
      } catch { throw FamilyError(error) }
    }
    for store in ready {
      let made = store.path + ".json"
      try FamilyFiles.append(store.receipt.json, to: made)
      do throws(StoreError) {
        try FileSystem.rename(made, to: work.files.receipt(plan.parts[store.part].name))
      } catch { throw FamilyError(error) }
      result.built += 1
      result.read += store.receipt.counts.read
      result.rejected += store.receipt.counts.rejected
      result.sharedRejected += store.receipt.shared.rejected
      result.sums.add(store.receipt)
    }
    ready = []
    readyBytes = 0
  }
}
