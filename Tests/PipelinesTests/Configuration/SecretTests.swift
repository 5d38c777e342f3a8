import MergewalkDiagnostics
import Foundation
import MergewalkImporting
import MergewalkPipelines
import MergewalkTestSupport
import Testing

@Suite("Secrets")
struct SecretTests {
  private let folder: PipelineFolder
  private static let secret = "hunter2-and-more-than-that"

  init() throws { folder = try PipelineFolder() }

  private func settings(_ values: [String: String]) -> PipelineSettings {
    var settings = PipelineSettings()
    settings.variables = Variables(assignments: values, usesEnvironment: false)
    return settings
  }

  /// The sound pipeline with another store.
  private func pipeline(store: String) -> String {
    PipelineFolder.sound.replacingAll("store: shop.sqlite", with: "store: \"\(store)\"")
  }

  @Test("a secret is a variable's value, or what the file holds that NAME_FILE names")
  func sources() throws {
    let file = try folder.folder.write(Self.secret + "\n", to: "run/secret")
    let cases: [(text: String, values: [String: String])] = [
      ("${secret:KEY}", ["KEY": Self.secret]), ("${secret:KEY}", ["KEY_FILE": file]), ("${file:\(file)}", [:]),
      ("${file:run/secret}", [:]), ("${file:none:-\(Self.secret)}", [:]), ("${secret:KEY:-\(Self.secret)}", [:]),
    ]
    for (text, values) in cases {
      let pipeline = try Pipeline.read(
        try folder.write(pipeline(store: text + ".sqlite")), settings: settings(values))
      #expect(pipeline.definition.storePath == folder.folder.file(Self.secret + ".sqlite"), "\(text)")
      #expect(pipeline.redaction(Self.secret) == "***" && pipeline.definition.redaction(Self.secret) == "***")
    }
  }

  @Test("a plain variable is no secret")
  func plain() throws {
    let pipeline = try Pipeline.read(
      try folder.write(pipeline(store: "${KEY}.sqlite")), settings: settings(["KEY": Self.secret]))
    #expect(pipeline.redaction.isEmpty)
  }

  @Test(
    "no finding shows a secret, wherever it stands",
    arguments: [
      ("mode: upsert", "mode: ${secret:KEY}"), ("entity: Order", "entity: ${secret:KEY}"),
      ("find_by: [orderID]", "find_by: [\"${secret:KEY}\"]"), ("files: orders.csv", "files: \"${secret:KEY}.csv\""),
      ("format: csv", "format: ${secret:KEY}"), ("records: 500", "records: \"${secret:KEY}\""),
      ("bytes: 1MiB", "bytes: \"${secret:KEY}\""), ("limit: 10", "limit: \"${secret:KEY}\""),
      ("ratio: 1%", "ratio: \"${secret:KEY}\""), ("trim: true", "trim: \"${secret:KEY}\""),
      ("from: note", "from: \"a ${secret:KEY} b\""), ("date: iso8601", "date: \"${secret:KEY}\""),
      ("quantity: quantity", "quantity: { from: quantity, decimal_mark: \"${secret:KEY}\" }"),
      ("Shop.xcdatamodeld", "${secret:KEY}.xcdatamodeld"), ("pipeline: orders", "pipeline: { a: \"${secret:KEY}\" }"),
      ("store: shop.sqlite", "include: [\"${secret:KEY}\"]"),
    ])
  func findings(_ sound: String, _ seeded: String) throws {
    try #require(PipelineFolder.sound.contains(sound))
    let text = PipelineFolder.sound.replacingAll(sound, with: seeded)
    // A long one is cut in messages, a short one is not.
    for secret in [Self.secret, "pa55", String(repeating: "s3cr3t/", count: 30)] {
      let findings = try folder.lint(text, settings(["KEY": secret]))
      #expect(!findings.isEmpty, "\(seeded)")
      #expect(findings.allSatisfy { !$0.contains(secret.prefix(12)) }, "\(findings)")
    }
  }

  @Test("a secret that is too short to be hidden is refused, and not shown")
  func short() throws {
    let findings = try folder.lint(pipeline(store: "${secret:KEY}.sqlite"), settings(["KEY": "q9z"]))
    #expect(findings.map { $0.split(separator: "[").last } == ["invalidSecret]"])
    #expect(!findings[0].contains("q9z"))
  }

  @Test(
    "a secret that is not there is a finding at its place",
    arguments: [
      ("${secret:KEY}", "missingVariable"), ("${file:none}", "missingVariable"), ("${file:.}", "missingVariable"),
      ("${file:}", "invalidVariable"), ("${secret:}", "invalidVariable"), ("${secret:a b}", "invalidVariable"),
      ("${secrets:KEY}", "invalidVariable"), ("${file:binary}", "invalidSecret"),
    ])
  func missing(_ reference: String, _ code: String) throws {
    try Data([0x66, 0xFF, 0x00]).write(to: URL(fileURLWithPath: folder.folder.file("binary")))
    let findings = try folder.lint(pipeline(store: "a" + reference + ".sqlite"), settings([:]))
    #expect(findings.contains { $0.hasPrefix("pipeline.yaml:3:10:") && $0.hasSuffix("[\(code)]") }, "\(findings)")
  }

  @Test("secrets of included files are hidden, and their paths are relative to the file")
  func included() throws {
    try folder.folder.write(Self.secret, to: "parts/secret")
    try folder.folder.write("batch: { records: \"${file:secret}\" }\n", to: "parts/base.yaml")
    let text = PipelineFolder.sound.replacingAll("batch: { records: 500, bytes: 1MiB }\n", with: "")
    let findings = try folder.lint("include: parts/base.yaml\n" + text)
    #expect(findings.map { $0.split(separator: " ")[0] } == ["parts/base.yaml:1:19:"], "\(findings)")
    #expect(!findings[0].contains("hunter2"))
  }

  @Test("rejects do not show a secret of the configuration, but show the data as they are")
  func rejects() throws {
    let input = folder.folder.file(Self.secret + ".csv")
    try FileManager.default.copyItem(atPath: folder.folder.file("orders.csv"), toPath: input)
    var text = try String(contentsOfFile: input, encoding: .utf8)
    text += "2,2024-05-01,many,2.50,\(Self.secret),a@example.com,Ada,GB,0001,Lamp,Home\n"
    try text.write(toFile: input, atomically: true, encoding: .utf8)
    let pipeline = PipelineFolder.sound.replacingAll("files: orders.csv", with: "files: \"${secret:KEY}.csv\"")
      .replacingAll("pipeline: orders", with: "pipeline: \"orders ${secret:KEY}\"")
      .replacingAll(", ratio: 1%", with: "")
    let definition = try Pipeline.read(try folder.write(pipeline), settings: settings(["KEY": Self.secret])).definition
    let summary = try ImportSession(definition).run()
    #expect(summary.rejected == 1)
    let line = try String(contentsOfFile: folder.folder.file("rejects.ndjson"), encoding: .utf8)
    let object = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
    #expect((object["file"] as? String)?.hasSuffix("/***.csv") == true)
    #expect((object["run"] as? String)?.hasPrefix("orders ***@") == true)
    #expect((object["raw"] as? String)?.contains(Self.secret) == true)
  }
}
