import Foundation
import MergewalkImporting
import MergewalkPipelines
import MergewalkTestSupport

extension MeetingRun {
  /// Makes a family of stores, and holds each store against what the reference importer makes of its records alone.
  func runFamily(
    _ name: String, _ definition: ImportDefinition, _ all: [[[ReadRecord]]], isKilled: Bool
  ) throws {
    let split = ReferenceSplit(scenario, all)
    let kinds = firstKinds(definition, all)
    var wanted: [[UInt8]: ReferenceImporter] = [:]
    var rejects = split.rejects
    var (read, rejected, isBreached) = (split.skipped + split.rejects.count, split.rejects.count, false)
    for (value, inputs) in split.values {
      var importer = shared ?? ReferenceImporter(definition)
      importer.twins = scenario.twins
      importer.names = scenario.format.names
      importer.firstKinds = kinds
      let outcome = importer.run(definition, inputs)
      if outcome.failure != nil || outcome.status == "limit_breached" { isBreached = true }
      rejects += outcome.rejects ?? []
      read += outcome.parts.reduce(0) { $0 + $1.read }
      rejected += outcome.parts.reduce(0) { $0 + $1.rejected }
      wanted[value] = importer
    }
    isBreached = isBreached || Self.isBreached(definition.rejects, read: read, rejected, rejects)
    let folder = files.folder.file("family")
    let skipped = split.skipped + wanted.values.reduce(0) { $0 + $1.skippedRecords }
    if read == skipped + rejected, !scenario.mayBeEmptied, try isPublishedFilled() { isBreached = true }
    if try losesTooMuch(keeping: Set(wanted.keys)) { isBreached = true }
    let (failure, words) = try isKilled ? buildKilled() : build(folder)
    guard failure == (isBreached ? "limitBreached" : nil) else {
      differences.append(
        "\(name): the family is \(failure ?? "made") (\(words)), must be \(isBreached ? "limitBreached" : "made")")
      return
    }
    if isBreached { return }
    let manifest = try publishedManifest() ?? [:]
    if manifest["read"] as? Int != read {
      differences.append("\(name): read \(manifest["read"] ?? ""), must be \(read)")
    }
    if manifest["skipped"] as? Int != skipped {
      differences.append("\(name): skipped \(manifest["skipped"] ?? "")")
    }
    let stores = publishedStores(manifest)
    let values = stores.map { Self.bytes($0["value"]) }
    if Set(values) != Set(wanted.keys) || values.count != wanted.count {
      let names = wanted.keys.map { String(decoding: $0, as: UTF8.self) }.sorted()
      differences.append("\(name): stores of \(stores.map { $0["value"] ?? "" }), must be \(names)")
    }
    for store in stores {
      let value = store["value"] as? String ?? ""
      guard let importer = wanted[Self.bytes(value)] else { continue }
      let counts = store["records"] as? [String: Int] ?? [:]
      for (what, count) in importer.sums where counts[what] != count {
        differences.append("\(name), “\(value)”: \(what) is \(counts[what] ?? -1), must be \(count)")
      }
      try compare(
        "\(name), “\(value)”", importer.graph, storePath: folder + "/" + (store["path"] as? String ?? ""), definition)
    }
    var other = definition
    other.rejects.path = folder + "/_rejects.ndjson"
    let found = real.rejects(other) ?? []
    let (missing, surplus) = (RunOutcome.without(rejects, found), RunOutcome.without(found, rejects))
    if !missing.isEmpty { differences.append("\(name): rejects lack \(missing)") }
    if !surplus.isEmpty { differences.append("\(name): rejects have \(surplus)") }
  }

  /// Gives the family an input without records: it stays as it is, unless the pipeline allows that it is emptied.
  func emptyFamily() throws {
    let folder = files.folder.file("family")
    let before = try manifestBytes()
    let isRefused = try isPublishedFilled() && !scenario.mayBeEmptied || losesTooMuch(keeping: [])
    try files.writeNothing()
    let (failure, words) = try build(folder)
    if failure != (isRefused ? "limitBreached" : nil) {
      differences.append(
        "emptied: \(failure ?? "published") (\(words)), must be \(isRefused ? "refused" : "published")")
    } else if isRefused, try manifestBytes() != before {
      differences.append("emptied: the manifest has changed")
    } else if !isRefused, try !publishedStores(publishedManifest()).isEmpty {
      differences.append("emptied: there are stores")
    }
  }

  private func manifestBytes() throws -> Data? {
    let path = files.folder.file("family") + "/_SUCCESS"
    return FileManager.default.fileExists(atPath: path) ? try Data(contentsOf: URL(fileURLWithPath: path)) : nil
  }

  private func publishedManifest() throws -> [String: Any]? {
    try manifestBytes().map { try JSONSerialization.jsonObject(with: $0) } as? [String: Any]
  }

  private func publishedStores(_ manifest: [String: Any]?) -> [[String: Any]] {
    manifest?["stores"] as? [[String: Any]] ?? []
  }

  /// Whether one of the published stores has records.
  private func isPublishedFilled() throws -> Bool {
    try publishedStores(publishedManifest()).contains { store in
      let counts = store["records"] as? [String: Int] ?? [:]
      return counts["read", default: 0] > counts["skipped", default: 0] + counts["rejected", default: 0]
    }
  }

  /// Whether more of the published stores would go than may.
  private func losesTooMuch(keeping values: Set<[UInt8]>) throws -> Bool {
    let published = try publishedStores(publishedManifest()).map { Self.bytes($0["value"]) }
    let gone = published.count { !values.contains($0) }
    switch scenario.gone {
    case nil: return false
    case "limit: 1": return gone > 1
    default: return gone * 10 > published.count * 4
    }
  }

  /// The kinds of the first values of each file, by import: a contract compares with those, whatever store has them.
  private func firstKinds(_ definition: ImportDefinition, _ inputs: [[[ReadRecord]]]) -> [[[String: Int]]] {
    var importer = ReferenceImporter(definition)
    return inputs.enumerated().map { part, files in
      importer.part = definition.parts[part]
      var contract = SchemaContract()
      contract.types = .reject
      var reference = ReferenceContract(
        contract, columns: importer.sourceColumns, names: scenario.format.names, lists: [])
      return files.map { records in
        reference.startFile()
        for record in records where record.fault == nil { _ = reference.codes(record) }
        return reference.kinds
      }
    }
  }

  /// Values are the same when their bytes are, whatever Unicode makes of them.
  private static func bytes(_ value: Any?) -> [UInt8] { Array((value as? String ?? "").utf8) }

  /// Builds the family in this process.
  ///
  /// - Returns: the code of the error, when there is one, and its words.
  private func build(_ folder: String) throws -> (code: String?, words: String) {
    let family = StoreFamily(folder: folder)
    do throws(FamilyError) {
      _ = try family.plan(files.path("pipeline.yaml"))
      for number in 1...2 { _ = try family.task(number: number, of: 2, jobs: number) }
      _ = try family.commit()
      return (nil, "")
    } catch {
      return (error.code == .limitBreached ? error.code.rawValue : error.description, error.description)
    }
  }

  /// Builds the family in processes that are killed, until one is not.
  private func buildKilled() throws -> (code: String?, words: String) {
    var random = scenario.random("kills")
    for attempt in 0... {
      let environment = attempt < 3 ? Shim.killing(at: Int.random(in: 1...200, using: &random)) : [:]
      let command = try Command(
        ["stores", "build", "pipeline.yaml", "--out", "family", "--json", "--quiet"], in: files.folder.path,
        environment: environment)
      if command.status == -9 { continue }
      guard command.status > 1 else { return (nil, "") }
      let error = try command.object()["error"] as? [String: Any]
      return (error?["code"] as? String == "limitBreached" ? "limitBreached" : command.words, command.words)
    }
    preconditionFailure("the last process is not killed")
  }

  /// Whether the rejects of all stores and of the split are more than the definition allows.
  private static func isBreached(
    _ policy: RejectPolicy, read: Int, _ rejected: Int, _ rejects: [RunOutcome.Reject]
  ) -> Bool {
    if let limit = policy.limit, rejected > limit { return true }
    if policy.codes.contains(where: { limit in
      rejects.count(where: { $0.codes.contains { limit.matches($0) } }) > limit.limit
    }) {
      return true
    }
    return policy.ratio.map { Double(rejected) > $0 * Double(read) } ?? false
  }
}

/// Records spread over stores by one that cannot be wrong: one record after the other.
struct ReferenceSplit {
  /// The inputs of each value's store: imports, files, records.
  private(set) var values: [[UInt8]: [[[ReadRecord]]]] = [:]
  private(set) var rejects: [RunOutcome.Reject] = []
  private(set) var skipped = 0

  /// Spreads the records of imports and files.
  init(_ scenario: Scenario, _ inputs: [[[ReadRecord]]]) {
    for (part, files) in inputs.enumerated() {
      // The second import is of plain lines.
      let column = part == 0 ? scenario.columnName(Scenario.storesColumn) : Scenario.storesColumn
      for (file, records) in files.enumerated() {
        for record in records {
          let codes: [String]
          if let fault = record.fault {
            codes = [fault]
          } else if let value = Self.value(record.cells[column] ?? .absent, scenario) {
            let empty = inputs.map { $0.map { _ in [ReadRecord]() } }
            values[Array(value.utf8), default: empty][part][file].append(record)
            continue
          } else if scenario.missingStore == "skip" {
            skipped += 1
            continue
          } else {
            codes = ["store.badName"]
          }
          rejects.append(RunOutcome.Reject(part: part, file: file, record: record.number, codes: codes))
        }
      }
    }
  }

  /// The value that names the store of a record; nil when there is none.
  private static func value(_ cell: Cell, _ scenario: Scenario) -> String? {
    if let text = cell.spelling, !text.isEmpty { return text }
    return scenario.missingStore.contains("other") ? "other" : nil
  }
}

extension ReferenceImporter {
  /// The counts of the last run over all imports, as a manifest has them.
  var sums: [String: Int] {
    let parts = outcome.parts
    return [
      "read": parts.reduce(0) { $0 + $1.read }, "inserted": parts.reduce(0) { $0 + $1.inserted },
      "updated": parts.reduce(0) { $0 + $1.updated }, "unchanged": parts.reduce(0) { $0 + $1.unchanged },
      "skipped": skippedRecords, "rejected": parts.reduce(0) { $0 + $1.rejected },
    ]
  }

  /// Records of the last run that were skipped.
  var skippedRecords: Int { outcome.parts.reduce(0) { $0 + $1.skipped } }
}
