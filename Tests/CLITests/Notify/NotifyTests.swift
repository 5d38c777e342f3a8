import Foundation
import MergewalkTestSupport
import Testing

/// `notify` of pipelines: webhooks are held against a server on the loopback address, commands against what they write.
@Suite("Notifications")
struct NotifyTests {
  let folder = TemporaryFolder()
  static let hasCurl = FileManager.default.isExecutableFile(atPath: "/usr/bin/curl")

  init() throws {
    try folder.write(
      """
      model: Map
      entities:
        Country:
          attributes: { code: string!, n: integer32 }
          unique: [code]
      """, to: "model.yaml")
    try folder.write("code,n\nCH,1\nDE,2\n", to: "good.csv")
    try folder.write("code,n\nCH,1\nDE,two \"x\"\n", to: "bad.csv")
  }

  private func pipeline(_ notify: String, source: String = "good.csv", more: String = "") throws {
    try folder.write(
      """
      pipeline: countries
      model: model.yaml
      store: map.sqlite
      source: \(source)
      import: { entity: Country, find_by: [code], attributes: [n] }
      \(more)
      notify:
      \(notify.split(separator: "\n").map { "  " + $0 }.joined(separator: "\n"))
      """, to: "p.yaml")
  }

  private func run(_ arguments: String..., environment: [String: String] = [:]) throws -> Command {
    try Command(["run", "p.yaml"] + arguments, in: folder.path, environment: environment)
  }

  private func object(_ text: String?) throws -> [String: Any] {
    let value = try JSONSerialization.jsonObject(with: Data((text ?? "").utf8))
    return try #require(value as? [String: Any])
  }

  @Test(
    "a webhook gets the body, escaped for JSON, by a POST with the headers", .enabled(if: hasCurl, "curl is missing"))
  func webhook() throws {
    let server = try HTTPListener()
    defer { server.stop() }
    try pipeline(
      """
      - url: \(server.url)
        when: rejects
        headers: { X-Token: "${secret:TOKEN}" }
        body: '{"text": "{{pipeline}}: {{message}}", "file": "{{rejects_file}}", "rejected": {{ rejected }}}'
      """, source: "bad.csv", more: "rejects: { file: 'a\"b.ndjson' }")
    let token = "tok-123456"
    let command = try run(environment: ["TOKEN": token])
    #expect(command.status == 1, "\(command.words)")
    let request = try #require(server.received.first)
    #expect(server.received.count == 1 && request.hasPrefix("POST /hook/s3cr3t-path HTTP/1.1\r\n"), "\(request)")
    #expect(request.contains("X-Token: \(token)\r\n") && request.contains("Content-Type: application/json\r\n"))
    let body = try object(server.bodies.first)
    #expect(body["text"] as? String == "countries: 2 records read, 1 rejected")
    #expect((body["file"] as? String)?.hasSuffix("a\"b.ndjson") == true && body["rejected"] as? Int == 1)
    #expect(!command.words.contains(token))
  }

  @Test(
    "the standard body is JSON with the counts, the status and the reasons", .enabled(if: hasCurl, "curl is missing"))
  func standardBody() throws {
    let server = try HTTPListener()
    defer { server.stop() }
    try pipeline("- { url: \"\(server.url)\", when: [always] }")
    #expect(try run().status == 0)
    let body = try object(server.bodies.first)
    #expect(body["status"] as? String == "completed" && body["exit_code"] as? Int == 0 && body["read"] as? Int == 2)
    #expect(body["reasons"] as? String == "" && body["inserted"] as? Int == 2)
    #expect((body["run"] as? String)?.hasPrefix("countries@") == true)
    #expect((body["started"] as? String)?.hasPrefix("20") == true && body["report"] as? String == "")
  }

  @Test(
    "a notification that fails is a counted warning and nothing else: refused, unknown, silent, without program",
    .enabled(if: hasCurl, "curl is missing"))
  func failures() throws {
    let (refusing, silent) = (try HTTPListener(.status(500)), try HTTPListener(.silence))
    defer {
      refusing.stop()
      silent.stop()
    }
    try pipeline(
      """
      - { url: "\(refusing.url)", when: always }
      - { url: "\(silent.url)", when: always, timeout: 200ms }
      - { command: [/no/such/program], when: always }
      - { command: [sh, -c, "echo why >&2; exit 3"], when: always }
      - { command: [sh, -c, "cat; while :; do :; done"], when: always, timeout: 100ms }
      """)
    let command = try run("--json", "--metrics", "m.prom")
    #expect(command.status == 0, "\(command.words)")
    let warnings = try command.warnings().filter { $0.hasPrefix("notNotified: ") }
    #expect(warnings.count == 5, "\(warnings)")
    #expect(warnings.first?.contains("127.0.0.1:\(refusing.port) was not notified") == true)
    #expect(warnings.first?.contains("500") == true, "\(warnings)")
    #expect(warnings.dropFirst().first?.contains("127.0.0.1:\(silent.port)") == true)
    #expect(warnings.contains { $0.contains("/no/such/program") })
    #expect(warnings.contains { $0.contains("why; it ended with exit code 3") })
    #expect(warnings.last?.contains("it took longer than") == true)
    // The path of a URL may be a secret.
    #expect(!command.output.contains("s3cr3t") && !command.words.contains("s3cr3t"))
    let metrics = try String(contentsOfFile: folder.file("m.prom"), encoding: .utf8)
    #expect(metrics.contains("mergewalk_run_notifications_failed{pipeline=\"countries\"} 5"), "\(metrics)")
  }

  @Test("a command gets the body on its standard input and placeholders in its arguments, without a shell")
  func command() throws {
    try pipeline(
      """
      - command: [sh, -c, 'cat > "$1"; echo "$2" >> "$1"', x, told.txt, "{{status}} $(date) {{read}}"]
        when: always
        body: "{{pipeline}}\\n{{reasons}}|{{message}}\\n"
      """, source: "bad.csv")
    #expect(try run().status == 1)
    let told = try String(contentsOfFile: folder.file("told.txt"), encoding: .utf8)
    #expect(told == "countries\nrejects|2 records read, 1 rejected\ncompleted_with_rejects $(date) 2\n")
  }

  @Test("what a run is like decides, and dry runs tell nobody")
  func occasions() throws {
    let each = ["failure", "rejects", "anomaly", "always"]
    func told() -> [String] {
      defer { for name in each { try? FileManager.default.removeItem(atPath: folder.file("told." + name)) } }
      return each.filter { FileManager.default.fileExists(atPath: folder.file("told." + $0)) }
    }
    let notify = each.map { "- { command: [touch, told.\($0)], when: \($0) }" }.joined(separator: "\n")
    try pipeline(notify)
    #expect(try run("--dry-run").status == 0 && told() == [])
    #expect(try run().status == 0 && told() == ["always"])
    try pipeline(notify, source: "bad.csv")
    #expect(try run().status == 1 && told() == ["rejects", "always"])
    try pipeline(notify, source: "bad.csv", more: "rejects: { limit: 0 }")
    #expect(try run().status == 3 && told() == ["failure", "rejects", "always"])
    // What cannot be read is a failure, too: the input, the model, a mistake elsewhere in the file.
    try pipeline(notify, source: "gone.csv")
    #expect(try run().status == 2 && told() == ["failure", "always"])
    try pipeline(notify, more: "nonsense: 1")
    #expect(try run().status == 2 && told() == ["failure", "always"])
    #expect(try run("--dry-run").status == 2 && told() == [])
    let rows = "code,n\n" + (0..<40).map { "C\($0),1\n" }.joined()
    try folder.write(rows, to: "many.csv")
    try pipeline(notify, source: "many.csv", more: "anomalies: { least: 1 }")
    #expect(try run().status == 0 && told() == ["anomaly", "always"])
  }

  @Test("a run that cannot be carried out says why, and no secret is in a body")
  func failureBody() throws {
    try pipeline(
      "- { command: [sh, -c, 'cat > told.txt'], body: '{{pipeline}} {{status}}: {{message}}' }",
      source: "${secret:WHERE}")
    let command = try run(environment: ["WHERE": "hidden-place.csv"])
    #expect(command.status == 2)
    let told = try String(contentsOfFile: folder.file("told.txt"), encoding: .utf8)
    #expect(told.hasPrefix("countries failed: p.yaml:4:") && told.contains("no"), "\(told)")
    #expect(!told.contains("hidden-place"), "\(told)")
  }

  @Test(
    "a pipeline that cannot be run is called as its file calls it",
    arguments: [
      ("pipeline: night", "night"), ("pipeline: 2024", "2024"), ("pipeline: '${WHO}'", "me"),
      ("include: base.yaml", "base"), ("pipeline:", "p"), ("pipeline: [a]", "p"), ("order: file", "p"),
    ])
  func failedName(_ line: String, _ name: String) throws {
    try folder.write("pipeline: base\n", to: "base.yaml")
    try folder.write(
      "\(line)\nnonsense: 1\nnotify: [{ command: [sh, -c, 'cat > told.txt'], body: '{{pipeline}}' }]\n", to: "p.yaml")
    #expect(try run(environment: ["WHO": "me"]).status == 2)
    #expect(try String(contentsOfFile: folder.file("told.txt"), encoding: .utf8) == name)
  }

  @Test(
    "lint finds what would fail at night",
    arguments: [
      ("- { when: always }", "missingField"), ("- { url: 'ftp://x/y' }", "“url” is not an HTTP URL"),
      ("- { url: 'https://x/y z' }", "“url” is not an HTTP URL"),
      ("- { url: 'https://x', command: [a] }", "“command” has no effect together with “url”"),
      ("- { command: [a], headers: { A: b } }", "“headers” has no effect together with “command”"),
      ("- { url: 'https://x', when: [failures] }", "did you mean “failure”?"),
      ("- { url: 'https://x', body: '{{statsu}}' }", "did you mean “status”?"),
      ("- { url: 'https://x', body: '{{status' }", "no placeholder"),
      ("- { url: 'https://x', body: '{\"a\": {{status}}}' }", "begins like JSON but is invalid"),
      ("- { url: 'https://x', timeout: 0s }", "“timeout” cannot be nothing"),
      ("- { url: 'https://x', headers: { 'A b': c } }", "is not a header"),
      ("- { url: 'https://x', body: 'key ${secret:TOKEN}' }", "“body” of a notification holds a secret"),
      ("- { command: [tell, '${secret:TOKEN}'] }", "“command” of a notification holds a secret"),
      ("- { url: 'https://x', body: { a: 1 } }", "takes text"),
    ])
  func lint(_ notify: String, _ words: String) throws {
    try pipeline(notify)
    let command = try Command(["lint", "p.yaml"], in: folder.path, environment: ["TOKEN": "tok-123456"])
    #expect(
      command.status == 1 && (command.output + command.words).contains(words), "\(command.output)\(command.words)")
    #expect(!(command.output + command.words).contains("tok-123456"))
  }
}
