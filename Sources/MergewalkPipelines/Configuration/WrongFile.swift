import MergewalkDiagnostics
import MergewalkImporting
import MergewalkRecordFormats
import MergewalkYAML

/// Finds files that are given in place of a pipeline: data, stores, models.
enum WrongFile {
  /// The finding for a file that is data or the like; `nil` when it looks like a pipeline that only has a mistake.
  ///
  /// - Parameter root: what it is as YAML, or `nil` when it is none.
  static func finding(_ bytes: [UInt8], root: YAMLNode?, path: String) -> Diagnostic? {
    var format = SourceFormat(fileName: path)
    if format == .yaml { format = nil }
    // Its content says which JSON it is.
    let isJSON = path.lowercased().hasSuffix(".json")
    if let entries = root?.entries {
      // A pipeline may be JSON, and a model or a file with tests too, but they have a field of one.
      let pipeline = ComponentRegistry.standard.root
      let names = entries.compactMap { $0.key.text }
      if format == nil && !isJSON || names.isEmpty { return nil }
      if names.contains(where: { $0 == "entities" || $0 == "cases" || pipeline.field(named: $0) != nil }) { return nil }
    }
    if bytes.starts(with: SourceFormat.sqliteMagic) {
      return finding(
        "this is a SQLite database, not a pipeline", path,
        hint:
          "look into a store with “mergewalk store info \(path)”, import into it with “run PIPELINE --store \(path)”")
    }
    if ContainerFormat.isPacked(Array(bytes.prefix(512))) {
      return finding(
        "this is a compressed file or an archive, not a pipeline", path,
        hint: "“mergewalk guess \(path)” writes a pipeline and a model for what is in it")
    }
    // Lines of JSON are no YAML, but the first of them is.
    if root == nil, isJSON, SourceFormat(sample: Array(bytes.prefix(1 << 16))) == .ndjson {
      let line = Array(bytes.prefix { $0 != UInt8(ascii: "\n") })
      guard let first = try? YAMLDocument.parse(line, path: path), first.entries != nil else { return nil }
      return finding(line, root: first, path: path)
    }
    let isText = root.map { isJSON || $0.text?.isEmpty == false || $0.items != nil } ?? false
    if format == nil, isText { format = SourceFormat(sample: Array(bytes.prefix(1 << 16))) }
    // A list in YAML may be a pipeline with dashes too many.
    if format == .yaml { format = nil }
    if let format {
      return finding(
        "this is data (\(format.rawValue)), not a pipeline", path,
        hint: "“mergewalk guess \(path)” writes a pipeline and a model for it")
    }
    guard let root, root.isNull else { return nil }
    return finding("the file is empty", path, hint: "“mergewalk guess DATA” writes a pipeline and a model for data")
  }

  /// The finding about a model that is given in place of a pipeline; `nil` for other files.
  static func model(_ root: YAMLNode, path: String) -> Diagnostic? {
    guard let entities = root["entities"], entities.entries != nil, root["import"] == nil, root["imports"] == nil,
      root["source"] == nil
    else { return nil }
    return finding(
      "this is a model, not a pipeline", path,
      hint: "name it in a pipeline with “model: \(path)”, check it with “mergewalk model lint \(path)”")
  }

  /// The finding about a pipeline that is given in place of its tests; `nil` for other files.
  static func pipeline(_ root: YAMLNode, path: String) -> Diagnostic? {
    guard root["cases"] == nil, root["import"] ?? root["imports"] ?? root["objects"] != nil else { return nil }
    let tests = (path.hasSuffix(".yaml") ? String(path.dropLast(5)) : path) + PipelineTests.suffix
    return finding(
      "this is a pipeline, not a file with tests", path,
      hint: "its tests are in “\(tests)”, if it has any; check it with “mergewalk lint \(path)”")
  }

  private static func finding(_ message: String, _ path: String, hint: String) -> Diagnostic {
    Diagnostic(.wrongType, path: path, position: SourcePosition(line: 1, column: 1), message: message, hint: hint)
  }
}
