import MergewalkImporting

/// What a run says, by the reference importer or by the real one.
struct RunOutcome {
  /// A rejected record.
  struct Reject: Hashable, Comparable, CustomStringConvertible {
    /// The import's number, from 0.
    var part = 0
    /// The file's number, from 0.
    var file: Int
    /// The record's number in its file, from 1.
    var record: Int
    /// The codes of all reasons, sorted.
    var codes: [String]

    static func < (left: Reject, right: Reject) -> Bool {
      (left.part, left.file, left.record, left.codes.joined()) < (
        right.part, right.file, right.record, right.codes.joined()
      )
    }

    var description: String { "\(part)/\(file)#\(record) \(codes.joined(separator: "+"))" }
  }

  /// Why there is no result: the code of the error.
  var failure: String?
  var status = "completed"
  /// How the rows were written; not compared.
  var load = ""
  /// Records by import: read, inserted, updated, unchanged, skipped, rejected.
  var parts: [ImportSummary.PartCounts] = []
  var entities: [String: ImportSummary.EntityCounts] = [:]
  var deleted = 0
  var marked = 0
  var denied = 0
  /// Warnings that a record looks like a header; nil where they are not compared.
  var doubtfulHeaders: Int?
  /// Warnings that there is nothing in a file; nil where they are not compared.
  var emptyFiles: Int?
  /// Columns of headers that warnings say nothing uses; nil where they are not compared.
  var unusedColumns: [String]?
  /// Rejects in the file of rejects; nil when there is no file.
  var rejects: [Reject]?
  /// What became of elements, by relationship.
  var links: [String: Int] = [:]
  /// What the column that only grows has reached, by import.
  var cursors: [CursorValue?] = []

  /// What differs in another outcome.
  func differences(_ real: RunOutcome) -> [String] {
    var found: [String] = []
    func compare<Value: Equatable>(_ name: String, _ wanted: Value, _ actual: Value) {
      if wanted != actual { found.append("\(name) is \(actual), must be \(wanted)") }
    }
    compare("failure", failure, real.failure)
    guard failure == nil, real.failure == nil else { return found }
    compare("status", status, real.status)
    guard status != "limit_breached" else { return found }
    for (index, part) in parts.enumerated() where index < real.parts.count {
      let other = real.parts[index]
      compare("\(part.entity).read", part.read, other.read)
      compare("\(part.entity).inserted", part.inserted, other.inserted)
      compare("\(part.entity).updated", part.updated, other.updated)
      compare("\(part.entity).unchanged", part.unchanged, other.unchanged)
      compare("\(part.entity).skipped", part.skipped, other.skipped)
      compare("\(part.entity).rejected", part.rejected, other.rejected)
    }
    compare("parts", parts.count, real.parts.count)
    for name in Set(entities.keys).union(real.entities.keys).sorted() {
      let (mine, other) = (entities[name] ?? .init(), real.entities[name] ?? .init())
      compare("entities.\(name)", Self.text(mine), Self.text(other))
    }
    compare("links", links.sorted { $0.key < $1.key }.description, real.links.sorted { $0.key < $1.key }.description)
    compare("deleted", deleted, real.deleted)
    compare("marked", marked, real.marked)
    compare("denied", denied, real.denied)
    if let doubtfulHeaders { compare("warnings of headers", doubtfulHeaders, real.doubtfulHeaders) }
    if let emptyFiles { compare("warnings of empty files", emptyFiles, real.emptyFiles) }
    if let unusedColumns { compare("unused columns", unusedColumns, real.unusedColumns) }
    compare("cursors", "\(cursors)", "\(real.cursors)")
    if let rejects, let others = real.rejects {
      let (missing, surplus) = (Self.without(rejects, others), Self.without(others, rejects))
      if !missing.isEmpty { found.append("rejects lack \(missing)") }
      if !surplus.isEmpty { found.append("rejects have \(surplus)") }
    }
    return found
  }

  private static func text(_ counts: ImportSummary.EntityCounts) -> String {
    "inserted \(counts.inserted), updated \(counts.updated), duplicates \(counts.duplicates), deleted"
      + " \(counts.deleted), marked \(counts.marked)"
  }

  /// What is in one list and not in the other, as often as it is.
  static func without<Element: Hashable & Comparable>(_ list: [Element], _ other: [Element]) -> [Element] {
    var counts: [Element: Int] = [:]
    for element in other { counts[element, default: 0] += 1 }
    return list.filter { element in
      guard let count = counts[element], count > 0 else { return true }
      counts[element] = count - 1
      return false
    }.sorted()
  }
}
