import MergewalkDiagnostics
import Foundation
import MergewalkImporting
import MergewalkObjectStore
import MergewalkPipelines
import MergewalkRecordFormats
import MergewalkTestSupport

/// Runs the real importer and says what came of it in the words of the reference importer.
struct RealRun {
  let files: ScenarioFiles

  /// Reads a pipeline of the folder.
  func definition(_ name: String = "pipeline.yaml") throws -> ImportDefinition {
    do throws(DiagnosticList) {
      return try Pipeline.read(files.path(name)).definition
    } catch {
      let errors = error.diagnostics.filter { $0.severity == .error }
      throw MeetingFailure(errors.map(\.description).joined(separator: "\n"))
    }
  }

  /// Runs an import to its end.
  func run(_ definition: ImportDefinition) -> RunOutcome {
    do throws(ImportError) {
      return outcome(try session(definition).run(), definition)
    } catch {
      return failed(error)
    }
  }

  func failed(_ error: ImportError) -> RunOutcome {
    var outcome = RunOutcome()
    outcome.failure = error.code.rawValue
    return outcome
  }

  func session(_ definition: ImportDefinition) throws(ImportError) -> ImportSession {
    do throws(DiagnosticList) {
      return try ImportSession(definition)
    } catch {
      throw ImportError(code: .database, message: error.diagnostics.map(\.description).joined(separator: "\n"))
    }
  }

  /// A summary and the files of a run as an outcome.
  func outcome(_ summary: ImportSummary, _ definition: ImportDefinition) -> RunOutcome {
    var outcome = RunOutcome()
    outcome.status = summary.status.rawValue
    outcome.load = summary.load.name
    outcome.parts = summary.parts
    for index in outcome.parts.indices { outcome.parts[index].seconds = 0 }
    outcome.entities = summary.entities
    outcome.links = ReferenceTally.links(summary.lists)
    outcome.deleted = summary.deleted
    outcome.marked = summary.marked
    outcome.denied = summary.denied
    outcome.rejects = rejects(definition)
    outcome.cursors = cursors(definition)
    outcome.doubtfulHeaders = summary.warnings.count { $0.code == .doubtfulHeader }
    outcome.emptyFiles = summary.warnings.count { $0.code == .emptyFile }
    outcome.unusedColumns = Self.unusedColumns(summary.warnings.filter { $0.code == .unusedColumn }.map(\.message))
    return outcome
  }

  /// The columns that warnings say nothing uses; of another warning all it says.
  static func unusedColumns(_ messages: [String]) -> [String] {
    messages.flatMap { (message: String) -> [String] in
      let parts = message.replacing("; " + InputFindings.advice, with: "").components(separatedBy: "nothing uses: ")
      return parts.count == 2 ? parts[1].components(separatedBy: ", ") : [message]
    }
  }

  /// The last part of a path.
  private static func name(_ path: String) -> String { URL(fileURLWithPath: path).lastPathComponent }

  /// What the store keeps of columns that only grow.
  func cursors(_ definition: ImportDefinition) -> [CursorValue?] {
    guard let metadata = try? StoreMetadata.read(path: definition.storePath) else {
      return definition.parts.map { _ in nil }
    }
    let cursors = StoredCursors(metadata, pipeline: definition.name)
    return definition.parts.map { part in
      part.since.flatMap { cursors.value(part: definition.parts.count > 1 ? part.name : "", $0) }
    }
  }

  /// The lines of the rejects file.
  func rejects(_ definition: ImportDefinition) -> [RunOutcome.Reject]? {
    guard let path = definition.rejects.path else { return nil }
    guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { return [] }
    var found: [RunOutcome.Reject] = []
    for line in text.components(separatedBy: "\n") {
      guard let object = try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any] else { continue }
      guard let place = place(object, definition) else { continue }
      let also = (object["also"] as? [[String: Any]] ?? []).compactMap { $0["code"] as? String }
      found.append(
        RunOutcome.Reject(
          part: place.part, file: place.file, record: place.record,
          codes: Set([object["code"] as? String ?? ""] + also).sorted()))
    }
    return found.sorted()
  }

  /// The record that a line of a rejects file is about; nil when it is about an object.
  func place(_ object: [String: Any], _ definition: ImportDefinition) -> (part: Int, file: Int, record: Int)? {
    guard let record = object["record"] as? Int else { return nil }
    let part = (object["import"] as? String).flatMap { name in definition.parts.firstIndex { $0.name == name } } ?? 0
    let names = [object["member"] as? String, (object["file"] as? String).map(Self.name)]
    let file =
      files.scenario.recordFiles.firstIndex { names.contains($0) }
      ?? definition.parts[part].sources.firstIndex { names.contains(Self.name($0.path)) }
    return (part, file ?? -1, record)
  }
}

/// Why a case could not be run at all.
struct MeetingFailure: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}
