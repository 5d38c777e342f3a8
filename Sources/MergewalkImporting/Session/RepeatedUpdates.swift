import MergewalkObjectStore

/// Objects that several records of one import change, and that may end as they began.
///
/// A file that names an object twice, with different values, changes it and changes it back in each run. Such records
/// count as unchanged, and the store is not written for them.
final class RepeatedUpdates {
  /// The objects that a record has changed.
  private let changed = ObjectMarks()
  /// The number of further records that have changed an object, for at most ``most`` objects.
  private var again: [Int64: Int] = [:]

  /// The most objects that are compared again, so that memory stays bounded; the records of any others stay updated.
  static let most = 1 << 18

  /// Noted since the last checkpoint.
  private var fresh: [Int64] = []

  /// Notes that a record has changed its object.
  @inline(__always)
  func note(_ key: Int64) {
    fresh.append(key)
    count(key)
  }

  @inline(__always)
  private func count(_ key: Int64) { if !changed.insert(key) { noteAgain(key) } }

  /// Notes an object that an earlier process has kept with the plan.
  func take(kept key: Int64) { count(key) }

  /// The objects to keep with the next checkpoint.
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
    do { try file.forEachKept(.updates(part: part), updates.take) } catch { throw ImportError(error) }
    self.updates = updates
  }

  /// Keeps with the plan, in the open transaction, what was noted since the last time.
  func keepUpdates(_ file: StoreFile, part: Int) throws(ImportError) {
    guard let updates else { return }
    do { try file.keep(updates.takeFresh(), as: .updates(part: part)) } catch { throw ImportError(error) }
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
