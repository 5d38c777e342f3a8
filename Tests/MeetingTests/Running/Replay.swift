import Foundation
import MergewalkImporting
import MergewalkRecordFormats
import MergewalkTestSupport

extension ScenarioFiles {
  /// Makes a file for a replay of a rejects file: some of its records are put right, some are given up.
  ///
  /// - Parameter inputs: what the files of the run had.
  /// - Returns: for each import the records that the replay should find.
  func writeReplay(
    _ definition: ImportDefinition, _ inputs: [[[ReadRecord]]], _ night: Int
  ) throws -> [[[ReadRecord]]] {
    var random = scenario.random("replay")
    var makers = written.map { part in
      var right = part.scenario
      right.hasBadValues = false
      right.hasBrokenRecords = false
      return RecordMaker(right, night: 199 + scenario.nights.count - night)
    }
    var lines = ""
    // For each import the record of its last line: what further lines say of its elements, it says itself.
    var whole: [Int: (file: Int, item: Int, raw: String)] = [:]
    var found: [[ReadRecord]] = definition.parts.map { _ in [] }
    let text = (try? String(contentsOfFile: definition.rejects.path ?? "", encoding: .utf8)) ?? ""
    for line in text.split(separator: "\n") {
      guard var object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any] else { continue }
      guard let place = RealRun(files: self).place(object, definition) else {
        lines += line + "\n"
        continue
      }
      let read = inputs[place.part][place.file].first { $0.number == place.record }
      var item = written[place.part].files[place.file][read?.item ?? 0]
      let writer = FileWriter(scenario: written[place.part].scenario)
      switch Int.random(in: 0..<4, using: &random) {
      case 0:
        object["raw"] = ""
        object["raw_base64"] = nil
      case 1: break
      default:
        item = makers[place.part].items(1)[0]
        guard case .record(let cell) = item else { continue }
        object["raw"] = writer.text(cell)
        object["raw_base64"] = nil
      }
      lines += String(decoding: try JSONSerialization.data(withJSONObject: object), as: UTF8.self) + "\n"
      let raw = object["raw"] as? String ?? object["raw_base64"] as? String ?? ""
      if raw.isEmpty { continue }
      if definition.parts[place.part].format.eachPath != nil, let read {
        if let last = whole[place.part], last == (place.file, read.item, raw) { continue }
        whole[place.part] = (place.file, read.item, raw)
      }
      for var record in writer.records([item]) {
        record.number = found[place.part].count + 1
        record.origin = place.file
        found[place.part].append(record)
      }
    }
    try folder.write(lines, to: "replay.ndjson")
    return found.map { [$0] }
  }
}

extension ImportDefinition {
  /// What a replay means, by `docs/rejects.md`: nothing is deleted, no cursor is asked, the share of rejects says nothing.
  func replayed(isTree: Bool) -> ImportDefinition {
    var replay = self
    replay.rejects.ratio = nil
    for index in replay.parts.indices {
      replay.parts[index].since = nil
      if [.sync, .replace].contains(replay.parts[index].root.mode) { replay.parts[index].root.mode = .upsert }
      // There is no header, and what a line has in a table are texts.
      if !isTree { replay.parts[index].contract = nil }
    }
    return replay
  }
}
