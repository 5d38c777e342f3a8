public import MergewalkDiagnostics
import MergewalkPropertyLists
import MergewalkXML

/// Reads models from files: Xcode's `.xcdatamodeld`, `.xcdatamodel` and `contents`, the compiled `.momd` and `.mom`,
/// and Mergewalk's YAML.
///
/// Errors that stop reading are thrown; errors of the content are kept in ``ModelDraft/readerFindings`` and reported by
/// ``ModelLint`` and by freezing the model, together with all other findings.
public enum ModelReader {
  /// Reads the model at a path.
  ///
  /// Codes of the findings: `fileMissing`, `fileUnreadable`, `fileTooLarge`, `notAModel`, `oldBinaryModel`,
  /// `compiledModel`, `unknownVersion`, `ambiguousVersion`, `xmlSyntax`, `xmlLimit`, `yamlSyntax`, `yamlLimit`,
  /// `notUTF8`.
  ///
  /// - Parameters:
  ///   - path: an `.xcdatamodeld`, `.xcdatamodel` or `.momd` folder, a `contents`, `.mom` or `.yaml` file. In place of an
  ///     `.omo` file, which only Core Data can read, the `.mom` file beside it is read.
  ///   - version: the version of an `.xcdatamodeld` or `.momd` (`Shop 2`); `nil` for the current one.
  public static func read(_ path: String, version: String? = nil) throws(DiagnosticList) -> ModelDraft {
    let path = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
    switch FileKind(path) {
    case .missing:
      throw failure(
        "fileMissing", path, "there is no such file",
        hint: NearestFile.advice(for: path, preferring: [".xcdatamodeld"]))
    case .folder:
      if FileKind(path + "/contents") == .file { return try readVersion(path, version) }
      if FileKind(path + "/elements") == .file {
        throw failure(
          "oldBinaryModel", path, "the model is in the binary form that Xcode wrote before version 4",
          hint: "open it in a current Xcode, which turns it into XML")
      }
      let file = try self.file(of: version, in: path)
      return FileKind(file) == .folder ? try readVersion(file, nil) : try readFile(file, nil)
    case .file:
      return try readFile(path, version)
    }
  }

  /// Whether a path is that of a folder that may contain several versions of a model.
  public static func mayHaveVersions(_ path: String) -> Bool {
    let path = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
    return path.hasSuffix(".xcdatamodeld") || path.hasSuffix(".momd")
  }

  /// Lists the versions of an `.xcdatamodeld` or `.momd` folder.
  ///
  /// - Throws: `fileMissing`, or `notAModel` if the folder contains neither `.xcdatamodel` nor `.mom`.
  public static func versions(_ path: String) throws(DiagnosticList) -> ModelVersions {
    guard FileKind(path) != .missing else {
      throw failure(
        "fileMissing", path, "there is no such file",
        hint: NearestFile.advice(for: path, preferring: [".xcdatamodeld"]))
    }
    let entries = FileKind.entries(of: path)
    let suffix = suffix(of: entries)
    let names = entries.filter { $0.hasSuffix(suffix) }.map(withoutSuffix).sorted(by: CodePointOrder.precedes)
    guard !names.isEmpty else {
      let inside = NearestFile.files(in: path, ending: ".xcdatamodeld") ?? NearestFile.files(in: path, ending: ".momd")
      throw failure("notAModel", path, "the folder holds no model", hint: inside ?? kinds)
    }
    return ModelVersions(names: names, current: try currentVersion(path)?.name ?? (names.count == 1 ? names[0] : nil))
  }

  private static let suffixes = [".xcdatamodel", ".mom"]
  private static let kinds = "give an .xcdatamodeld, .xcdatamodel or .momd folder, or a .mom or .yaml file"

  /// The ending of the versions among the entries of a folder.
  private static func suffix(of entries: [String]) -> String {
    suffixes.first { suffix in entries.contains { $0.hasSuffix(suffix) } } ?? suffixes[0]
  }

  private static func file(of version: String?, in path: String) throws(DiagnosticList) -> String {
    let versions = try versions(path)
    guard let wanted = version.map(withoutSuffix) ?? versions.current else {
      throw failure(
        "ambiguousVersion", path,
        "the model has \(versions.names.count) versions, but none is marked as the current one",
        hint: "name one of them: " + versions.names.joined(separator: ", "))
    }
    guard versions.names.contains(wanted) else {
      let hint =
        FindingList.didYouMean(wanted, versions.names) ?? "it has: " + versions.names.joined(separator: ", ")
      // The folder's own entry has the name, not the caller.
      if version == nil, let current = try currentVersion(path) {
        throw DiagnosticList(
          error: "unknownVersion", path: current.file, position: current.position,
          message: "the current version is “\(wanted)” here, and the model has no version of this name", hint: hint)
      }
      throw failure("unknownVersion", path, "the model has no version “\(wanted)”", hint: hint)
    }
    return path + "/" + wanted + suffix(of: FileKind.entries(of: path))
  }

  private static func withoutSuffix(_ name: String) -> String {
    suffixes.first { name.hasSuffix($0) }.map { String(name.dropLast($0.count)) } ?? name
  }

  /// A name, and where it stands.
  private typealias NamedVersion = (name: String, file: String, position: SourcePosition)

  /// The current version by the folder's own entry; `nil` when it has none, such as an empty list that Xcode leaves.
  private static func currentVersion(_ path: String) throws(DiagnosticList) -> NamedVersion? {
    let places = [
      (".xccurrentversion", "_XCCurrentVersionName"), ("VersionInfo.plist", "NSManagedObjectModel_CurrentVersionName"),
    ]
    for (name, key) in places {
      let file = path + "/" + name
      guard FileKind(file) == .file else { continue }
      guard let found = try text(key, inPropertyList: SourceFile.read(file, limit: 1 << 24), path: file) else {
        return nil
      }
      return (withoutSuffix(found.text), file, found.position)
    }
    return nil
  }

  /// The text under a key of a property list, which is binary or XML, and its place in an XML one.
  private static func text(
    _ key: String, inPropertyList bytes: [UInt8], path: String
  ) throws(DiagnosticList) -> (text: String, position: SourcePosition)? {
    if bytes.starts(with: Array("bplist".utf8)) {
      guard let text = (try? BinaryPropertyListReader.read(bytes))?[key]?.string else { return nil }
      return (text, .file)
    }
    let root = try XMLDocument.parse(bytes, path: path)
    guard root.name == "plist", let entries = root.children.first(where: { $0.name == "dict" })?.children,
      let key = entries.firstIndex(where: { $0.name == "key" && $0.text == key }),
      key + 1 < entries.count, entries[key + 1].name == "string"
    else { return nil }
    return (entries[key + 1].text, entries[key + 1].position)
  }

  /// Reads a `.xcdatamodel` folder.
  private static func readVersion(_ path: String, _ version: String?) throws(DiagnosticList) -> ModelDraft {
    let file = path + "/contents"
    guard FileKind(file) == .file else {
      guard FileKind(path + "/elements") == .file else {
        throw failure(
          "notAModel", path, "the folder has no file “contents”",
          hint: "copy the whole .xcdatamodel folder of the app's project")
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
    // Only Core Data reads the optimised form, which comes with the archive.
    if path.hasSuffix(".omo"), FileKind(path.dropLast(3) + "mom") == .file {
      return try readFile(path.dropLast(3) + "mom", nil)
    }
    return try parse(SourceFile.read(path), path: path)
  }

  /// Reads the model in the bytes of a file.
  ///
  /// - Parameters:
  ///   - bytes: a compiled model, XML or, when the path ends in `.yaml` or `.yml`, YAML.
  ///   - path: the path for findings.
  /// - Throws: as ``read(_:version:)``.
  public static func parse(_ bytes: [UInt8], path: String) throws(DiagnosticList) -> ModelDraft {
    if bytes.starts(with: Array("bplist00".utf8)) {
      guard var draft = ArchivedModel.read(bytes, path: path) else {
        throw failure(
          "compiledModel", path, "this is a binary property list, but no compiled model",
          hint: kinds)
      }
      draft.name = withoutSuffix(lastComponent(path))
      return draft
    }
    if bytes.starts(with: Array("momv2$".utf8)) {
      throw failure(
        "compiledModel", path, "this is a compiled model in the optimised form, which only Core Data reads",
        hint: "give the .mom of the same name, or the .xcdatamodeld that it was compiled from")
    }
    if bytes.starts(with: Array("SQLite format 3\0".utf8)) {
      throw failure(
        "notAModel", path, "this is a database, and no model",
        hint: "name the model of the store; “mergewalk store info” lists its entities")
    }
    if path.hasSuffix(".yaml") || path.hasSuffix(".yml") { return try ModelYAMLReader.read(bytes, path: path) }
    let start = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    guard let first = bytes[start...].first(where: { $0 != 0x20 && $0 != 0x0A && $0 != 0x0D && $0 != 0x09 }) else {
      throw failure("notAModel", path, "the file is empty", hint: kinds)
    }
    let head = bytes.prefix(2)
    if head.elementsEqual([0xFF, 0xFE]) || head.elementsEqual([0xFE, 0xFF]) || head.contains(0) {
      throw failure("notUTF8", path, "the file is UTF-16 or binary, not UTF-8", hint: "Xcode writes models in UTF-8")
    }
    guard first == UInt8(ascii: "<") else {
      throw failure(
        "notAModel", path, "the file is neither XML nor named .yaml", hint: kinds)
    }
    var draft = try ModelXMLReader.read(bytes, path: path)
    // A contents file of its own is still a version when its folder says so.
    let folder = lastComponent(String(path.dropLast(lastComponent(path).count + 1)))
    if folder.hasSuffix(suffixes[0]) { draft.name = withoutSuffix(folder) }
    return draft
  }

  private static func lastComponent(_ path: String) -> String {
    path.split(separator: "/", omittingEmptySubsequences: true).last.map(String.init) ?? path
  }

  private static func failure(_ code: String, _ path: String, _ message: String, hint: String? = nil) -> DiagnosticList
  {
    DiagnosticList(error: code, path: path, message: message, hint: hint)
  }
}
