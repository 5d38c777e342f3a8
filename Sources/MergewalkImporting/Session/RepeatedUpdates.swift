import MergewalkObjectStore

/// Objects that several records of one import have changed: what they were before may be what they are at the end.
///
/// A file that names an object twice, with other values each time, changes it and changes it back in each run. Such
/// records are unchanged, and the store is not written for them.
final class RepeatedUpdates {
  /// The objects that a record has changed.
  private let changed = ObjectMarks()
  /// How many records more have changed an object, of at most ``most`` objects.
  private var again: [Int64: Int] = [:]

  /// The most objects that are looked at again; those beyond stay updated.
  static let most = 1 << 20

  /// What was noted since it was kept with the plan.
  private var fresh: [Int64] = []

  /// Notes that a record has changed its object.
  @inline(__always)
  func note(_ key: Int64) {
    fresh.append(key)
    count(key)
  }

  @inline(__always)
  private func count(_ key: Int64) { if !changed.insert(key) { noteAgain(key) } }

  /// Notes what an earlier process has kept.
  func take(_ kept: [Int64]) { for key in kept { count(key) } }

  /// What has to be kept now.
  func takeFresh() -> [Int64] {
    defer { fresh.removeAll(keepingCapacity: true) }
    return fresh
  }

  @inline(never)
  private func noteAgain(_ key: Int64) {
    if again[key] != nil || again.count < Self.most { again[key, default: 0] += 1 }
  }

  /// The objects that more than one record has changed, in ascending order.
  var keys: [Int64] { again.keys.sorted() }

  /// How many records have changed an object that several have changed.
  func records(_ key: Int64) -> Int { again[key].map { $0 + 1 } ?? 0 }
}

extension BatchImporter {
  /// Begins to note which objects several records change, where the last of them counts and each record changes nothing
  /// but its own object.
  ///
  /// - Parameter part: The number of the part; what an earlier process has kept of it is taken over.
  func noteRepeatedUpdates(_ file: StoreFile, part: Int) throws(ImportError) {
    let root = nodes[plan.root]
    guard root.plan.duplicates == .last, root.plan.mode.updates, lists.isEmpty, !root.plan.keyFields.isEmpty else {
      return
    }
    let updates = RepeatedUpdates()
    do { updates.take(try file.keptUpdates(part: part)) } catch { throw ImportError(error) }
    self.updates = updates
  }

  /// Keeps with the plan, in the open transaction, what was noted since the last time.
  func keepUpdates(_ file: StoreFile, part: Int) throws(ImportError) {
    guard let updates else { return }
    do { try file.keepUpdates(updates.takeFresh(), part: part) } catch { throw ImportError(error) }
  }

  /// Counts the records as unchanged whose objects are what they were before the run.
  ///
  /// - Parameter file: The store; its rows get the versions again that they had.
  func takeBackUpdates(_ file: StoreFile) throws(ImportError) {
    guard let updates, !updates.keys.isEmpty else { return }
    let root = nodes[plan.root]
    let same: [Int64]
    do throws(StoreError) {
      same = try file.takeBackVersions(root: root.plan.rootEntity, primaryKeys: updates.keys)
    } catch { throw ImportError(error) }
    let records = same.reduce(0) { $0 + updates.records($1) }
    ledger.takeBackUpdates(records)
    root.counts.updated -= records
    root.counts.unchanged += records
    sample?.remove(updatesOf: Set(same), root: root.plan.rootEntity)
  }
}
