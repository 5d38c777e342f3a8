import MergewalkImporting
import MergewalkRecordFormats

/// What `_parts/VALUE.json` says of a store that was built; it is written when the store is in its place.
struct StoreReceipt: Sendable {
  /// A file: the store, or one beside it.
  struct File: Sendable, Hashable {
    /// The path, relative to the folder that the store's path is relative to.
    var path: String
    var bytes: Int
    var sha256: String
  }

  /// Counts of records.
  struct Counts: Sendable, Hashable {
    var read = 0
    var inserted = 0
    var updated = 0
    var unchanged = 0
    var skipped = 0
    var rejected = 0

    init() {}

    init(_ summary: ImportSummary) {
      read = summary.read
      inserted = summary.inserted
      updated = summary.updated
      unchanged = summary.unchanged
      skipped = summary.skipped
      rejected = summary.rejected
    }

    /// Whether each record has one outcome.
    var isWhole: Bool { read == inserted + updated + unchanged + skipped + rejected }

    static func += (left: inout Counts, right: Counts) {
      left.read += right.read
      left.inserted += right.inserted
      left.updated += right.updated
      left.unchanged += right.unchanged
      left.skipped += right.skipped
      left.rejected += right.rejected
    }
  }

  /// What names the store, see ``FamilyPlan/key(_:)``.
  var key: String
  var value: String
  /// The store first.
  var files: [File]
  /// The digest of what the store holds.
  var content: String
  var uuid: String
  var counts = Counts()
  var codes: [String: Int] = [:]
  /// What the shared pipelines have read.
  var shared = Counts()

  var path: String { files.first?.path ?? "" }

  var json: [UInt8] {
    var out = JSONBytes()
    out.open(UInt8(ascii: "{"))
    out.member("format", 1)
    out.member("key", key)
    write(&out)
    out.close(UInt8(ascii: "}"))
    out.endLine()
    return out.bytes
  }

  /// Appends what a manifest says too.
  func write(_ out: inout JSONBytes) {
    out.member("value", value)
    out.member("path", path)
    out.member("uuid", uuid)
    out.member("content", content)
    out.list("files", files) { out, file in
      out.member("path", file.path)
      out.member("bytes", file.bytes)
      out.member("sha256", file.sha256)
    }
    out.key("records")
    counts.write(&out)
    out.counts("reject_codes", codes)
    out.key("shared")
    shared.write(&out)
  }

  static let jsonColumns = ["key", "value", "uuid", "content", "files", "records", "reject_codes", "shared"]

  init(
    key: String, value: String, files: [File], content: String, uuid: String, counts: Counts, codes: [String: Int],
    shared: Counts
  ) {
    self.key = key
    self.value = value
    self.files = files
    self.content = content
    self.uuid = uuid
    self.counts = counts
    self.codes = codes
    self.shared = shared
  }

  init?(_ row: JSONRow) {
    guard let value = row.text("value"), let uuid = row.text("uuid"), let content = row.text("content"),
      let files = row.list(
        "files", columns: ["path", "bytes", "sha256"],
        { row -> File? in
          guard let path = row.text("path"), let bytes = row.count("bytes"), let digest = row.text("sha256") else {
            return nil
          }
          return File(path: path, bytes: bytes, sha256: digest)
        }), !files.isEmpty, let records = row.json("records"), let counts = Counts(records),
      let shared = row.json("shared").flatMap({ Counts($0) })
    else { return nil }
    self.init(
      key: row.text("key") ?? "", value: value, files: files, content: content, uuid: uuid, counts: counts,
      codes: row.counts("reject_codes"), shared: shared)
  }

  /// Reads what ``json`` wrote; nil when it is something else.
  init?(json: [UInt8]) {
    guard let row = JSONRow.object(json, columns: Self.jsonColumns) else { return nil }
    self.init(row)
  }

  /// Whether the files are in a folder as the receipt says.
  ///
  /// - Complexity: O(bytes of the files), when their sizes are right.
  func fits(in folder: String) -> Bool {
    files.allSatisfy { file in
      let path = folder + "/" + file.path
      guard FamilyFiles.size(path) == file.bytes, let found = FamilyFiles.digest(path) else { return false }
      return found.bytes == file.bytes && found.sha256 == file.sha256
    }
  }
}

extension StoreReceipt.Counts {
  func write(_ out: inout JSONBytes) {
    out.open(UInt8(ascii: "{"))
    out.member("read", read)
    out.member("inserted", inserted)
    out.member("updated", updated)
    out.member("unchanged", unchanged)
    out.member("skipped", skipped)
    out.member("rejected", rejected)
    out.close(UInt8(ascii: "}"))
  }

  init?(_ bytes: [UInt8]) {
    guard
      let row = JSONRow.object(
        bytes, columns: ["read", "inserted", "updated", "unchanged", "skipped", "rejected"]),
      let read = row.count("read"), let inserted = row.count("inserted"), let updated = row.count("updated"),
      let unchanged = row.count("unchanged"), let skipped = row.count("skipped"), let rejected = row.count("rejected")
    else { return nil }
    self.init()
    self.read = read
    self.inserted = inserted
    self.updated = updated
    self.unchanged = unchanged
    self.skipped = skipped
    self.rejected = rejected
  }
}
