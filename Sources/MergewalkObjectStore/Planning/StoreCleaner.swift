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
    /// The plans that cannot be resumed because another program has written to the store since.
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
  ///   - isDryRun: Whether to only list the files.
  /// - Throws: ``StoreError`` as opening a store, and as ``StoreModel/find(path:explicit:)``.
  public static func clean(
    path: String, model: ManagedObjectModel? = nil, isDryRun: Bool = false
  ) throws(StoreError) -> Leftovers {
    let found = try StoreModel.find(path: path, explicit: model)
    let path = try StorePath.existing(path)
    // Without a run, and without a process that has made a file and not yet committed the row.
    let claim = try StoreClaim.take(path, wait: 2)
    defer { claim.giveBack() }
    let plans = PlanFile.all(ofStore: path)
    let state = try StoreState(path)
    let file = try StoreFile.open(path: path, model: found.model, configuration: found.configuration)
    defer { try? file.rollBackRun() }
    var named = try file.schema.externalFileNames(file.connection)
    var result = Leftovers()
    for plan in plans {
      if plan.state == state {
        // What it has made belongs to rows that are still to come.
        named.formUnion(ExternalFileList(path: plan.files).read().made)
        result.resumablePlans.append(plan.path)
      } else {
        result.outdatedPlans.append(plan.path)
      }
    }
    result.orphans = ExternalFiles.names(besideStore: path).subtracting(named).sorted()
    result.otherStores = StoresOfSameName.paths(beside: path)
    if !result.otherStores.isEmpty { swap(&result.orphans, &result.sharedFiles) }
    if isDryRun { return result }
    for plan in plans where plan.state != state { try plan.remove() }
    file.externalFiles.remove(result.orphans)
    let staying = file.externalFiles.staying.sorted()
    if let name = staying.first {
      throw StoreError(
        .inputOutput, path: path,
        message: "\(staying.count) of \(result.orphans.count) files that no row names cannot be removed, such as"
          + " \(ExternalData.folder(ofStore: path))/\(name)")
    }
    for list in PlanFile.listsAlone(ofStore: path) { try list.remove() }
    for list in UnfinishedStoreNames(path).listsAlone() { try FileSystem.remove(list.path) }
    return result
  }
}
