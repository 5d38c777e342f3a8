public import MergewalkObjectModel

/// Removes files that killed processes have left beside a store: files that no row names, plans that no longer fit the
/// store, and hidden files of unfinished stores.
public enum StoreCleaner {
  /// The leftovers of interrupted runs.
  public struct Leftovers: Sendable {
    /// The files with values that no row names.
    public var orphans: [String] = []
    /// The files with values that no row of the store names and that stay, as ``otherStores`` may name them.
    public var sharedFiles: [String] = []
    /// The stores whose values are in the same folder: those with the same name but for the extension.
    public var otherStores: [String] = []
    /// The plans that cannot be resumed because the store already contains them, or another program has written to it since.
    public var outdatedPlans: [String] = []
    /// The plans of runs that can be resumed; they stay.
    public var resumablePlans: [String] = []

    /// Whether there is nothing to remove.
    public var isEmpty: Bool { orphans.isEmpty && outdatedPlans.isEmpty }
  }

  /// Removes leftovers beside a store; no other process may have it open in the meantime.
  ///
  /// - Parameters:
  ///   - path: The store's path.
  ///   - model: The store's model; `nil` for the copy that it carries.
  ///   - isDryRun: Whether to only list the files: then nothing is written, and other processes may have it open.
  /// - Throws: ``StoreError`` as opening a store, and as ``StoreModel/find(path:explicit:)``.
  public static func clean(
    path: String, model: ManagedObjectModel? = nil, isDryRun: Bool = false
  ) throws(StoreError) -> Leftovers {
    let found = try StoreModel.find(path: path, explicit: model)
    let path = try StorePath.existing(path)
    // A dry run writes nothing, not even what keeps others out.
    if isDryRun {
      try StoreClaim.requireFree(path)
      let plans = try PlanFile.left(ofStore: path)
      return try PersistentStore.withReadableStore(path, found) { store throws(StoreError) in
        try leftovers(of: store.file, plans)
      }
    }
    // Without a run, and without a process that has made a file and not yet committed the row.
    let claim = try StoreClaim.take(path, wait: 2)
    defer { claim.giveBack() }
    let plans = try PlanFile.left(ofStore: path, isClaimed: true)
    let file = try StoreFile.open(path: path, model: found.model, configuration: found.configuration)
    defer { try? file.rollBackRun() }
    let result = try leftovers(of: file, plans)
    for plan in plans.outdated { try plan.remove() }
    file.externalFiles.remove(result.orphans)
    let staying = file.externalFiles.staying.sorted()
    if let name = staying.first {
      throw StoreError(
        .inputOutput, path: path,
        message: "\(staying.count) of \(result.orphans.count) files that no row names cannot be removed, such as"
          + " \(ExternalData.folder(ofStore: path))/\(name)")
    }
    for list in try PlanFile.listsAlone(ofStore: path) { try list.remove() }
    for list in UnfinishedStoreNames(path).listsAlone() { try FileSystem.remove(list.path) }
    ExternalData.removeEmptyFolder(ofStore: path)
    return result
  }

  private static func leftovers(of file: StoreFile, _ plans: PlanFile.Left) throws(StoreError) -> Leftovers {
    // First the files: one whose row comes meanwhile is no orphan.
    let present = try ExternalFiles.names(besideStore: file.path)
    let named = try file.schema.externalFileNames(file.connection).union(plans.awaitedFiles())
    var result = Leftovers()
    result.resumablePlans = plans.resumable.map(\.path)
    result.outdatedPlans = plans.outdated.map(\.path)
    result.orphans = present.subtracting(named).sorted()
    result.otherStores = try StoresOfSameName.paths(beside: file.path)
    if !result.otherStores.isEmpty { swap(&result.orphans, &result.sharedFiles) }
    return result
  }
}
