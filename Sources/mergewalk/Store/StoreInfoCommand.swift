import ArgumentParser
import MergewalkBytes
import MergewalkObjectStore

/// `mergewalk store info`: what a store contains, in numbers.
struct StoreInfoCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "info", abstract: "Print the entities, counts and metadata of a store.",
    discussion: HelpText.flow(
      """
      EXAMPLES
        mergewalk store info shop.sqlite
        mergewalk store info shop.sqlite --json
      """))

  @Argument(help: "The store.", completion: .file())
  var store: String

  @Flag(help: "Print one JSON object.")
  var json = false

  func run() throws {
    let info = try StoreFailure.orEnd { () throws(StoreError) in try StoreInfo.read(path: store) }
    Console.data(lines: json ? Self.json(info).text : Self.text(info))
  }

  private static func text(_ info: StoreInfo) -> String {
    var facts = [
      ("store", info.path),
      ("uuid", info.metadata.uuid),
      (
        "size",
        Figures.bytes(info.fileBytes) + (info.logBytes > 0 ? " and a log of \(Figures.bytes(info.logBytes))" : "")
      ),
      ("journal", info.isWriteAhead ? "write-ahead log" : "rollback"),
      ("history", info.hasHistory ? "tracked" : "not tracked"),
      ("model", info.modelProblem ?? "carries a copy"),
    ]
    if let note = info.cloudNote { facts.append(("cloud", note)) }
    for note in info.modelNotes { facts.append(("warning", note)) }
    for path in info.resumablePlans { facts.append(("unfinished", "a run that can be resumed, in \(path)")) }
    for path in info.outdatedPlans { facts.append(("left over", "\(path), which “mergewalk store clean” removes")) }
    if let problem = info.planProblem { facts.append(("warning", "unfinished runs are not known: \(problem)")) }
    if let digest = info.metadata.digest { facts.append(("digest", digest)) }
    if let checksum = info.metadata.checksum { facts.append(("checksum", checksum)) }
    var table = TextTable("entity", "number", "objects", "greatest key")
    for entity in info.entities {
      table.add(
        entity.parent.map { "\(entity.name): \($0)" } ?? entity.name, String(entity.number),
        Figures.grouped(entity.objects), entity.parent == nil ? Figures.grouped(Int(entity.maximum)) : "")
    }
    return TextTable.facts(facts) + "\n\n" + table.text
  }

  private static func json(_ info: StoreInfo) -> JSONText {
    [
      "store": .string(info.path), "uuid": .string(info.metadata.uuid), "file_bytes": .integer(info.fileBytes),
      "log_bytes": .integer(info.logBytes), "write_ahead": .boolean(info.isWriteAhead),
      "history": .boolean(info.hasHistory), "cloud": .boolean(info.cloudNote != nil),
      "model_copy": .boolean(info.hasModelCopy), "model_usable": .boolean(info.modelProblem == nil),
      "model_problem": .text(info.modelProblem), "model_notes": .strings(info.modelNotes),
      "resumable_plans": .strings(info.resumablePlans), "outdated_plans": .strings(info.outdatedPlans),
      "plan_problem": .text(info.planProblem),
      "digest": .text(info.metadata.digest), "checksum": .text(info.metadata.checksum),
      "entities": .object(
        info.entities.map { entity in
          (
            entity.name,
            [
              "number": .integer(entity.number), "parent": .text(entity.parent), "objects": .integer(entity.objects),
              "maximum": .integer(Int(entity.maximum)), "hash": .text(entity.hash.map { Hexadecimal.text($0) }),
            ]
          )
        }),
    ]
  }
}
