import MergewalkBytes
import MergewalkImporting
import MergewalkObjectStore

/// The contents of `_parts/VALUE.json` for a store that was built; it is written when the store is in its place.
struct StoreReceipt: Sendable {
  /// A file: the store, one beside it, or one that another program has split off.
  struct File: Sendable, Hashable {
    /// The path, relative to the folder that the store's path is relative to.
    var path: String
    var bytes: Int
    var sha256: String
    /// A mark that shows whether it was written to since it was hashed, see ``FamilyFiles/state(_:)``; only of one that
    /// another program has split off.
    var state: String?
  }

  /// The name of the store, see ``FamilyPlan/key(_:)``.
  var key: String
  var value: String
  /// The store first.
  var files: [File]
  /// The digest of what the store holds.
  var content: String
  var uuid: String
  var counts = RecordCounts()
  var codes: [String: Int] = [:]
  /// The records that the shared pipelines have read.
  var shared = RecordCounts()
  /// The warnings of its run, with those of the shared pipelines.
  var warnings: [RunWarning] = []
  /// See ``ImportSummary/undecided``.
  var undecided: [String] = []
  /// The outcomes of the values of each field.
  var fields: [FieldTally] = []
  /// The outcomes of the elements of each list.
  var lists: [ListTally] = []
  /// The file of its rejects, when there is one.
  var rejects: File?
  /// Where its records stand in the sources, see ``FamilyPlan/places(_:)``.
  var places = ""

  var path: String { files.first?.path ?? "" }

  /// The receipt as a file, with a digest of itself: one that was altered is none.
  var json: [UInt8] {
    let head: JSONText = ["format": .integer(1), "key": .string(key)]
    let rest: JSONText = [
      "rejects": rejects.map { .array([$0.json]) }, "places": .string(places),
      "warnings": .array(warnings.map(\.json)),
      "undecided": .array(undecided.map { ["finding": .string($0)] }), "fields": .array(fields.map(\.json)),
      "lists": .array(lists.map(\.json)),
    ]
    return FamilyFiles.sealed { $0.members(head.with(manifest).with(rest)) }
  }

  /// What a manifest says too.
  var manifest: JSONText {
    [
      "value": .string(value), "path": .string(path), "uuid": .string(uuid), "content": .string(content),
      "files": .array(files.map(\.json)), "records": counts.json, "reject_codes": .counts(codes),
      "shared": shared.json,
    ]
  }
}

extension StoreReceipt {
  init?(_ row: JSONRow) {
    guard let value = row.text("value"), let uuid = row.text("uuid"), let content = row.text("content"),
      let files = File.list("files", of: row), !files.isEmpty,
      let records = row.json("records"), let counts = RecordCounts(records),
      let shared = row.json("shared").flatMap({ RecordCounts($0) })
    else { return nil }
    self.init(
      key: row.text("key") ?? "", value: value, files: files, content: content, uuid: uuid, counts: counts,
      codes: row.counts("reject_codes"), shared: shared)
    if row.json("rejects") != nil { rejects = File.list("rejects", of: row)?.first }
    places = row.text("places") ?? ""
    warnings = row.list("warnings") { RunWarning($0) } ?? []
    undecided = row.list("undecided") { $0.text("finding") } ?? []
    fields = row.list("fields") { FieldTally($0) } ?? []
    lists = row.list("lists") { ListTally($0) } ?? []
  }

  /// Reads what ``json`` wrote; nil when it is something else.
  init?(json: [UInt8]) {
    guard let row = JSONRow(json) else { return nil }
    self.init(row)
    guard self.json == json else { return nil }
  }

  /// Whether its rejects are there, and name the places in which a part's records are now.
  func isOf(_ part: FamilyPlan.Part, in plan: FamilyPlan, _ files: FamilyFiles, _ known: KnownFiles) -> Bool {
    guard let rejects else { return counts.rejected == 0 }
    return places == plan.places(part) && rejects.path == FileSystem.name(of: files.rejects(part.name))
      && rejects.fits(in: files.receipts, known)
  }

  /// Whether the files are in a folder as the receipt says, or each in one of several.
  ///
  /// - Complexity: O(bytes of the files), when their sizes are right.
  func fits(in folders: String..., known: KnownFiles) -> Bool {
    files.allSatisfy { file in folders.contains { file.fits(in: $0, known) } }
  }

  /// Whether the store itself is in a folder, whatever becomes of the files beside it.
  func hasStore(in folder: String, known: KnownFiles) -> Bool { files.first?.fits(in: folder, known) ?? false }

  /// The path of a file beside a store, relative to the folder that the store's path is relative to.
  static func path(_ companion: String, beside store: String) -> String {
    (store.lastIndex(of: "/").map { String(store[...$0]) } ?? "") + companion
  }
}

extension StoreReceipt.File {
  var json: JSONText {
    [
      "path": .string(path), "bytes": .integer(bytes), "sha256": .string(sha256), "state": state.map { .string($0) },
    ]
  }

  /// The files of a member; nil when it is no list of files.
  static func list(_ name: String, of row: JSONRow) -> [Self]? {
    row.list(name) { row -> Self? in
      guard let path = row.text("path"), let bytes = row.count("bytes"), let digest = row.text("sha256") else {
        return nil
      }
      return Self(path: path, bytes: bytes, sha256: digest, state: row.text("state"))
    }
  }

  /// Whether the file is in a folder as it was written.
  func fits(in folder: String, _ known: KnownFiles) -> Bool {
    let path = folder + "/" + self.path
    guard FamilyFiles.size(path) == bytes, let found = known.digest(path) else { return false }
    return found.bytes == bytes && found.sha256 == sha256
  }
}

extension RecordCounts {
  var json: JSONText { .object(named.map { ($0.0, .integer($0.1)) }) }

  init?(_ bytes: [UInt8]) {
    guard let row = JSONRow(bytes) else { return nil }
    let numbers = Self.names.compactMap { row.count($0) }
    guard numbers.count == Self.names.count else { return nil }
    self.init(numbers: numbers)
  }
}
