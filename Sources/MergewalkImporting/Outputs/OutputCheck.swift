import MergewalkDiagnostics
import MergewalkSystem
import MergewalkRecordFormats

/// Checks every file that a command writes against every file that it reads, against its other outputs, and against what is
/// there already.
///
/// Files are the same when the system says so (device and number, with all links followed), whatever they are called.
package struct OutputCheck: Sendable {
  /// Identifies a file, whether it exists or not.
  private enum Key: Hashable {
    case file(FileID)
    case place(String)

    init(_ path: String) { self = FileID(path).map(Key.file) ?? .place(ResolvedPath.absolute(path)) }
  }

  private var used: [Key: String] = [:]
  /// Folders that are read as one thing: models.
  private var folders: [(path: String, words: String)] = []

  /// Nothing is read or written yet.
  package init() {}

  /// Notes a file, or a folder with all that is in it, that is read.
  ///
  /// - Parameter words: what it is, such as `an input`.
  package mutating func reads(_ path: String, as words: String) {
    guard path != "-" else { return }
    guard let status = stat(path: path) else { return }
    switch status.st_mode & S_IFMT {
    case S_IFDIR:
      // Models are packages, whose names have an extension; any other folder is named by mistake, and told elsewhere.
      let folder = ResolvedPath.absolute(path)
      if folder.split(separator: "/").last?.dropFirst().contains(".") ?? false { folders.append((folder + "/", words)) }
    // What goes through pipes and terminals does no harm to what was there.
    case S_IFREG: if used[Key(path)] == nil { used[Key(path)] = words }
    default: break
    }
  }

  /// Notes a store that is read or written, with all that lies beside it.
  package mutating func uses(store path: String) {
    let path = ResolvedPath.of(path)
    used[Key(path)] = "the store"
    for suffix in ["-wal", "-shm", "-journal", "-mergewalk", "-mergewalk-journal"] {
      used[Key(path + suffix)] = "a file of the store"
    }
  }

  /// Why a file that is written may not have its name, or `nil`: names of compressed files and archives are for those, and
  /// `-` is for standard input.
  ///
  /// The message goes on after what the file is, and its path.
  package static func refusal(ofName path: String) -> (message: String, hint: String)? {
    if path == "-" { return ("needs another name, because “-” stands for standard input", "name a file") }
    guard let format = ContainerFormat.named(path).first else { return nil }
    let plain = ContainerFormat.unpackedName(path)
    return (
      "has the name of a \(format.rawValue) file, but files are written uncompressed",
      plain == path ? "name another file" : "name it “\(plain)”, and compress it afterwards"
    )
  }

  /// Why a file may not be written, or `nil`; it is noted as one that is.
  ///
  /// - Parameters:
  ///   - kind: what is written; `nil` when the caller has been told to replace whatever exists.
  ///   - words: what it is, such as `the report`.
  package mutating func refusal(
    of path: String, _ kind: OutputKind?, as words: String
  ) -> (message: String, hint: String)? {
    let status = stat(path: path)
    if let status, !status.isRegular {
      return status.isFolder
        ? ("\(words) “\(path)” is a folder", "name a file, perhaps one in that folder") : nil
    }
    if let (message, hint) = Self.refusal(ofName: path) { return ("\(words) “\(path)” \(message)", hint) }
    let key = Key(path)
    let place = ResolvedPath.absolute(path)
    if let other = used[key] ?? folders.first(where: { place.hasPrefix($0.path) })?.words {
      return ("\(words) “\(path)” is \(other), and would destroy it", "name another file")
    }
    used[key] = words
    guard let kind, status != nil, let number = kind.obstacle(at: path) else { return nil }
    let what =
      number == EEXIST
      ? "would take the place of a file that is not \(kind.words)"
      : "cannot be read: \(String(cString: strerror(number)))"
    return ("\(words) “\(path)” \(what)", "name another file, or move that one away")
  }
}

extension ImportDefinition {
  /// Which of the files that a run writes it must not write: findings with the places where they are named.
  ///
  /// - Parameter path: the path that findings carry.
  func checkOutputs(path: String) -> [Diagnostic] {
    var check = OutputCheck()
    if let file = self.path { check.reads(file, as: "the pipeline") }
    for file in readFiles { check.reads(file, as: "a file that the pipeline consists of") }
    for source in allSources + objects.flatMap(\.sources) { check.reads(source.path, as: "an input of the import") }
    check.uses(store: storePath)
    var findings: [Diagnostic] = []
    if storePath == "-", let refusal = OutputCheck.refusal(ofName: storePath) {
      findings.append(
        Diagnostic(
          .unsafeOutput, path: self.path ?? path, position: outputPlaces["store"] ?? .file,
          message: "the store “-” \(refusal.message)", hint: refusal.hint))
    }
    let outputs = [
      ("rejects", "the rejects file", rejects.path, OutputKind.rejects),
      (
        "rejects", "the rejects file of a dry run", rejects.dryRunPath == rejects.path ? nil : rejects.dryRunPath,
        .rejects
      ),
      ("metrics", "the metrics file", reporting.metricsPath, .metrics),
      ("report", "the report", reporting.reportPath, .report),
    ]
    for (field, words, output, kind) in outputs {
      guard let output, let refusal = check.refusal(of: output, kind, as: words) else { continue }
      findings.append(
        Diagnostic(
          .unsafeOutput, path: self.path ?? path, position: outputPlaces[field] ?? .file, message: refusal.message,
          hint: refusal.hint))
    }
    return findings
  }
}
