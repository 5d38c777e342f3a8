import MergewalkDiagnostics
import MergewalkSystem
import MergewalkPropertyLists
import MergewalkSQLite

/// The files in which a run into an existing store is planned: `.NAME.mergewalk-plan-DIGITS`, which records the state
/// of the store that it is for, and its `-wal`, which has all changes of the run; beside them `-later`, with the records
/// that wait for a second pass.
///
/// The digits come from the name of the pipeline: a pipeline does not resume the unfinished run of another one.
struct PlanFile {
  let path: String
  var log: String { path + "-wal" }
  var later: String { path + UnfinishedStoreNames.laterSuffix }
  /// The files beside the store that the run makes and replaces.
  var files: ExternalFileList { ExternalFileList(path: path + Self.filesSuffix) }
  static let filesSuffix = "-files"

  /// - Parameter run: What names the pipeline's runs.
  init(store: String, run: String) {
    path = StoreClaim.path(ofStore: store) + "-" + StorePath.digits(of: run)
  }

  /// Files for a plan that is thrown away, which spares another one.
  init(beside other: PlanFile) { path = other.path + Self.thrownAwaySuffix }

  private static let thrownAwaySuffix = "-dry"

  private init(path: String) { self.path = path }

  /// The suffixes of the files of a plan, without the list of files.
  private static let planSuffixes = ["", "-wal", UnfinishedStoreNames.laterSuffix]

  /// The plans of which any file is beside a store.
  struct Left {
    /// Those of runs that can be resumed.
    var resumable: [PlanFile] = []
    /// Those that are no longer of use, because the store already contains them or was changed since.
    var outdated: [PlanFile] = []
    /// All of them, while a process is at work with one: which of them fit the store is not known then.
    var atWork: [PlanFile] = []

    /// The files beside the store that unfinished runs have made: the rows that name them are still to come.
    ///
    /// - Throws: ``StoreError`` with `inputOutput`.
    func awaitedFiles() throws(StoreError) -> Set<String> {
      var names = Set<String>()
      for plan in resumable + atWork { names.formUnion(try plan.files.read().made) }
      return names
    }
  }

  /// The plans of which processes have left any file beside a store.
  ///
  /// - Parameter isClaimed: Whether the caller has the claim.
  /// - Throws: ``StoreError`` as opening a store, if there are any.
  static func left(ofStore store: String, isClaimed: Bool = false) throws(StoreError) -> Left {
    let plans = try all(ofStore: store, with: planSuffixes)
    guard !plans.isEmpty else { return Left() }
    if !isClaimed, try StoreClaim.isTaken(store) { return Left(atWork: plans) }
    var result = Left()
    let state = try StoreState(store)
    for plan in plans {
      if try plan.isResumable(state) { result.resumable.append(plan) } else { result.outdated.append(plan) }
    }
    return result
  }

  /// The lists of files that processes have left beside a store without a plan: those who applied it or gave it up did
  /// not come to remove the files.
  ///
  /// - Throws: ``StoreError`` with `inputOutput`.
  static func listsAlone(ofStore store: String) throws(StoreError) -> [PlanFile] {
    var lists: [PlanFile] = []
    for list in try all(ofStore: store, with: [filesSuffix]) {
      if try !list.hasPlan() { lists.append(list) }
    }
    return lists
  }

  /// The plans beside a store that were to be thrown away by processes that were killed; whoever asks has the claim.
  ///
  /// Those that cannot be found now can another time.
  static func thrownAway(ofStore store: String) -> [PlanFile] {
    ((try? all(ofStore: store, with: planSuffixes + [filesSuffix])) ?? []).filter(\.isThrownAway)
  }

  private static func all(ofStore store: String, with suffixes: [String]) throws(StoreError) -> [PlanFile] {
    let prefix = FileSystem.name(of: StoreClaim.path(ofStore: store)) + "-"
    let folder = FileSystem.folder(of: store)
    let paths = try FileSystem.namesIfThere(in: folder).compactMap { name -> String? in
      guard name.hasPrefix(prefix), name.count >= prefix.count + 16 else { return nil }
      var plan = name.prefix(prefix.count + 16)
      if name.dropFirst(plan.count).hasPrefix(thrownAwaySuffix) {
        plan = name.prefix(plan.count + thrownAwaySuffix.count)
      }
      return suffixes.contains(String(name.dropFirst(plan.count))) ? "\(folder)/\(plan)" : nil
    }
    return Set(paths).sorted().map { PlanFile(path: $0) }
  }

  private var isThrownAway: Bool { path.hasSuffix(Self.thrownAwaySuffix) }

  /// Whether anything is planned.
  ///
  /// - Throws: ``StoreError`` with `inputOutput`: a log that cannot be looked at is not none.
  func hasPlan() throws(StoreError) -> Bool { try FileSystem.sizeIfThere(log) ?? 0 > 0 }

  /// Whether something is planned for this state of the store.
  ///
  /// - Throws: ``StoreError`` with `inputOutput`: nothing is known of a plan that cannot be read.
  func isResumable(_ state: StoreState) throws(StoreError) -> Bool {
    guard !isThrownAway, try hasPlan(), let bytes = try FileSystem.headIfThere(path, count: 4096) else { return false }
    return (try? BinaryPropertyListReader.read(bytes)).flatMap(StoreState.init) == state
  }

  func remove() throws(StoreError) {
    try removePlan()
    try FileSystem.remove(files.path)
  }

  /// Removes what was planned: what cannot be removed does not keep the rest.
  ///
  /// The list of files stays, for whoever removes those that nothing names any more.
  func removePlan() throws(StoreError) {
    var failure: StoreError?
    for file in [log, later, path] {
      do throws(StoreError) { try FileSystem.remove(file) } catch { failure = failure ?? error }
    }
    if let failure { throw failure }
  }

  /// Begins a plan in the place of one that is there.
  func begin(_ state: StoreState, access: FileAccess) throws(StoreError) {
    try removePlan()
    var isDone = false
    let bytes = BinaryPropertyListWriter.write(state.list)
    try FileSystem.create(path, access: access) { buffer, _ in
      if isDone { return 0 }
      isDone = true
      buffer.copyBytes(from: bytes)
      return bytes.count
    }
  }
}

extension StoreFile {
  /// Whether an earlier process has planned a part of a run that the next one resumes; the store is not open.
  ///
  /// - Parameter run: What names the pipeline's runs.
  /// - Throws: ``StoreError`` as opening a store, or with `inputOutput`, if there is a plan.
  package static func hasResumablePlan(path: String, run: String) throws(StoreError) -> Bool {
    let path = StorePath.resolved(path)
    let plan = PlanFile(store: path, run: run)
    guard try plan.hasPlan() else { return false }
    return try plan.isResumable(StoreState(path))
  }
}

/// The state by which a store is recognized: the file's number, size and times, and the part of its log beyond it.
struct StoreState: Equatable {
  private let numbers: [Int64]

  /// - Parameter log: What the log holds that is not in the file.
  init(_ path: String, log: DatabaseSnapshot.LogState) {
    guard let info = stat(path: path) else {
      numbers = []
      return
    }
    // The time of change cannot be set back by any program.
    numbers =
      [
        Int64(info.st_ino), Int64(info.st_size), Int64(info.st_mtim.tv_sec), Int64(info.st_mtim.tv_nsec),
        Int64(info.st_ctim.tv_sec), Int64(info.st_ctim.tv_nsec), Int64(log.frames),
      ] + log.marks.map { Int64($0) }
  }

  /// The state of a store that is not open; it is left as it is.
  init(_ path: String) throws(StoreError) {
    let log = try ReadableStore.withConnection(path) { connection throws(StoreError) in
      try connection.mapped { () throws(SQLiteError) in try DatabaseSnapshot(connection).log }
    }
    self.init(path, log: log)
  }

  var list: PropertyList { .array(numbers.map { .integer($0) }) }

  /// Reads what ``list`` wrote; `nil` when it is something else.
  init?(_ list: PropertyList) {
    guard let numbers = list.elements?.compactMap(\.integer), numbers.count >= 7 else { return nil }
    self.numbers = numbers
  }
}
