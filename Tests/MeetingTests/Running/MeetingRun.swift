import Foundation
import MergewalkImporting
import MergewalkObjectModel
import MergewalkObjectStore
import MergewalkRecordFormats
import MergewalkSQLite
import MergewalkTestSupport

/// Runs a scenario by both importers and collects what differs.
final class MeetingRun {
  let scenario: Scenario
  let files: ScenarioFiles
  let real: RealRun
  var differences: [String] = []
  /// The ways in which rows were written.
  private(set) var loads: Set<String> = []
  private var rejects: KeptRejects
  /// The reference importer with what the store must hold; nil before the first run.
  private var reference: ReferenceImporter?
  /// The reference importer with what other pipelines leave that run into each store of a family first.
  private(set) var shared: ReferenceImporter?

  init(_ scenario: Scenario) throws {
    self.scenario = scenario
    files = try ScenarioFiles(scenario)
    real = RealRun(files: files)
    rejects = KeptRejects(folder: files.folder.path)
  }

  /// Runs everything, up to the first run that differs.
  func run() throws {
    if scenario.hasStore {
      let inputs = try files.writeBefore()
      let definition = try real.definition("before.yaml")
      try run("before", definition, inputs) { real.run(definition) }
      if scenario.surroundings == .rollback { try keepRollbackJournal() }
      if scenario.surroundings == .joint { try JointRemainder(path: files.store, model: definition.model).leave() }
    }
    if scenario.hasShared {
      let inputs = try files.writeBefore()
      let definition = try real.definition("before.yaml")
      var importer = ReferenceImporter(definition)
      _ = importer.run(definition, inputs)
      shared = importer
    }
    if scenario.rejectsBefore != .none {
      try files.folder.write(scenario.rejectsBefore.lines.joined(separator: "\n") + "\n", to: "rejects.ndjson")
      _ = rejects.missing()
    }
    for night in scenario.nights.indices where differences.isEmpty {
      let inputs = try files.writeNight(night)
      var definition = try real.definition()
      definition.sampledChanges = scenario.shownChanges
      if scenario.hasHook {
        definition.parts[0].hooks.record = scenario.hook
        definition.parts[0].hooks.columns = [scenario.columnName("label")]
      }
      try run("night \(night + 1)", definition, inputs, scenario.course)
      guard differences.isEmpty else { continue }
      let isLast = night == scenario.nights.count - 1
      if isLast, scenario.after == .again { try run("again", definition, inputs, .plain) }
      if isLast && scenario.after == .replay || scenario.after == .replays { try replay(definition, inputs, night) }
    }
    if scenario.stores != nil, differences.isEmpty { try emptyFamily() }
    if scenario.surroundings == .joint, differences.isEmpty {
      let remainder = JointRemainder(path: files.store, model: try real.definition().model)
      differences += try remainder.lacking().map { "joint: \($0)" }
    }
  }

  /// Replays what a night has rejected, some of it put right.
  private func replay(_ definition: ImportDefinition, _ inputs: [[[ReadRecord]]], _ night: Int) throws {
    let records = try files.writeReplay(definition, inputs, night)
    let path = files.folder.file("again-\(night).ndjson")
    let replay = definition.replaying(ByteSource(path: files.folder.file("replay.ndjson")), rejectsPath: path)
    try run("replay", definition.replayed(isTree: scenario.format.isTree), records) { real.run(replay) }
  }

  /// Makes the store one without a write-ahead log.
  private func keepRollbackJournal() throws {
    let connection = try Connection(path: files.store, mode: .readWrite)
    try connection.execute("PRAGMA journal_mode = DELETE")
    try connection.close()
  }

  private func run(
    _ name: String, _ definition: ImportDefinition, _ inputs: [[[ReadRecord]]], _ course: Course
  ) throws {
    if scenario.stores != nil { return try runFamily(name, definition, inputs, isKilled: course == .killed) }
    var dry = definition
    dry.isDryRun = true
    // It writes rejects only where it is told to.
    dry.rejects.dryRunPath = dry.rejects.path
    switch course {
    case .plain: try run(name, definition, inputs) { real.run(definition) }
    case .dry: try run(name + ", dry", dry, inputs) { real.run(dry) }
    case .dryFirst:
      try run(name + ", dry", dry, inputs) { real.run(dry) }
      if differences.isEmpty { try run(name, definition, inputs) { real.run(definition) } }
    case .stopped, .stoppedDry:
      try run(name + ", stopped", definition, inputs) {
        real.runInPieces(definition, scenario.random("stops"), triesBetween: course == .stoppedDry)
      }
    case .killed:
      try run(name + ", killed", definition, inputs) {
        try real.runKilled(definition, scenario.random("kills"))
      }
    }
  }

  /// Runs both importers and compares.
  private func run(
    _ name: String, _ definition: ImportDefinition, _ inputs: [[[ReadRecord]]], _ body: () throws -> RunOutcome
  ) throws {
    var importer = reference ?? ReferenceImporter(definition)
    importer.twins = name == "before" ? [] : scenario.twins
    importer.names = name == "replay" ? .untold : scenario.format.names
    var wanted = importer.run(definition, inputs)
    // A run in pieces may say it more than once, and fewer records of a replay say nothing.
    if scenario.course == .plain, name != "replay", name != "before" {
      wanted.doubtfulHeaders = scenario.delimited.hasNearHeader ? scenario.fileCount : 0
    }
    if name != "replay", name != "before" {
      // With fewer records than files there may be nothing in one of these either.
      if scenario.nights.allSatisfy({ $0 >= scenario.fileCount }) {
        wanted.emptyFiles = scenario.emptyFile == nil ? 0 : 1
      }
      wanted.unusedColumns = importer.unusedColumns(
        definition.parts[0], of: scenario.columnNames, besides: scenario.ignored.map { scenario.columnName($0) })
    }
    let outcome = try body()
    loads.insert(outcome.load)
    reference = importer
    differences += wanted.differences(outcome).map { "\(name): \($0)" }
    differences += rejects.missing().prefix(3).map { "\(name): no file has the reject \($0)" }
    try compareStores(name, importer, definition)
  }

  private func compareStores(_ name: String, _ reference: ReferenceImporter, _ definition: ImportDefinition) throws {
    try compare(name, reference.graph, storePath: definition.storePath, definition)
  }

  /// Compares the objects of a store, and has it verified.
  func compare(_ name: String, _ graph: ObjectGraph, storePath: String, _ definition: ImportDefinition) throws {
    var graph = graph
    if scenario.hasDerived { graph.derive() }
    let lines = graph.dump(definition.model, keys: Scenario.names(scenario), owners: Scenario.owners)
    guard FileManager.default.fileExists(atPath: storePath) else {
      if !lines.isEmpty { differences.append("\(name): there is no store") }
      return
    }
    let stored = try ObjectGraph(path: storePath, model: definition.model)
    let found = stored.dump(definition.model, keys: Scenario.names(scenario), owners: Scenario.owners)
    let (missing, surplus) = (RunOutcome.without(lines, found), RunOutcome.without(found, lines))
    differences += missing.prefix(6).map { "\(name): the store lacks \($0)" }
    differences += surplus.prefix(6).map { "\(name): the store has \($0)" }
    let report = try StoreVerifier.verify(path: storePath, model: definition.model)
    if !report.isSound || report.findings.contains(where: { $0.code == .orphanFile }) {
      differences.append("\(name): \(report.findings)")
    }
  }
}

extension Scenario {
  /// The attributes that name objects, by root entity.
  static func names(_ scenario: Scenario) -> [String: [String]] {
    let item = scenario.keyNames
    return [
      "Item": item, "Thing": item, "Person": ["email"], "Team": ["name"], "Tag": ["name"], "Topic": ["name"],
      "Line": ["number"], "Note": ["code"], "Figure": ["label"], "Unit": ["code"],
    ]
  }

  /// The relationships to the objects without which a name says little, by entity.
  static let owners = ["Line": "item", "Figure": "line"]
}
