import FileFuzzing
import MergewalkImport

private let model = """
  entities:
    Item:
      attributes: { code: string!, amount: integer32, price: decimal, made: date, tags: string }
      relationships: { maker: { to_one: Maker, inverse: items }, parts: { to_many: Item, inverse: wholes }, wholes: { to_many: Item, inverse: parts } }
      unique: [code]
    Maker:
      attributes: { name: string! }
      relationships: { items: { to_many: Item, inverse: maker } }
      unique: [name]
  """
private let folder = FuzzFolder()

/// Called by libFuzzer with bytes that it varies: reads and checks them as a pipeline, beside a model and an input.
///
/// Whatever the text is, checking ends in findings with words, at places within the text or without one. What `read`
/// takes has no findings that are errors. Nothing is run: a pipeline may name programs and files.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzPipelines(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = UnsafeBufferPointer(start: data, count: count)
  folder.empty()
  folder.write("model.yaml", model.utf8)
  folder.write("in.csv", "code,amount,price,made,tags,maker\na,1,2.5,2026-01-01,x|y,m\n".utf8)
  let path = folder.write("p.yaml", bytes)
  let findings = Pipeline.lint(path)
  let lines = bytes.count { $0 == 10 || $0 == 13 } + 1
  for finding in findings {
    require(!finding.message.isEmpty, "a finding without words: \(finding.code)")
    if finding.path == path { require(finding.position.line <= lines + 1, "a finding behind the end: \(finding)") }
  }
  if let pipeline = try? Pipeline.read(path) {
    require(!findings.contains { $0.severity == .error && $0.code != "notADatabase" }, "read with errors: \(findings)")
    _ = pipeline.definition
  } else {
    require(findings.contains { $0.severity == .error }, "not read, and no finding says why")
  }
  _ = Pipeline.notifications(path)
  return 0
}
