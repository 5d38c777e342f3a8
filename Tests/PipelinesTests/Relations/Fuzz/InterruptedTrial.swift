import Foundation
import MergewalkImporting
import MergewalkPipelines
import MergewalkTestSupport
import Testing

/// A run that is stopped or killed behind each batch in turn, and resumed: store, counts and rejects are those of an
/// undisturbed run.
///
/// A kill is simulated by what the folder holds behind a batch, before the run stops: a killed process leaves the same.
enum InterruptedTrial {
  /// What a run leaves.
  private struct Result: Equatable {
    var tables: [String: [String]] = [:]
    var rejects: [String] = []
    var counts = ""
    var objects: [String] = []
    var lists: [String] = []
    var fields: [String] = []

    /// How it differs from another one, in a few words.
    func difference(from other: Result) -> String {
      var words: [String] = []
      for table in Set(tables.keys).union(other.tables.keys).sorted() where tables[table] != other.tables[table] {
        words.append("\(table): \(tables[table] ?? []) in place of \(other.tables[table] ?? [])")
      }
      for (mine, theirs) in [
        (rejects, other.rejects), ([counts], [other.counts]), (objects, other.objects), (lists, other.lists),
        (fields, other.fields),
      ] where mine != theirs { words.append("\(mine) in place of \(theirs)") }
      return words.joined(separator: "\n")
    }
  }

  private static func result(
    _ folder: TemporaryFolder, _ summary: ImportSummary, comparesUnchanged: Bool
  ) throws -> Result {
    var result = Result()
    for table in try folder.rows("SELECT name FROM sqlite_schema WHERE type = 'table'", of: "s.sqlite")
    where table != "Z_METADATA" && table != "Z_MODELCACHE" {
      result.tables[table] = try folder.rows("SELECT * FROM \(table)", of: "s.sqlite")
    }
    let time = try Regex(#""(run|time)":"[^"]*""#)
    let lines = (try? String(contentsOfFile: folder.file("rejects.ndjson"), encoding: .utf8)) ?? ""
    result.rejects = lines.split(separator: "\n").map {
      String($0.replacing(time, with: "").replacing(folder.path, with: ""))
    }
    result.counts = "\(summary.counts)"
    result.objects = summary.entities.map { name, counts in
      var counts = counts
      if !comparesUnchanged { counts.unchanged = 0 }
      return "\(name) \(counts)"
    }.sorted()
    result.lists = summary.lists.map { "\($0)" }
    result.fields = summary.fields.map { "\($0)" }
    return result
  }

  /// A folder with a copy of everything in another one.
  static func copy(_ folder: TemporaryFolder) throws -> TemporaryFolder {
    let copy = TemporaryFolder()
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
      try FileManager.default.copyItem(atPath: folder.file(name), toPath: copy.file(name))
    }
    return copy
  }

  /// Puts the files of a run back that a copy of a folder has; those that it reads stay, and the store itself, which has
  /// nothing of the run.
  private static func restore(_ copy: TemporaryFolder, to folder: TemporaryFolder) throws {
    func names(_ folder: TemporaryFolder) throws -> [String] {
      try FileManager.default.contentsOfDirectory(atPath: folder.path)
        .filter { $0.hasPrefix(".") || $0.hasPrefix("rejects") }
    }
    for name in try names(folder) { try FileManager.default.removeItem(atPath: folder.file(name)) }
    for name in try names(copy) {
      try FileManager.default.copyItem(atPath: copy.file(name), toPath: folder.file(name))
    }
  }

  static func session(_ folder: TemporaryFolder) throws -> ImportSession {
    try ImportSession(try Pipeline.read(folder.file("pipeline.yaml")).definition)
  }

  /// Runs what is in a folder, whole and interrupted behind each of its batches.
  ///
  /// - Parameter comparesUnchanged: Whether the counts of unchanged objects have to be the same: not where records that
  ///   refer to them are rejected, of which a process that resumes does not know how far the earlier one has come with them.
  /// - Returns: How many interrupted runs resumed behind some record.
  static func run(_ folder: TemporaryFolder, _ label: String, comparesUnchanged: Bool = true) throws -> Int {
    let before = try copy(folder)
    var batches = 0
    let whole: Result
    do {
      let summary = try session(folder).run(progress: { if $0.stage == .records { batches += 1 } })
      guard FileManager.default.fileExists(atPath: folder.file("s.sqlite")) else { return 0 }
      whole = try result(folder, summary, comparesUnchanged: comparesUnchanged)
    } catch { return 0 }
    var resumed = 0
    for last in 1...max(min(batches, 5), 1) {
      for isKilled in [false, true] {
        let other = try copy(before)
        var (seen, killed): (Int, TemporaryFolder?) = (0, nil)
        let first = try session(other).run(
          progress: {
            guard $0.stage == .records else { return }
            seen += 1
            if isKilled, seen == last { killed = try? copy(other) }
          }, shouldStop: { seen >= last })
        guard first.status == .interrupted else { continue }
        if let killed { try restore(killed, to: other) }
        let summary = try session(other).run()
        if summary.resumedAfter ?? 0 > 0 { resumed += 1 }
        let found = try result(other, summary, comparesUnchanged: comparesUnchanged)
        let difference = found.difference(from: whole)
        #expect(
          found == whole,
          "\(isKilled ? "killed" : "stopped") behind batch \(last), resumed after \(summary.resumedAfter ?? 0):\n\(difference)\n\(label)"
        )
        #expect(
          try FileManager.default.contentsOfDirectory(atPath: other.path).filter { $0.contains("later") }.isEmpty)
        if !difference.isEmpty { return resumed }
      }
    }
    return resumed
  }
}
