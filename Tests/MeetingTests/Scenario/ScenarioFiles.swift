import Foundation
import MergewalkObjectModel
import MergewalkObjectStore
import MergewalkTestSupport

/// A scenario written down: a folder with a model, pipelines and data.
final class ScenarioFiles {
  let scenario: Scenario
  let folder = TemporaryFolder()

  init(_ scenario: Scenario) throws {
    self.scenario = scenario
    if case .script(let place) = scenario.process {
      try folder.write("exec cat\n", to: (place.map { $0 + "/" } ?? "") + "echo.sh")
    }
    try folder.write(scenario.modelText, to: "model.yaml")
    if scenario.modelFile != "model.yaml" {
      let model = try ManagedObjectModel(ModelReader.read(folder.file("model.yaml")))
      let path = folder.file(scenario.modelFile)
      if path.hasSuffix(".mom") {
        try folder.write(ModelWriter.compiled(model).bytes, to: scenario.modelFile)
      } else {
        try StoreFile.create(path: path, model: model).finish()
      }
    }
    guard scenario.surroundings == .linked else { return }
    try FileManager.default.createDirectory(atPath: folder.file("real"), withIntermediateDirectories: false)
    try FileManager.default.createSymbolicLink(atPath: store, withDestinationPath: "real/store.sqlite")
  }

  /// How the files of the last night are written, by import, and what is in them.
  private(set) var written: [(scenario: Scenario, files: [[Item]])] = []

  /// Copies the folder to where `MERGEWALK_KEEP` says, for somebody who looks into a case.
  func keep() {
    guard let path = ProcessInfo.processInfo.environment["MERGEWALK_KEEP"] else { return }
    try? FileManager.default.removeItem(atPath: path)
    try? FileManager.default.copyItem(atPath: folder.path, toPath: path)
  }

  /// The path by which a pipeline is named: its own, or one from this process's working folder.
  func path(_ name: String) -> String {
    guard scenario.isNamedRelatively else { return folder.file(name) }
    let up = FileManager.default.currentDirectoryPath.split(separator: "/").map { _ in "../" }.joined()
    return up + folder.file(name).drop { $0 == "/" }
  }

  /// The path of the store.
  var store: String { folder.file("store.sqlite") }

  /// Writes the files of a night over those of the night before, and the pipeline.
  ///
  /// - Returns: for each import its files, with the records that a reader should find in them.
  func writeNight(_ night: Int) throws -> [[[ReadRecord]]] {
    var maker = RecordMaker(scenario, night: night)
    let count = scenario.nights[night]
    let items = (0..<scenario.fileCount).map { number in
      maker.items((count + scenario.fileCount - 1 - number) / scenario.fileCount)
    }
    written = [(scenario, items)]
    let nothing = ["", "\n", " \r\n\t\n"][(night + Int(scenario.seed % 3)) % 3]
    var inputs = [try write(items, nothing: nothing)]
    if let people = scenario.people {
      let plain = scenario.plain(people)
      var maker = RecordMaker(plain, night: 100 + night)
      let items = maker.items(9)
      written.append((plain, [items]))
      inputs.append([try write(items, of: plain, to: "people.ndjson")])
    }
    try folder.write(scenario.pipelineText, to: "pipeline.yaml")
    return inputs
  }

  /// Writes files without records over those of the last night.
  ///
  /// Where none of several files has anything in it, blanks are not skipped: the reader has its say.
  func writeNothing() throws {
    _ = try write((0..<scenario.fileCount).map { _ in [] }, nothing: "")
    if let people = scenario.people { _ = try write([], of: scenario.plain(people), to: "people.ndjson") }
  }

  /// Writes the files of a night, packed as the scenario has it.
  ///
  /// - Parameter nothing: what stands in the file that has no records.
  private func write(_ items: [[Item]], nothing: String) throws -> [[ReadRecord]] {
    var records: [[ReadRecord]] = []
    for file in scenario.sourceFiles {
      let path = folder.file(file.name)
      try? FileManager.default.removeItem(atPath: path)
      var members = file.strays
      for number in file.members {
        var bytes = Array(nothing.utf8)
        if let number {
          let written = try FileWriter(scenario: scenario).write(items[number], to: path)
          records.append(written.records)
          bytes = written.bytes
        }
        members.append(Container.Member(name: scenario.memberBytes(number), bytes: bytes))
      }
      if scenario.format == .sqlite { continue }
      try Data(file.container.pack(members)).write(to: URL(fileURLWithPath: path))
    }
    return records
  }

  /// Writes a file that is not packed.
  private func write(_ items: [Item], of scenario: Scenario, to name: String) throws -> [ReadRecord] {
    let path = folder.file(name)
    let written = try FileWriter(scenario: scenario).write(items, to: path)
    try Data(written.bytes).write(to: URL(fileURLWithPath: path))
    return written.records
  }

  /// Writes what fills the store before the first night: plain records, and a plain pipeline.
  func writeBefore() throws -> [[[ReadRecord]]] {
    var item = Scenario(seed: scenario.seed, choices: [:]).item
    item.keys = scenario.keyNames.map { FieldMap($0) }
    var maps = [item]
    switch scenario.kind {
    case .flat: break
    case .child: maps.append(EntityMap("Gadget", [FieldMap("code")], [FieldMap("label")]))
    case .parent:
      item.entity = "Special"
      maps.append(item)
    }
    if scenario.hasUnits {
      maps.append(EntityMap("Unit", [FieldMap("code", "email")], [FieldMap("name", "motto")]))
    }
    var inputs: [[[ReadRecord]]] = []
    var parts: [[String: String]] = []
    for (index, map) in maps.enumerated() {
      let plain = scenario.plain(map)
      var maker = RecordMaker(plain, night: -1 - index)
      let name = "before-\(index).ndjson"
      inputs.append([try write(maker.items(index == 0 ? 15 : 5), of: plain, to: name)])
      parts.append(plain.partText([name]))
    }
    try folder.write(
      Scenario.text(["store": "store.sqlite", "history": "false", "pipeline": "before"], parts), to: "before.yaml")
    return inputs
  }
}

extension Scenario {
  /// The scenario with plain lines of JSON for an entity.
  func plain(_ map: EntityMap) -> Scenario {
    var plain = Scenario(seed: seed, choices: [:])
    plain.format = .ndjson
    plain.keyType = keyType
    plain.keyNames = keyNames
    plain.keyRange = keyRange
    plain.isTame = isTame
    plain.isUnique = isUnique
    plain.hasSerial = hasSerial
    plain.hasDerived = hasDerived
    plain.hasLook = hasLook
    plain.kind = kind
    if !encoding.isWhole { plain.encoding = encoding }
    plain.item = map
    plain.columns = (columns + Self.memberColumns).filter {
      if case .made = $0.kind { return false }
      return map.columns.contains($0.name) || stores != nil && $0.name == Self.storesColumn
    }
    return plain
  }

  var pipelineText: String {
    var parts = [partText(sourceFiles.map(\.name))]
    if let people {
      var second = plain(people).partText(["people.ndjson"])
      second["name"] = "second"
      parts.append(second)
    }
    return Self.text(
      top.merging(["store": "store.sqlite", "pipeline": "meeting", "model": modelFile]) { mine, _ in mine }, parts)
  }

  /// A pipeline of imports; a single one stands at the top.
  static func text(_ top: [String: String], _ parts: [[String: String]]) -> String {
    var top = top
    top["model"] = top["model"] ?? "model.yaml"
    if parts.count == 1 {
      top.merge(parts[0]) { _, mine in mine }
    } else {
      top["imports"] = "\n" + parts.map { "  - " + YAMLText.flow($0) }.joined(separator: "\n")
    }
    return top.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)\n" }.joined()
  }

  /// One import.
  func partText(_ files: [String]) -> [String: String] {
    var source = source
    source["files"] = "[" + files.map { YAMLText.quoted($0) }.joined(separator: ", ") + "]"
    source["format"] = format.rawValue
    source["encoding"] = encoding.name
    if archives > 0 { source["member"] = "[" + chosenMembers.map { YAMLText.quoted($0) }.joined(separator: ", ") + "]" }
    switch format {
    case .csv, .tsv:
      if delimited.detectedNull == nil { source["null"] = YAMLText.quoted(delimited.null) }
      if delimited.header == .none {
        source["columns"] = "[" + columnNames.map { YAMLText.quoted($0) }.joined(separator: ", ") + "]"
      }
    case .fixedWidth:
      source["null"] = YAMLText.quoted("\\N")
      source["widths"] =
        "{ " + columnNames.map { "\(YAMLText.quoted($0)): \(FixedWidthForm.width)" }.joined(separator: ", ") + " }"
    case .json, .yaml, .plist: source["records"] = "items"
    case .xml: source["records"] = "/shop/items/item"
    case .ndjson, .jsonSequence, .sqlite: break
    }
    if !ignored.isEmpty {
      source["ignore"] = "[" + ignored.map { YAMLText.quoted(columnName($0)) }.joined(separator: ", ") + "]"
    }
    if hasElements { source["each"] = YAMLText.quoted(elementPath.joined(separator: ".")) }
    var part = partOptions
    part["source"] = YAMLText.flow(source)
    part["import"] = YAMLText.flow(YAMLText(columnName: columnName).entity(item, isRoot: true))
    return part
  }

  var modelText: String {
    let keys = "code: \(keyType.rawValue), label: { type: string, default: unnamed }"
    let own =
      "number: integer64, amount: { type: integer64, default: 7, max: 1000 }, price: decimal, weight: double, "
      + "day: date, flag: boolean, isGone: boolean, serial: string, found: string, "
      + "photo: { type: binary, external_storage: true }"
      + (hasLook ? ", look: { type: transformable, transformer: Look }" : "")
    func rule(_ name: String) -> String { deleteRules[name].map { ", delete: \($0)" } ?? "" }
    func unique(_ names: String) -> String { isUnique ? "unique: [[\(names)]]" : "user_info: {}" }
    let hasOwnKey = isUnique && (kind != .child || keyNames.count > 1)
    let constraints = (hasOwnKey ? [keyNames.joined(separator: ", ")] : []) + (hasSerial ? ["serial"] : [])
    let lists = constraints.map { "[\($0)]" }.joined(separator: ", ")
    let uniqueness = constraints.isEmpty ? "user_info: {}" : "unique: [\(lists)]"
    let (derived, sums) =
      hasDerived
      ? (
        ", loud: { type: string, derived: \"uppercase:(label)\" }, ownerName: { type: string, derived: owner.email }",
        ", itemCount: { type: integer64, derived: items.@count }, itemSum: { type: integer64, derived: items.@sum.amount }"
      ) : ("", "")
    return """
      model: Meeting
      entities:
        Item:
          \(kind == .child ? "parent: Thing" : "renamed_from: Item")
          attributes: { \(kind == .child ? own : keys + ", " + own)\(derived) }
          relationships:
            owner: { to_one: Person, inverse: items, required: \(needsOwner) }
            parent: { to_one: Item, inverse: children }
            children: { to_many: Item, inverse: parent\(rule("children")) }
            tags: { to_many: Tag, inverse: items\(rule("tags")) }
            topics: { to_many: Topic, inverse: items, ordered: true }
            lines: { to_many: Line, inverse: item, ordered: true, delete: cascade }
            notes: { to_many: Note, inverse: item\(rule("notes")) }
          \(uniqueness)
      \(kindText)
        Person:
          attributes: { email: string, age: integer64\(sums) }
          relationships:
            items: { to_many: Item, inverse: owner\(rule("items")) }
            team: { to_one: Team, inverse: members }
          \(unique("email"))
        Unit:
          attributes: { code: string, name: string }
          \(unique("code"))
        Team:
          attributes: { name: string, motto: string }
          relationships: { members: { to_many: Person, inverse: team } }
          \(unique("name"))
        Tag:
          attributes: { name: string, rank: integer64 }
          relationships: { items: { to_many: Item, inverse: tags } }
          \(unique("name"))
        Topic:
          attributes: { name: string }
          relationships: { items: { to_many: Item, inverse: topics } }
          \(unique("name"))
        Line:
          attributes: { number: integer64, text: string }
          relationships:
            item: { to_one: Item, inverse: lines }
            figures: { to_many: Figure, inverse: line, delete: cascade }
        Figure:
          attributes: { label: string }
          relationships: { line: { to_one: Line, inverse: figures } }
        Note:
          attributes: { code: string, text: string }
          relationships: { item: { to_one: Item, inverse: notes } }
          \(unique("code"))
      """
  }

  private var kindText: String {
    switch kind {
    case .flat: ""
    case .parent: "  Special: { parent: Item, attributes: { extra: string } }"
    case .child:
      """
        Thing:
          abstract: true
          attributes: { code: \(keyType.rawValue), label: { type: string, default: unnamed } }
          \(isUnique && keyNames.count == 1 ? "unique: [code]" : "user_info: {}")
        Gadget: { parent: Thing, attributes: { size: integer64 } }
      """
    }
  }
}

extension EntityMap {
  /// The columns of the records that fill it.
  var columns: Set<String> {
    var names = Set((keys + fields).map(\.column))
    for relation in relations { names.formUnion(relation.list.map { [$0] } ?? relation.target.columns) }
    return names
  }
}
