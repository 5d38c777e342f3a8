import Foundation

/// Whether every reject that a run has left is in some file of rejects as long as nobody has replayed it.
struct KeptRejects {
  private let folder: String
  /// What has to be there, as often as it was in one file.
  private var kept: [String: Int] = [:]

  init(folder: String) { self.folder = folder }

  /// Looks at the files after a run.
  ///
  /// - Returns: what is in none of them any more.
  mutating func missing() -> [String] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    var found: [String: Int] = [:]
    for name in names where name.hasPrefix("rejects.") && name.hasSuffix("ndjson") {
      guard let text = try? String(contentsOfFile: folder + "/" + name, encoding: .utf8) else { continue }
      var counts: [String: Int] = [:]
      for line in text.components(separatedBy: "\n") where !line.isEmpty { counts[Self.record(line), default: 0] += 1 }
      found.merge(counts) { max($0, $1) }
    }
    let lost = kept.filter { found[$0.key, default: 0] < $0.value }.keys.sorted()
    kept.merge(found) { max($0, $1) }
    return lost
  }

  /// The record of a line, or the object; the line itself when it is no reject.
  private static func record(_ line: String) -> String {
    guard let object = try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any],
      let record = object["raw"] ?? object["raw_base64"] ?? object["object"]
    else { return line }
    return "\(object["file"] ?? "") \(object["import"] ?? "") \(record)"
  }
}
