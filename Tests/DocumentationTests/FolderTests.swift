import Foundation
import MergewalkTestSupport
import Testing

/// The tables of the architecture's page say which folder has which type: they have to be there, and no folder is left out.
@Suite("Folders in the documentation")
struct FolderTests {
  /// The folders under `Sources` in which each type is declared and each file lies.
  private static let places: [String: Set<String>] = {
    var places: [String: Set<String>] = [:]
    let declaration =
      #/^\s*(?:@\w+(?:\([^)]*\))?\s+)*(?:(?:public|package|private|fileprivate|internal|open|final|indirect)\s+)*(?:struct|class|enum|protocol|actor|typealias)\s+(?<name>[A-Z]\w*)/#
    let root = Locations.repository + "/Sources"
    for case let path as String in FileManager.default.enumerator(atPath: root) ?? .init()
    where path.hasSuffix(".swift") {
      let folder = (path as NSString).deletingLastPathComponent
      places[(path as NSString).lastPathComponent, default: []].insert(folder)
      for line in ((try? String(contentsOfFile: root + "/" + path, encoding: .utf8)) ?? "").split(separator: "\n") {
        if let match = line.prefixMatch(of: declaration) { places[String(match.name), default: []].insert(folder) }
      }
    }
    return places
  }()

  /// A row of a table: the folders that it is about, and the names in `code` beside them.
  private struct Row {
    var target: String
    var folders: [String]
    var names: [String]
  }

  /// The rows of the tables below `### Target: …`, and those about whole targets.
  private static func rows() throws -> [Row] {
    var rows: [Row] = []
    var target: String?
    for line in try Pages.text("docs/architecture.md").split(separator: "\n") {
      if line.hasPrefix("#") { target = line.wholeMatch(of: #/### (?<name>\w+)(: .*)?/#).map { String($0.name) } }
      guard let target, line.hasPrefix("| "), !line.hasPrefix("| folder |"), !line.hasPrefix("| target |") else {
        continue
      }
      let cells = line.dropFirst(2).split(separator: " | ", maxSplits: 1)
      guard cells.count == 2, !cells[0].hasPrefix("---") else { continue }
      func codes(_ text: Substring) -> [String] { text.matches(of: #/`([^`]+)`/#).map { String($0.1) } }
      let firsts = codes(cells[0])
      if target == "Others" {
        for name in firsts { rows.append(Row(target: name, folders: [""], names: codes(cells[1]))) }
      } else {
        rows.append(Row(target: target, folders: firsts.isEmpty ? [""] : firsts, names: codes(cells[1])))
      }
    }
    return rows
  }

  private static func exists(_ folder: String) -> Bool {
    var isFolder: ObjCBool = false
    return FileManager.default.fileExists(atPath: Locations.repository + "/Sources/" + folder, isDirectory: &isFolder)
      && isFolder.boolValue
  }

  @Test func `a type or file that a row names is in the row's folder`() throws {
    let rows = try Self.rows()
    #expect(rows.count > 60)
    var checked = 0
    for row in rows {
      let folders = row.folders.map { $0.isEmpty ? row.target : "\(row.target)/\($0)" }
      for folder in folders where !Self.exists(folder) { Issue.record("there is no folder Sources/\(folder)") }
      for code in row.names {
        let name = String(code.prefix { $0 != "<" && ($0 != "." || code.hasSuffix(".swift")) })
        // What is no type of this package is somebody else's, or a target.
        guard let places = Self.places[name], !Self.exists(name) else { continue }
        checked += 1
        let isThere = places.contains { place in folders.contains { place == $0 || place.hasPrefix($0 + "/") } }
        if !isThere { Issue.record("\(name) is in \(places.sorted()), not in \(folders)") }
      }
    }
    #expect(checked > 150)
  }

  @Test func `every folder of a target with a table has a row, and every target is on the page`() throws {
    let rows = try Self.rows()
    let targets = try FileManager.default.contentsOfDirectory(atPath: Locations.repository + "/Sources")
    let tables = Dictionary(grouping: rows, by: \.target)
    for target in targets.sorted() where tables[target].map({ $0.count > 1 }) ?? false {
      let folders = Set(tables[target, default: []].flatMap(\.folders))
      for name in try FileManager.default.contentsOfDirectory(atPath: Locations.repository + "/Sources/" + target)
        .sorted()
      where Self.exists(target + "/" + name) && !folders.contains(name) {
        Issue.record("docs/architecture.md has no row for Sources/\(target)/\(name)")
      }
    }
    let page = try Pages.text("docs/architecture.md")
    for target in targets.sorted() where !page.contains("`\(target)`") && tables[target] == nil {
      Issue.record("docs/architecture.md does not name the target \(target)")
    }
  }
}
