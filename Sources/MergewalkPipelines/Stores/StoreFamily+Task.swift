import MergewalkDiagnostics
import MergewalkImporting
import MergewalkObjectStore
import MergewalkRecordFormats
import Synchronization
import MergewalkThreads

extension StoreFamily {
  /// Builds the missing stores of one of several tasks.
  ///
  /// It may run again, in parallel with itself, and may be killed: a store and its receipt appear complete, and every
  /// attempt produces the same bytes.
  ///
  /// - Parameters:
  ///   - number: The number of the task, from 1.
  ///   - count: The number of tasks.
  ///   - jobs: The number of threads that build stores.
  /// - Throws: ``FamilyError``; stores built earlier stay.
  public func task(number: Int = 1, of count: Int = 1, jobs: Int = 1) throws(FamilyError) -> Built {
    precondition(number >= 1 && number <= count && jobs >= 1, "tasks are numbered from 1 on")
    let planIdentity = FamilyFiles.identity(files.plan)
    let plan = try readPlan()
    let loaded = try load(plan)
    let groups = plan.groups(ofTask: number - 1, of: count)
    try checkSources(plan, of: count == 1 ? nil : groups.flatMap { $0 })
    try files.make()
    let work = FamilyWork(
      files: files, plan: plan, loaded: loaded, folders: try folderReading(plan), planIdentity: planIdentity,
      known: known,
      states: split?.identity == planIdentity ? split?.states ?? [] : [])
    guard jobs > 1, groups.count > 1 else {
      var result = Built()
      let task = try FamilyTask(work)
      for group in groups { try task.run(group, &result) }
      try task.finish(&result)
      return result
    }
    // Whoever is free takes the next group.
    let queue = Mutex<(next: Int, built: Built, failure: FamilyError?)>((0, Built(), nil))
    let build: @Sendable () -> Void = {
      var result = Built()
      do throws(FamilyError) {
        let task = try FamilyTask(work)
        while true {
          let next = queue.withLock { state -> Int? in
            guard state.failure == nil, state.next < groups.count else { return nil }
            state.next += 1
            return state.next - 1
          }
          guard let next else { break }
          try task.run(groups[next], &result)
        }
        try task.finish(&result)
      } catch {
        queue.withLock { $0.failure = $0.failure ?? error }
      }
      let done = result
      queue.withLock { $0.built += done }
    }
    // Parsers of formats that nest recurse as deep as their limits say, on these threads too.
    let workers = (0..<min(jobs, groups.count)).compactMap { _ in Worker(stack: 8 << 20, build) }
    // Where the system has no thread to give, the caller does all of it.
    if workers.isEmpty { build() }
    for worker in workers { worker.join() }
    return try queue.withLock { (state) throws(FamilyError) in
      if let failure = state.failure { throw failure }
      return state.built
    }
  }
}

/// The state that all threads of a task share.
struct FamilyWork: Sendable {
  let files: FamilyFiles
  let plan: FamilyPlan
  let loaded: LoadedFamily
  /// How the files of folders are read that another program has split; nil where they are not to be read.
  let folders: FolderReading?
  /// Tells whether the plan's file is still the one that was read.
  let planIdentity: String?
  let known: KnownFiles
  /// For each unit of the spool the states of its files, when this process has written them; else nothing.
  let states: [[String: FileState]]
}

/// How the files of folders called `key=value` are read: as the pipeline says, and not as the records of a spool.
struct FolderReading: Sendable {
  let format: RecordFormat
  let container: ContainerOptions
  /// See ``ImportDefinition/outcomeDigest``.
  let outcome: String
}

extension StoreFamily {
  /// How the files of folders are read; nil where the records are in a spool, and where the first file is gone: stores
  /// that are ready do not need it.
  private func folderReading(_ plan: FamilyPlan) throws(FamilyError) -> FolderReading? {
    guard let first = plan.parts.first(where: { !$0.files.isEmpty })?.files.first, FileSystem.exists(first.path) else {
      return nil
    }
    var settings = PipelineSettings()
    settings.variables = Variables(assignments: plan.variables)
    settings.sourcePaths = [first.path]
    settings.checksHeaders = false
    do throws(DiagnosticList) {
      let pipeline = try Pipeline.read(plan.pipelinePath, settings: settings)
      hide(pipeline.redaction)
      guard let part = pipeline.definition.parts.first else { return nil }
      return FolderReading(
        format: part.format, container: part.sources.first?.container ?? ContainerOptions(),
        outcome: pipeline.definition.outcomeDigest)
    } catch { throw FamilyError(error) }
  }
}
