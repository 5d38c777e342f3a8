import ArgumentParser
import MergewalkBytes
import MergewalkObjectStore

/// `mergewalk store verify`: whether a store is as Core Data would have made it.
struct StoreVerifyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract: "Check the integrity of a store: keys, references, inverses, numbers, metadata, hashes.",
    discussion: HelpText.flow(
      """
      Findings go to standard output as severity: table: message [code]. The exit code is 0 if there are no \
      errors (warnings and notes do not count), 1 if there are, and 2 if the store cannot be read. Without \
      --model, the copy of the model in the store is used; if there is none, relationships are not checked.

      EXAMPLES
        mergewalk store verify shop.sqlite
        mergewalk store verify shop.sqlite --model Shop.xcdatamodeld --json
      """))

  @Argument(help: "The store.", completion: .file())
  var store: String

  @Option(help: ArgumentHelp("The model of the store.", valueName: "model"))
  var model: String?

  @Option(
    name: .customLong("model-version"),
    help: ArgumentHelp("The version of an .xcdatamodeld; by default, the current one.", valueName: "name"))
  var version: String?

  @Flag(help: "Print one JSON object.")
  var json = false

  func validate() throws {
    if version != nil, model == nil { throw ValidationError("--model-version needs --model") }
  }

  func run() throws {
    let model = try self.model.map { try ModelLoading.model($0, version: version) }
    let report = try StoreFailure.orEnd { () throws(StoreError) in
      try StoreVerifier.verify(path: store, model: model)
    }
    if json {
      Console.data(Self.json(report))
    } else {
      for finding in report.findings { Console.data("\(report.path): \(finding.description)") }
      let errors = report.findings.count { $0.severity == .error }
      let sound = report.checksRelationships ? "sound" : "no errors, but without a model relationships were not checked"
      let verdict = report.isSound ? sound : Figures.count(errors, "error")
      Console.words("\(report.path): \(verdict), \(Figures.count(report.checkedRows, "row")) checked")
    }
    if !report.isSound { throw ExitStatus.findings }
  }

  private static func json(_ report: StoreReport) -> JSONText {
    [
      "store": .string(report.path),
      "sound": report.isSound && !report.checksRelationships ? .null : .boolean(report.isSound),
      "relationships_checked": .boolean(report.checksRelationships), "model": .string(report.modelSource.rawValue),
      "rows": .integer(report.checkedRows),
      "findings": .array(
        report.findings.map { finding in
          [
            "severity": .string(finding.severity.rawValue), "code": .string(finding.code.rawValue),
            "table": .text(finding.table), "rows": .count(finding.rows), "message": .string(finding.message),
          ]
        }),
    ]
  }
}
