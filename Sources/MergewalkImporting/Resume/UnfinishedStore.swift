import MergewalkObjectStore

/// A new store that an earlier process has begun to build, and the decision about it.
///
/// It is invisible before it has its name, so in case of doubt it is removed and the run starts over. The rows of its
/// process last as long as the machine runs; if the machine has stopped since, only those written durably do.
struct UnfinishedStore {
  private let definition: ImportDefinition
  /// Why an existing store is not resumed.
  private(set) var refusal: String?

  init(_ definition: ImportDefinition) { self.definition = definition }

  /// Whether another process may resume the run's new store: not with what is thrown away, and not with one that comes
  /// out the same each time.
  static func isKept(_ definition: ImportDefinition) -> Bool { !definition.isDryRun && definition.hashSeed == nil }

  /// Opens the store; `nil` when there is none to resume.
  mutating func adopt(cacheKiB: Int) throws -> StoreFile? {
    guard Self.isKept(definition), definition.policy.unfinished != .restart else { return nil }
    var refusal: String?
    defer { self.refusal = refusal }
    do throws(StoreError) {
      return try StoreFile.adopt(
        path: definition.storePath, model: definition.model, cacheKiB: cacheKiB, lockWait: definition.policy.lockWait
      ) { metadata, hiddenPath, isDurable in
        guard Self.isUnfinished(metadata) else { return false }
        refusal = self.refusal(metadata, hiddenPath, isDurable)
        return refusal == nil
      }
    } catch {
      guard error.code == .incompatibleModel else { throw error }
      throw ImportError(
        code: .pipelineChanged,
        message:
          "the unfinished run of \(definition.name) cannot resume: the model is no longer the same as when the"
          + " run began; start over with --restart")
    }
  }

  /// Whether there is one to resume; it is only looked at.
  func isThere() throws(StoreError) -> Bool {
    guard Self.isKept(definition) else { return false }
    return try StoreFile.hasUnfinished(path: definition.storePath) { metadata, hiddenPath, isDurable in
      Self.isUnfinished(metadata) && refusal(metadata, hiddenPath, isDurable) == nil
    }
  }

  /// A complete store that was to get its name has no runs.
  private static func isUnfinished(_ metadata: StoreMetadata) -> Bool { !metadata.mergewalk.runs.names.isEmpty }

  /// Why a store is not resumed; `nil` when it is.
  private func refusal(_ metadata: StoreMetadata, _ hiddenPath: String, _ isDurable: Bool) -> String? {
    let runs = metadata.mergewalk.runs
    guard let saved = runs[definition.journalName] else {
      return "a new store that another pipeline (\(runs.names.joined(separator: ", "))) has not finished was dropped"
    }
    guard let checkpoint = RunCheckpoint(saved) else {
      return "an unfinished run was dropped: its checkpoint is not one of this version of mergewalk"
    }
    let about = "the unfinished run \(checkpoint.run) was dropped"
    guard isDurable || !checkpoint.boot.isEmpty else { return "\(about): nothing tells that its new store is whole" }
    guard isDurable || checkpoint.boot == BootIdentity.current else {
      return "\(about): the machine has stopped since, and its new store may not be whole"
    }
    guard checkpoint.later ?? 0 <= FileSystem.size(StoreFile.laterPath(hiddenPath)) ?? 0 else {
      return "\(about): the file of records that were put off is not whole"
    }
    return nil
  }
}
