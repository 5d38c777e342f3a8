import Foundation
import MergewalkImporting
import MergewalkPipelines
import MergewalkRecordFormats
import MergewalkTestSupport
import Testing

@Suite("Sources of pipelines")
struct SourceLintTests {
  private let folder: PipelineFolder
  private static let sound = PipelineFolder.sound

  init() throws { folder = try PipelineFolder() }

  /// Runs a tool in the folder; false when the machine has none.
  private func make(_ words: String...) throws -> Bool {
    guard FileManager.default.isExecutableFile(atPath: "/usr/bin/" + words[0]) else { return false }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/" + words[0])
    process.arguments = Array(words.dropFirst())
    process.currentDirectoryURL = URL(fileURLWithPath: folder.folder.path)
    try process.run()
    process.waitUntilExit()
    return process.terminationStatus == 0
  }

  private func pipeline(_ source: String) -> String {
    Self.sound.replacingAll("files: orders.csv\n  format: csv", with: source)
  }

  private func sources(_ source: String) throws -> [ByteSource] {
    // The digests of these tests are none of their files'.
    var settings = PipelineSettings()
    settings.checksHeaders = false
    return try Pipeline.read(folder.write(pipeline(source)), settings: settings).definition.sources
  }

  private func names(_ source: String) throws -> [String] {
    try sources(source).map { String($0.path.dropFirst(folder.folder.path.count + 1)) }
  }

  @Test(
    "options that have no effect are warnings, and none is said of those that have one",
    arguments: [
      ("  format: csv", "  format: csv\n  quoted_nulls: true", "“quoted_nulls” is for the words of “null”"),
      ("  format: csv", "  format: csv\n  quoted_nulls: true\n  null: NULL", ""),
      ("  format: csv", "  format: csv\n  recursive: true", "“recursive” is for folders"),
      ("  format: csv", "  format: csv\n  pattern: '*.csv'", "“pattern” is for folders"),
      ("limit: 10, ratio: 1%", "limit: 10, minimum: 5", "“minimum” is for “ratio”"),
      ("limit: 10, ratio: 1%", "limit: 10, ratio: 1%, minimum: 5", ""),
      ("date: iso8601 }", "date: unix, zone: UTC }", "“zone” is for dates that are texts"),
      ("date: iso8601 }", "date: iso8601, zone: UTC }", ""),
    ])
  func idle(_ old: String, _ new: String, _ words: String) throws {
    let findings = try folder.lint(Self.sound.replacingAll(old, with: new))
    #expect(findings.count == (words.isEmpty ? 0 : 1), "\(findings)")
    for finding in findings {
      #expect(finding.contains(" warning: \(words)") && finding.contains("[unsuitableOption]"), "\(finding)")
    }
  }

  // MARK: Files

  @Test("folders hold files by pattern, and a file is read once")
  func folders() throws {
    let text = try String(contentsOfFile: folder.folder.file("orders.csv"), encoding: .utf8)
    for name in ["in/b.csv", "in/a.csv", "in/deep/c.csv"] { try folder.folder.write(text, to: name) }
    try folder.folder.write("nothing", to: "in/readme.txt")
    #expect(try names("files: in\n  pattern: \"*.csv\"") == ["in/a.csv", "in/b.csv"])
    #expect(
      try names("files: in\n  pattern: \"*.csv\"\n  recursive: true") == ["in/a.csv", "in/b.csv", "in/deep/c.csv"])
    #expect(try names("files: [in/b.csv, \"in/*.csv\"]") == ["in/b.csv", "in/a.csv"])
    #expect(try folder.lint(pipeline("files: [in/b.csv, \"in/*.csv\"]")) == [])
    #expect(
      try folder.lint(pipeline("files: [in/b.csv, ./in/b.csv]")) == [
        "pipeline.yaml:5:21: warning: “in/b.csv” is listed before; it is read once, where it is listed first"
          + " [repeatedFile]"
      ])
    try FileManager.default.createSymbolicLink(
      atPath: folder.folder.file("in/link.csv"), withDestinationPath: folder.folder.file("in/a.csv"))
    #expect(
      try folder.lint(pipeline("files: \"in/*.csv\"")) == [
        "pipeline.yaml:5:10: warning: “in/link.csv” is the same file as “in/a.csv”, which is listed before; it is read"
          + " once, where it is listed first [repeatedFile]"
      ])
    #expect(
      try folder.lint(pipeline("files: in\n  pattern: \"*.tsv\"")) == [
        "pipeline.yaml:5:10: error: “in”: no file in this folder matches “*.tsv”; put such files into it, or name another"
          + " folder [noMatchingFile]"
      ])
  }

  // MARK: Manifests

  @Test("manifests name files, digests and sizes")
  func manifests() throws {
    let text = try String(contentsOfFile: folder.folder.file("orders.csv"), encoding: .utf8)
    for name in ["in/a b.csv", "in/b.csv"] { try folder.folder.write(text, to: name) }
    let digest = String(repeating: "ab", count: 32)
    let bytes = SourceExpectation.sha256(hex: digest)
    try folder.folder.write(
      "# a comment\n\n\(digest)  a b.csv\r\nSHA256 (b.csv) = \(digest)\n../orders.csv\n", to: "in/list.sha256")
    let size = text.utf8.count
    try folder.folder.write(
      "- b.csv\n- { path: \"a b.csv\", sha256: \(digest), size: \(size) }\n- { path: ../orders.csv, size: \(size) }\n",
      to: "in/list.yaml")
    try folder.folder.write(
      "[{\"path\": \"b.csv\", \"sha256\": \"\(digest.uppercased())\"}, \"../orders.csv\"]", to: "in/list.json")
    #expect(try names("manifest: in/list.sha256") == ["in/a b.csv", "in/b.csv", "orders.csv"])
    let lines = try sources("manifest: in/list.sha256").map(\.expected)
    #expect(lines == [SourceExpectation(sha256: bytes), SourceExpectation(sha256: bytes), nil])
    let yaml = try sources("manifest: in/list.yaml").map(\.expected)
    #expect(yaml == [nil, SourceExpectation(size: size, sha256: bytes), SourceExpectation(size: size)])
    #expect(try names("manifest: in/list.json") == ["in/b.csv", "orders.csv"])
    #expect(try names("files: in/b.csv\n  manifest: in/list.json") == ["in/b.csv", "orders.csv"])
    // What the manifest says of a file holds wherever the file is named first.
    let named = try sources("files: in/*.csv\n  manifest: in/list.yaml").map(\.expected)
    #expect(named == [SourceExpectation(size: size, sha256: bytes), nil, SourceExpectation(size: size)])
  }

  @Test(
    "mistakes in manifests are found at their places",
    arguments: [
      (
        "list.txt", "none.csv\n",
        "list.txt:1:1: error: “none.csv”: cannot open the input: there is no file at this path [unreadableFile]"
      ),
      ("list.txt", "orders.csv\norders.csv\n", "list.txt:2:1: warning: “orders.csv” is the same file as “orders.csv”"),
      (
        "list.txt",
        "\(String(repeating: "0", count: 64))  orders.csv\n\(String(repeating: "1", count: 64))  orders.csv\n",
        "list.txt:2:1: error: “orders.csv” has a different SHA-256 here than where it is listed first [invalidManifest]"
      ),
      ("list.txt", "in\n", "list.txt:1:1: error: “in”: this is a folder, not a file [unreadableFile]"),
      ("list.txt", String(repeating: "0", count: 64) + "\n", "list.txt:1:1: error: a digest without a file"),
      ("list.txt", "# nothing\n", "pipeline.yaml:5:13: error: the manifest “list.txt” names no file [invalidManifest]"),
      ("list.yaml", "- { path: orders.csv, size: 5 }\n", "list.yaml:1:3: error: “orders.csv” has 142 bytes, not 5"),
      ("list.yaml", "- { path: orders.csv, size: big }\n", "list.yaml:1:29: error: a size is a number of bytes"),
      ("list.yaml", "- { path: orders.csv, sha256: abc }\n", "list.yaml:1:31: error: a SHA-256 has 64"),
      (
        "list.yaml", "- { paht: orders.csv }\n",
        "list.yaml:1:5: error: “manifest” has no field “paht”; did you mean “path”?"
      ),
      ("list.yaml", "files: []\n", "list.yaml:1:1: error: a manifest is a list of files"),
      ("other.txt", "orders.csv", "pipeline.yaml:5:13: error: “list.txt”: there is no such file; there is “"),
    ])
  func brokenManifests(_ name: String, _ text: String, _ finding: String) throws {
    try folder.folder.write(text, to: name)
    try FileManager.default.createDirectory(atPath: folder.folder.file("in"), withIntermediateDirectories: true)
    let manifest = name == "other.txt" ? "list.txt" : name
    let findings = try folder.lint(pipeline("manifest: \(manifest)\n  format: csv"))
    #expect(findings.contains { $0.hasPrefix(finding) }, "\(findings)")
  }

  @Test("files whose names tell different formats are refused, unless the format is said")
  func mixedFormats() throws {
    try folder.folder.write("{\"id\": 1}\n", to: "b.ndjson")
    let findings = try folder.lint(pipeline("files: [orders.csv, b.ndjson]"))
    let words = "pipeline.yaml:5:23: error: “b.ndjson” is ndjson by its name, “orders.csv” is csv: all files"
    #expect(findings.contains { $0.hasPrefix(words) && $0.hasSuffix("or set “format” [missingField]") }, "\(findings)")
    let said = try folder.lint(pipeline("files: [orders.csv, b.ndjson]\n  format: csv"))
    #expect(!said.contains { $0.contains("by its name") }, "\(said)")
  }

  // MARK: Containers

  @Test("what is packed is looked into")
  func containers() throws {
    guard try make("gzip", "-k", "orders.csv"), try make("tar", "-czf", "all.tgz", "orders.csv", "semicolons.csv")
    else {
      return
    }
    #expect(try folder.lint(pipeline("files: orders.csv.gz")) == [])
    #expect(try folder.lint(pipeline("files: all.tgz\n  member: orders.csv")) == [])
    #expect(
      try folder.lint(pipeline("files: all.tgz\n  member: order.csv")) == [
        "pipeline.yaml:6:11: error: “all.tgz”: the archive has no member “order.csv”; did you mean “orders.csv”?"
          + " [unknownMember]"
      ])
    #expect(
      try folder.lint(pipeline("files: orders.csv\n  member: a.csv")) == [
        "pipeline.yaml:6:11: error: “orders.csv”: the member “a.csv” is requested, but the file is not an archive (zip or"
          + " tar) [unknownMember]"
      ])
    #expect(
      try folder.lint(pipeline("files: orders.csv.gz\n  compression: gzip\n  member: a.csv")).first
        == "pipeline.yaml:7:11: error: “member” is for archives, but “compression” is not that of one"
        + " [unsuitableOption]")
    try FileManager.default.copyItem(
      atPath: folder.folder.file("orders.csv"), toPath: folder.folder.file("plain.csv.gz"))
    #expect(
      try folder.lint(pipeline("files: plain.csv.gz")) == [
        "pipeline.yaml:5:10: warning: “plain.csv.gz” is named as if it were gzip, but is not packed; its bytes are"
          + " believed [misnamedFile]"
      ])
    #expect(
      try folder.lint(pipeline("files: plain.csv.gz\n  compression: gzip")) == [
        "plain.csv.gz: error: gzip data is expected, but the file is not; correct “compression”, or leave it out [corrupt]"
      ])
    let bytes = try Data(contentsOf: URL(fileURLWithPath: folder.folder.file("orders.csv.gz")))
    try bytes.prefix(40).write(to: URL(fileURLWithPath: folder.folder.file("cut.csv.gz")))
    let cut = try folder.lint(pipeline("files: cut.csv.gz"))
    #expect(
      cut == ["cut.csv.gz: error: the gzip data ends too early (byte 40); fetch or copy the file again [truncated]"])
    // Members of zip archives can all be looked at.
    guard try make("zip", "-q", "all.zip", "orders.csv", "semicolons.csv") else { return }
    #expect(
      try folder.lint(pipeline("files: all.zip")) == [
        "pipeline.yaml:5:10: error: “all.zip”: the archive has several files, “orders.csv”, “semicolons.csv” and perhaps"
          + " more; select one with “member”: a name, a pattern, or \"*\" for all of them [unknownMember]"
      ])
    let semicolons = try folder.lint(pipeline("files: all.zip\n  member: \"*\""))
    #expect(semicolons.count == 1 && semicolons[0].contains("“all.zip/semicolons.csv” has a single column"))
  }

  @Test("options arrive")
  func options() throws {
    try FileManager.default.createDirectory(atPath: folder.folder.file("in"), withIntermediateDirectories: true)
    try folder.folder.write("x", to: "in/x")
    let text = pipeline(
      "files: in/x\n  format: ndjson\n  compression: tar.zst\n  member: [a, \"b*\"]\n  max_expansion: 7\n"
        + "  encoding: Shift_JIS")
    var settings = PipelineSettings()
    settings.checksHeaders = false
    let definition = try Pipeline.read(folder.write(text), settings: settings).definition
    let container = definition.sources[0].container
    #expect(container.formats == [.zstd, .tar])
    #expect(container.members == ["a", "b*"] && container.maximumExpansion == 7)
    var options = NDJSONOptions()
    options.encoding = try #require(TextEncoding(named: "shift_jis"))
    #expect(definition.format == .ndjson(options))
    for (word, formats) in [
      ("none", [ContainerFormat]()), ("gzip", [.gzip]), ("zip", [.zip]), ("tar.gz", [.gzip, .tar]),
      ("tar.xz", [.xz, .tar]), ("tar.bz2", [.bzip2, .tar]), ("tar", [.tar]), ("bzip2", [.bzip2]),
    ] {
      let text = pipeline("files: in/x\n  format: csv\n  compression: \(word)")
      #expect(
        try Pipeline.read(folder.write(text), settings: settings).definition.sources[0].container.formats == formats)
    }
  }

  // MARK: Encodings

  @Test("encodings are those of iconv, and others have their nearest name")
  func encodings() throws {
    #expect(try folder.lint(pipeline("files: orders.csv\n  encoding: windows-1250")) == [])
    #expect(try folder.lint(pipeline("files: orders.csv\n  encoding: detect")) == [])
    #expect(
      try folder.lint(pipeline("files: orders.csv\n  encoding: windos-1250")) == [
        "pipeline.yaml:6:13: error: there is no encoding “windos-1250”; did you mean “windows-1250”? there is automatic,"
          + " detect and what “iconv -l” lists [invalidOption]"
      ])
    var random = SeededGenerator(seed: 2)
    let noise = (0..<500).map { _ in UInt8.random(in: 1...255, using: &random) }
    try Data(noise).write(to: URL(fileURLWithPath: folder.folder.file("noise.csv")))
    let findings = try folder.lint(pipeline("files: noise.csv\n  encoding: detect"))
    #expect(findings.count == 1 && findings[0].hasSuffix("set “encoding” [undetectedEncoding]"), "\(findings)")
    // The same bytes are “ș” in ISO 8859-16 and “ş” in Windows-1250, which both are Romanian.
    let rows = (1...9).map { "\($0),Timi" + "\u{BA}" + "oara,Ia" + "\u{BA}" + "i,Constan" + "\u{FE}" + "a\n" }.joined()
    try folder.folder.write(("order_id,a,b,c\n" + rows).unicodeScalars.map { UInt8($0.value) }, to: "rare.csv")
    let doubts = try folder.lint(pipeline("files: rare.csv\n  encoding: detect")).filter {
      $0.hasSuffix("[uncertainDialect]")
    }
    #expect(doubts.count == 1 && doubts[0].hasPrefix("pipeline.yaml:6:13: warning: the encoding of "), "\(doubts)")
    // One byte is no UTF-8: its record is rejected, and the others are not read as Hebrew.
    let greek = (1...60).map { "\($0),Αθήνα\n" }.joined()
    let broken: [UInt8] = [0x39, 0x2C, 0xE9, 0x20, 0x78, 0x0A]
    try folder.folder.write(Array(("order_id,a\n" + greek).utf8) + broken, to: "greek.csv")
    let read = try folder.lint(pipeline("files: greek.csv\n  encoding: detect")).filter {
      $0.hasSuffix("[uncertainDialect]")
    }
    #expect(read.count == 1 && read[0].contains("utf-8, but 1 byte is no part of a character"), "\(read)")
  }
}
