import MergewalkImporting
import MergewalkRecordFormats

/// The policies of the pipeline, for readers who have only the page.
extension RunReport {
  /// The policies that were applied, the usual ones included.
  var policies: String {
    var rows: [(String, String)] = []
    for part in definition.parts {
      let name = definition.parts.count > 1 ? "\(part.name): " : ""
      let keys = part.root.findBy.map(\.attributeName)
      rows.append(
        (name + "mode", part.root.mode.rawValue + (keys.isEmpty ? "" : ", objects found by \(Self.list(keys))")))
      if !keys.isEmpty { rows.append((name + "several records with the same key", Self.words(part.root.duplicates))) }
      if part.root.mode.removesOthers {
        rows.append((name + "objects that no record names", Self.words(part.root.sync)))
      }
      rows += missing(part.root, name)
      if let since = part.since {
        rows.append((name + "incremental", "records after the last value of “\(since.column)” of the last run"))
      }
      if let filter = part.filter { rows.append((name + "where", filter.text)) }
    }
    rows.append(("rejects", Self.words(definition.rejects)))
    let policy = definition.policy
    rows.append(("the same inputs again", definition.effectiveAgain.rawValue))
    rows.append(
      (
        "another program writes to the store",
        policy.storeChanged == .again ? "the run is planned again" : "the run fails"
      ))
    rows.append(("large loads into a new store", "past SQLite: \(policy.direct.rawValue)"))
    rows.append(
      (
        "batches",
        "\(Figures.count(definition.batchLimit.records, "record")) or \(Figures.bytes(definition.batchLimit.bytes))"
      ))
    if !definition.reporting.notifications.isEmpty {
      rows.append(("notifications", Self.list(definition.reporting.notifications.map(\.name))))
    }
    if !definition.objects.isEmpty { rows = [("mode", "whole objects with their identities, into a new store")] }
    let lines = rows.prefix(Self.mostRows).map {
      "<tr><td>\(HTMLText.escaped($0.0))</td><td class=\"left\">\(HTMLText.escaped($0.1))</td></tr>"
    }
    return "<h2>Policies</h2><div class=\"card\"><table>\(lines.joined())</table></div>"
  }

  private static func list(_ names: [String]) -> String { names.isEmpty ? "nothing" : names.joined(separator: ", ") }

  /// The handling of references that lead nowhere.
  private func missing(_ entity: EntityImport, _ part: String) -> [(String, String)] {
    entity.relationships.flatMap { relationship in
      let target = relationship.target
      let words =
        switch relationship.missing {
        case .create: "the object is created"
        case .reject: "the record is rejected"
        case .null: "the reference stays empty"
        }
      return [("\(part)\(entity.entityName).\(relationship.name) does not exist", words)] + missing(target, part)
    }
  }

  private static func words(_ policy: DuplicatePolicy) -> String {
    switch policy {
    case .last: "the last one counts"
    case .first: "the first one counts"
    case .reject: "all but the first are rejected"
    }
  }

  private static func words(_ sync: SyncPolicy) -> String {
    var words = [sync.softDelete.map { "marked in “\($0)”" } ?? "removed: \(sync.deletion.rawValue)"]
    if let limit = sync.limit { words.append("at most \(Figures.grouped(limit))") }
    if let ratio = sync.ratio { words.append("at most \(Figures.share(ratio))") }
    if let scope = sync.scopeText { words.append("where \(scope.text)") }
    return words.joined(separator: ", ")
  }

  private static func words(_ policy: RejectPolicy) -> String {
    var words: [String] = []
    if let limit = policy.limit { words.append("at most \(Figures.grouped(limit))") }
    if let ratio = policy.ratio { words.append("at most \(Figures.share(ratio))") }
    words += policy.codes.map { "\($0.pattern) at most \(Figures.grouped($0.limit))" }
    if words.isEmpty { words = ["without limit"] }
    return (words + [policy.path == nil ? "only counted" : "kept in a file"]).joined(separator: ", ")
  }
}
