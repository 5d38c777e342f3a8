import MergewalkObjectStore

/// The objects of a hierarchy that the records of one import have named, so that each is counted once; or those of all
/// imports of a run, so that none of them goes.
///
/// One bit for each primary key up to the greatest one named, whatever the strategy of finding; objects that the run
/// itself has created need no bit if only earlier objects are counted.
final class NamedObjects {
  private let marks = ObjectMarks()
  /// Objects from this key on do not count.
  private let end: Int64
  /// Objects before this key do not count, either.
  private let start: Int64
  /// Objects up to this key were all named.
  private let namedUpTo: Int64
  /// The keys that were added since ``mark()``.
  private var added: ContiguousArray<Int64> = []
  /// Those that were added before, since ``beginAttempt()``; `nil` outside of one.
  private var attempt: ContiguousArray<Int64>?
  /// Those that were added since the last checkpoint; `nil` where checkpoints keep none.
  private var fresh: ObjectMarks?

  init(below end: Int64 = .max, from start: Int64 = 0, namedUpTo: Int64 = 0, isKept: Bool = false) {
    self.end = end
    self.start = start
    self.namedUpTo = namedUpTo
    fresh = isKept ? ObjectMarks() : nil
  }

  /// Notes for good that a record names an object; whether it is the first to do so.
  @inline(__always)
  func note(_ key: Int64) -> Bool {
    guard key > namedUpTo, marks.insert(key) else { return false }
    fresh?.mark(key)
    return true
  }

  /// Whether a record has named an object.
  @inline(__always)
  func contains(_ key: Int64) -> Bool { key <= namedUpTo || marks.contains(key) }

  /// Notes that a record names an object; whether it counts and is the first to do so.
  @inline(__always)
  func isFirst(_ key: Int64) -> Bool {
    guard key >= start, key < end, !contains(key) else { return false }
    add(key)
    return true
  }

  // Out of the loop that asks: most records name objects that were named before.
  @inline(never)
  private func add(_ key: Int64) {
    marks.mark(key)
    added.append(key)
  }

  /// Remembers what is known for ``undo()``.
  func mark() {
    attempt?.append(contentsOf: added)
    if let fresh { for key in added { fresh.mark(key) } }
    added.removeAll(keepingCapacity: true)
  }

  /// Remembers what is known for ``endAttempt(isKept:)``, whatever is marked and undone meanwhile.
  func beginAttempt() {
    mark()
    attempt = []
  }

  /// Ends what several objects of this kind may have begun; unless it is kept, forgets what was noted since.
  func endAttempt(isKept: Bool) {
    mark()
    if let attempt, !isKept {
      for key in attempt {
        marks.remove(key)
        fresh?.remove(key)
      }
    }
    attempt = nil
  }

  /// Keeps with the plan, in the open transaction, what was noted since the last time.
  func keep(_ file: StoreFile, as kind: StoreFile.KeptKeys) throws(StoreError) {
    mark()
    guard let fresh, fresh.count > 0 else { return }
    self.fresh = ObjectMarks()
    try fresh.forEach(chunk: 1 << 16) { (keys) throws(StoreError) in try file.keep(Array(keys), as: kind) }
  }

  /// Takes over what an earlier process has kept.
  func take(_ file: StoreFile, as kind: StoreFile.KeptKeys) throws(StoreError) {
    try file.forEachKept(kind) { marks.mark($0) }
  }

  /// Forgets what was noted since ``mark()``.
  func undo() {
    for key in added { marks.remove(key) }
    added.removeAll(keepingCapacity: true)
  }
}
