import MergewalkDiagnostics
import MergewalkImporting
import MergewalkObjectStore
import MergewalkRecordFormats

/// Folders called `key=value` that Spark, DuckDB or PyArrow have written: one for each value.
struct HiveFolders {
  private struct Folder {
    var key: String
    /// The value; nil for the one of records without.
    var value: String?
    /// Whether the name is taken as it stands, because it is none that was percent-encoded.
    var isPlain: Bool
    var path: String
    var files: [String]
    /// Folders in it, which are not read.
    var inner: [String]
  }

  /// The name that engines give to the value of records that have none.
  private static let nothing = "__HIVE_DEFAULT_PARTITION__"

  private let folders: [Folder]
  /// The files beside the folders, which would be left out.
  private let strays: [String]

  /// Looks for folders of this kind; nil when the sources are something else.
  init?(_ sources: [String]) {
    var folders: [Folder] = []
    var strays: [String] = []
    for source in sources {
      guard ByteSource(path: source).isFolder else { return nil }
      var path = source
      while path.count > 1, path.hasSuffix("/") { path.removeLast() }
      if let folder = Self.folder(path) {
        folders.append(folder)
      } else {
        let places = Self.names(in: path).map { "\(path)/\($0)" }
        let inner = places.compactMap { ByteSource(path: $0).isFolder ? Self.folder($0) : nil }
        if inner.isEmpty { return nil }
        folders += inner
        strays += places.filter { place in !inner.contains { $0.path == place } }
      }
    }
    guard !folders.isEmpty else { return nil }
    self.folders = folders
    self.strays = strays
  }

  /// The contents of a folder, except checksums and marks of engines, whose names begin with a dot or an underscore.
  private static func names(in path: String) -> [String] {
    FileSystem.names(in: path).filter { !$0.hasPrefix(".") && !$0.hasPrefix("_") }.sorted()
  }

  private static func folder(_ path: String) -> Folder? {
    let name = FileSystem.name(of: path)
    guard let sign = name.firstIndex(of: "="), sign > name.startIndex else { return nil }
    let text = name[name.index(after: sign)...]
    let names = Self.names(in: path)
    let inner = names.filter { ByteSource(path: "\(path)/\($0)").isFolder }
    let decoded = StorePathTemplate.decoded(text)
    return Folder(
      key: StorePathTemplate.decoded(name[..<sign]) ?? String(name[..<sign]),
      value: text == nothing || text.isEmpty ? nil : decoded ?? String(text), isPlain: decoded == nil, path: path,
      files: names.filter { !inner.contains($0) }.map { "\(path)/\($0)" }, inner: inner)
  }

  /// The file that tells the format where the pipeline does not: tasks look at the first one of a value, too.
  var sample: String? {
    let filled = folders.filter { !$0.files.isEmpty }
    let named = filled.first { folder in
      folder.value.map { StorePathTemplate.encoded($0).utf8.count <= StorePathTemplate.mostNameBytes } ?? false
    }
    return (named ?? filled.first)?.files.first
  }

  /// Checks that there is something to read: without a file nothing tells what the folders hold.
  func checkFiles() throws(FamilyError) {
    if let folder = folders.first(where: { !$0.inner.isEmpty }), let inner = folder.inner.first {
      throw FamilyError(
        .invalidPipeline,
        "\(folder.path)/\(inner): there are folders in a folder of one value; partition by one column only")
    }
    guard sample == nil, let folder = folders.first else { return }
    throw FamilyError(
      .invalidPipeline,
      "\(folder.path): the folders called key=value hold no files; wait until the program that writes them has finished"
    )
  }

  /// Checks that the folders are what the pipeline spreads its records by.
  func check(_ policy: StoresPolicy, _ definition: ImportDefinition) throws(FamilyError) {
    if definition.parts.count > 1 {
      throw FamilyError(.invalidPipeline, "folders called key=value are for a pipeline with one import")
    }
    if let stray = strays.first {
      throw FamilyError(
        .invalidPipeline,
        "\(stray): it is beside folders called key=value, and its records would be left out; move it, or name "
          + "only those folders")
    }
    var known: [String: Folder] = [:]
    for folder in folders {
      if let value = folder.value {
        let name = StorePathTemplate.encoded(value)
        if let other = known[name], other.isPlain != folder.isPlain {
          throw FamilyError(
            .invalidPipeline,
            "\(folder.path) and \(other.path): both would be “\(value)”, because only one of the names is"
              + " percent-encoded UTF-8; rename one of them")
        }
        known[name] = known[name] ?? folder
      }
      if folder.key != policy.column {
        throw FamilyError(
          .invalidPipeline,
          "\(folder.path): the folders are made by “\(folder.key)”, and the stores by “\(policy.column)”; make both by "
            + "one column")
      }
    }
  }

  /// Adds the folders' values to a plan; what is in those without a value is split as usual.
  func plan(
    _ plan: inout FamilyPlan, _ splitter: inout Splitter, _ definition: ImportDefinition, _ policy: StoresPolicy
  ) throws(FamilyError) {
    let container = definition.sources.first?.container ?? ContainerOptions()
    // By the names of their files: texts that Unicode takes for the same may be of other bytes.
    var parts: [String: FamilyPlan.Part] = [:]
    var order: [String] = []
    var nameless: [(source: ByteSource, refusal: String?)] = []
    var refusals: [String: String] = [:]
    for folder in folders {
      for path in folder.files {
        guard let value = folder.value else {
          nameless.append((ByteSource(path: path, container: container), nil))
          continue
        }
        let state = FamilyFiles.state(path)
        guard let digest = FamilyFiles.digest(path) else {
          throw FamilyError(.failed, "\(path): the file cannot be read")
        }
        let name = StorePathTemplate.encoded(value)
        if parts[name] == nil, refusals[name] == nil {
          refusals[name] = splitter.take(folder: value)
          if refusals[name] == nil {
            order.append(name)
            parts[name] = FamilyPlan.Part(value: value, name: name, path: "", digest: "")
          }
        }
        if let refusal = refusals[name] {
          nameless.append((ByteSource(path: path, container: container), refusal))
          continue
        }
        parts[name]?.files.append(
          StoreReceipt.File(
            path: ResolvedPath.fromRoot(path), bytes: digest.bytes, sha256: digest.sha256, state: state))
      }
    }
    plan.parts = order.compactMap { parts[$0] }
    let outcome = definition.outcomeDigest
    for index in plan.parts.indices {
      plan.parts[index].digest = FamilyPlan.digest(of: plan.parts[index].files, outcome: outcome)
    }
    plan.sources = nameless.map { FamilyPlan.Source($0.source.path, state: FamilyFiles.state($0.source.path)) }
    let columns: [String]
    do throws(DiagnosticList) {
      let all = try definition.columnNames(of: definition.parts[0])
      columns = splitter.readsAllColumns(of: definition.parts[0], 0) ? all.filter { $0 != policy.column } : []
    } catch { throw FamilyError(error) }
    try splitter.runWithoutValue(nameless, definition, columns: columns, areAll: plan.parts.isEmpty)
  }
}
