public import Diagnostics
import XML

/// Reads models from files: Xcode's `.xcdatamodeld`, `.xcdatamodel` and `contents`, and Mergewalk's YAML.
///
/// What stops the reading is thrown; what is wrong in the content is kept in ``ModelDraft/readerFindings`` and comes
/// back from ``ModelLint`` and the freezing of the model, together with everything else.
public enum ModelReader {
  /// Reads the model at a path.
  ///
  /// Codes of the findings: `fileMissing`, `fileUnreadable`, `fileTooLarge`, `notAModel`, `oldBinaryModel`,
  /// `compiledModel`, `unknownVersion`, `ambiguousVersion`, `xmlSyntax`, `xmlLimit`, `yamlSyntax`, `yamlLimit`,
  /// `notUTF8`.
  ///
  /// - Parameters:
  ///   - path: an `.xcdatamodeld` or `.xcdatamodel` folder, a `contents` file or a `.yaml` file.
  ///   - version: the version of an `.xcdatamodeld` (`Shop 2`); `nil` for the current one.
  public static func read(_ path: String, version: String? = nil) throws(DiagnosticList) -> ModelDraft {
    let path = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
    switch FileKind(path) {
    case .missing:
      throw failure("fileMissing", path, "there is no such file")
    case .folder:
      if FileKind(path + "/contents") == .file { return try readVersion(path, version) }
      if let compiled = FileKind.entries(of: path).first(where: { $0.hasSuffix(".mom") }) {
        throw compiledModel(path + "/" + compiled)
      }
      if FileKind(path + "/elements") == .file {
        throw failure(
          "oldBinaryModel", path, "the model is in the binary form that Xcode wrote before version 4",
          hint: "open it in a current Xcode, which turns it into XML")
      }
      return try readVersion(try folder(of: version, in: path), nil)
    case .file:
      return try readFile(path, version)
    }
  }

  /// Lists the versions of an `.xcdatamodeld` folder.
  ///
  /// - Throws: `fileMissing`, or `notAModel` when the folder holds no `.xcdatamodel`.
  public static func versions(_ path: String) throws(DiagnosticList) -> ModelVersions {
    guard FileKind(path) != .missing else { throw failure("fileMissing", path, "there is no such file") }
    let names = FileKind.entries(of: path).filter { $0.hasSuffix(suffix) }.map(withoutSuffix)
      .sorted(by: CodePointOrder.precedes)
    guard !names.isEmpty else {
      throw failure(
        "notAModel", path, "the folder holds no model",
        hint: "give an .xcdatamodeld or .xcdatamodel folder or a .yaml file")
    }
    return ModelVersions(names: names, current: try currentVersion(path) ?? (names.count == 1 ? names[0] : nil))
  }

  private static let suffix = ".xcdatamodel"

  private static func folder(of version: String?, in path: String) throws(DiagnosticList) -> String {
    let versions = try versions(path)
    guard let wanted = version.map(withoutSuffix) ?? versions.current else {
      throw failure(
        "ambiguousVersion", path, "the model has \(versions.names.count) versions and no .xccurrentversion",
        hint: "name one of them: " + versions.names.joined(separator: ", "))
    }
    guard versions.names.contains(wanted) else {
      throw failure(
        "unknownVersion", path, "the model has no version “\(wanted)”",
        hint: FindingList.didYouMean(wanted, versions.names)
          ?? "it has: " + versions.names.joined(separator: ", "))
    }
    return path + "/" + wanted + suffix
  }

  private static func withoutSuffix(_ name: String) -> String {
    name.hasSuffix(suffix) ? String(name.dropLast(suffix.count)) : name
  }

  private static func currentVersion(_ path: String) throws(DiagnosticList) -> String? {
    let file = path + "/.xccurrentversion"
    guard FileKind(file) == .file else { return nil }
    let root = try XMLDocument.parse(SourceFile.read(file, limit: 1 << 20), path: file)
    // <plist><dict><key>_XCCurrentVersionName</key><string>V.xcdatamodel</string></dict></plist>
    guard root.name == "plist", let entries = root.children.first(where: { $0.name == "dict" })?.children,
      let key = entries.firstIndex(where: { $0.name == "key" && $0.text == "_XCCurrentVersionName" }),
      key + 1 < entries.count, entries[key + 1].name == "string"
    else {
      throw DiagnosticList([
        Diagnostic(
          .error, code: "notAModel", path: file, position: root.position,
          message: "the property list has no _XCCurrentVersionName")
      ])
    }
    return withoutSuffix(entries[key + 1].text)
  }

  /// Reads a `.xcdatamodel` folder.
  private static func readVersion(_ path: String, _ version: String?) throws(DiagnosticList) -> ModelDraft {
    let file = path + "/contents"
    guard FileKind(file) == .file else {
      guard FileKind(path + "/elements") == .file else {
        throw failure("notAModel", path, "the folder has no file “contents”")
      }
      throw failure(
        "oldBinaryModel", path, "the model is in the binary form that Xcode wrote before version 4",
        hint: "open it in a current Xcode, which turns it into XML")
    }
    var draft = try readFile(file, nil)
    draft.name = withoutSuffix(lastComponent(path))
    if let version, withoutSuffix(version) != draft.name {
      throw failure("unknownVersion", path, "this is the version “\(draft.name)”, not “\(version)”")
    }
    return draft
  }

  private static func readFile(_ path: String, _ version: String?) throws(DiagnosticList) -> ModelDraft {
    if let version {
      throw failure("unknownVersion", path, "a single file has no version “\(version)”", hint: "leave the version out")
    }
    return try parse(SourceFile.read(path), path: path)
  }

  /// Reads the model in the bytes of a file.
  ///
  /// - Parameters:
  ///   - bytes: XML or, when the path ends in `.yaml` or `.yml`, YAML.
  ///   - path: the path that findings name.
  /// - Throws: as ``read(_:version:)``.
  public static func parse(_ bytes: [UInt8], path: String) throws(DiagnosticList) -> ModelDraft {
    if bytes.starts(with: Array("bplist00".utf8)) || bytes.starts(with: Array("momv2$[]".utf8)) {
      throw compiledModel(path)
    }
    if path.hasSuffix(".yaml") || path.hasSuffix(".yml") { return try ModelYAMLReader.read(bytes, path: path) }
    let start = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    let first = bytes[start...].first { $0 != 0x20 && $0 != 0x0A && $0 != 0x0D && $0 != 0x09 }
    guard first == UInt8(ascii: "<") else {
      throw failure(
        "notAModel", path, "the file is neither XML nor named .yaml",
        hint: "give an .xcdatamodeld or .xcdatamodel folder or a .yaml file")
    }
    var draft = try ModelXMLReader.read(bytes, path: path)
    // A contents file of its own is still a version when its folder says so.
    let folder = lastComponent(String(path.dropLast(lastComponent(path).count + 1)))
    if folder.hasSuffix(suffix) { draft.name = withoutSuffix(folder) }
    return draft
  }

  private static func lastComponent(_ path: String) -> String {
    path.split(separator: "/", omittingEmptySubsequences: true).last.map(String.init) ?? path
  }

  private static func compiledModel(_ path: String) -> DiagnosticList {
    failure(
      "compiledModel", path, "this is a compiled model", hint: "give the .xcdatamodeld that it was compiled from")
  }

  private static func failure(_ code: String, _ path: String, _ message: String, hint: String? = nil) -> DiagnosticList
  {
    DiagnosticList([
      Diagnostic(.error, code: code, path: path, position: .file, message: message, hint: hint)
    ])
  }
}
