import MergewalkObjectModel
import MergewalkObjectStore
import MergewalkRecordFormats

/// Notes the objects that the records of one part name, as their own or as the target of a relationship.
///
/// A rejected record still names its object: a bad record is not a missing one. A record with an unreadable key names
/// an unknown object, and is counted.
final class SyncWatch {
  /// For each node of the plan the marks of its table, or `nil` when nothing goes from there.
  private let marks: [NamedObjects?]
  /// The same by root entity, for the elements of lists.
  let marksByRoot: [RootIndex: NamedObjects]
  /// Whether elements of lists may name objects that go.
  let watchesLists: Bool
  private let root: Int
  /// The objects that an attribute says are gone, in the table of the part's own entity.
  private let gone: ObjectMarks?
  /// Records whose key cannot be read.
  private(set) var unreadable = 0

  /// - Parameters:
  ///   - marks: the marks of each table that objects may go from, by root entity.
  ///   - gone: the objects that an attribute says are gone.
  init(plan: ImportPlan, marks: [RootIndex: NamedObjects], gone: ObjectMarks?) {
    self.marks = plan.nodes.map { marks[$0.rootEntity] }
    marksByRoot = marks
    watchesLists = Self.lists(plan.lists, name: marks)
    root = plan.root
    self.gone = gone
  }

  /// Remembers what is marked for ``undo()``.
  func mark() { for marks in marksByRoot.values { marks.mark() } }

  /// Forgets what elements have named since ``mark()``: in another order they may name other objects.
  func undo() { for marks in marksByRoot.values { marks.undo() } }

  /// Keeps with the plan, in the open transaction, what was marked since the last time.
  func keepMarks(_ file: StoreFile) throws(StoreError) {
    for (root, marks) in marksByRoot.sorted(by: { $0.key < $1.key }) { try marks.keep(file, as: .named(root: root)) }
  }

  /// Counts records whose key cannot be read.
  func noteUnreadable(_ count: Int) { unreadable += count }

  /// Marks an object of a node as named.
  func mark(_ primaryKey: Int64, node: Int) {
    if primaryKey > 0 { _ = marks[node]?.note(primaryKey) }
  }

  /// Whether an attribute says that an object of the records' own entity is gone.
  func isGone(_ primaryKey: Int64) -> Bool { gone?.contains(primaryKey) ?? false }

  /// Ensures that records which name objects that are gone are not taken for unchanged.
  func prepare(_ state: NodeImporter) {
    guard let gone, gone.count > 0 else { return }
    state.finder.forgetContents { gone.contains($0) }
  }

  /// Marks the objects that the records of a view name; its rows are written, and its records are settled.
  ///
  /// - Parameter first: The outcomes before anything was looked for: records that are skipped there are left out.
  func note(
    _ view: BatchView, _ first: ContiguousArray<RecordLedger.Outcome>, _ importer: BatchImporter
  ) throws(ImportError) {
    for (node, marks) in marks.enumerated() {
      guard let marks else { continue }
      let targets = view.nodes[node].targets
      for record in view.records where targets[record] > 0 && view.outcomes[record] != .rejected {
        _ = marks.note(targets[record])
      }
    }
    try noteRejected(view, first, importer)
  }

  /// Marks the objects that rejected and repeated records name, as what they stand for or as targets.
  private func noteRejected(
    _ view: BatchView, _ first: ContiguousArray<RecordLedger.Outcome>, _ importer: BatchImporter
  ) throws(ImportError) {
    let rejected = rejectedRecords(view, importer)
    if !rejected.isEmpty { try lookUp(rejected, view, importer) }
    for (node, marks) in marks.enumerated() where node != root && marks != nil {
      try lookUp(usable(node, view, first, importer), view, importer, node: node)
    }
  }

  /// The rejected records that name an object; counts the unknown ones.
  private func rejectedRecords(_ view: BatchView, _ importer: BatchImporter) -> ContiguousArray<Int32> {
    guard marks[root] != nil else { return [] }
    var found = ContiguousArray<Int32>()
    for record in view.records where view.outcomes[record] == .rejected {
      if importer.isUsable(record, root, view) { found.append(Int32(record)) } else { unreadable += 1 }
    }
    return found
  }

  private func usable(
    _ node: Int, _ view: BatchView, _ first: ContiguousArray<RecordLedger.Outcome>, _ importer: BatchImporter
  ) -> ContiguousArray<Int32> {
    var found = ContiguousArray<Int32>()
    // What is looked for when the record's own object is known, or in a second pass, is never looked for of a record that
    // is skipped, because it repeats a key or has no object.
    let isLate = importer.nodes[node].isPostponed || importer.nodes[node].isLateTarget
    for record in view.records {
      let isSkipped = isLate && view.outcomes[record] == .skipped && first[record] != .skipped
      guard isSkipped || view.outcomes[record] == .rejected else { continue }
      if importer.isUsable(record, node, view) { found.append(Int32(record)) }
    }
    return found
  }

  /// Marks the objects that rejected records refer to by a relationship of a second pass.
  func noteTargets(ofRejected view: BatchView, node: Int, _ importer: BatchImporter) throws(ImportError) {
    guard marks[node] != nil else { return }
    let rejected = view.records.filter { view.outcomes[$0] == .rejected && importer.isUsable($0, node, view) }
    if !rejected.isEmpty { try lookUp(ContiguousArray(rejected.map { Int32($0) }), view, importer, node: node) }
  }

  /// Marks the objects of records without doing anything to them.
  private func lookUp(
    _ records: ContiguousArray<Int32>, _ view: BatchView, _ importer: BatchImporter, node: Int? = nil
  ) throws(ImportError) {
    let marks = self.marks[node ?? root]
    let state = importer.nodes[node ?? root]
    try state.finder.lookUp(records, state, view, importer) { _ = marks?.note($1) }
  }
}
