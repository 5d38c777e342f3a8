import MergewalkBytes
import MergewalkDiagnostics
import MergewalkImporting
import MergewalkRecordFormats

/// Finds the inputs that a pipeline names.
struct SourceFiles {
  /// One input and the place of the text that named it.
  struct Input {
    var source: ByteSource
    var position: SourcePosition

    var path: String { source.path }
  }

  let findings: Findings
  /// Files that are read in place of others, by the text that names them, with or without its folders.
  var replacements: [String: [String]] = [:]
  /// Whether files that are not there are a finding.
  var needsFiles = true
  /// The command that reads standard input in place of a URL.
  var command: String?

  /// Returns the inputs in order; what matches nothing is a finding.
  ///
  /// A file that is found twice is read once, where it is first named.
  ///
  /// - Parameters:
  ///   - needsFiles: whether the component's spec leaves it to this to ask for `files`.
  ///   - paths: paths, globs and folders relative to the working directory that take the place of `files` and
  ///     `manifest`, unless there are none.
  func expand(_ source: ComponentValue, needsFiles: Bool = false, instead paths: [String] = []) -> [Input] {
    let inputs = found(source, needsFiles: needsFiles, instead: paths)
    guard source.text("empty_files")?.value == "skip" else { return inputs }
    let filled = inputs.filter { !$0.source.isBlank }
    // Of several: where there is nothing at all, the reader has its say.
    if filled.isEmpty { return inputs }
    for input in inputs where !filled.contains(where: { $0.path == input.path }) {
      findings.add(.emptyFile, at: input.position, ByteSource.emptyNote(input.path))
    }
    return filled
  }

  private func found(_ source: ComponentValue, needsFiles: Bool, instead paths: [String]) -> [Input] {
    let options = container(source)
    var finder = FileFinder()
    finder.pattern = source.text("pattern")?.value ?? "*"
    finder.isRecursive = source.flag("recursive") ?? false
    var inputs: [Input] = []
    // The pipeline has no place for what the caller names.
    let texts = paths.map { Located(value: $0, position: .file) }
    for text in paths.isEmpty ? source.texts("files") ?? [] : texts {
      if let files = replacement(of: text.value) {
        for file in files {
          inputs.append(Input(source: ByteSource(path: file, container: options), position: text.position))
        }
        continue
      }
      if text.value == "-" {
        if inputs.contains(where: { $0.path == "-" }) {
          findings.add(.invalidOption, at: text.position, "standard input (“-”) can be read only once")
        }
        inputs.append(Input(source: ByteSource(path: "-", container: options), position: text.position))
        continue
      }
      for path in find(text, &finder, isHere: !paths.isEmpty) {
        inputs.append(Input(source: ByteSource(path: path, container: options), position: text.position))
      }
    }
    if !paths.isEmpty { return inputs }
    let folderOptions = ["pattern", "recursive"].filter { source.has($0) }
    if !folderOptions.isEmpty, !inputs.isEmpty, replacements.isEmpty,
      !(source.texts("files") ?? []).contains(where: { ByteSource(path: findings.resolve($0)).isFolder })
    {
      for name in folderOptions {
        findings.addIdle("“\(name)” is for folders, and “files” names none", at: source.keyPosition(name))
      }
    }
    if let manifest = source.text("manifest") {
      addManifest(manifest, options, &finder, to: &inputs)
    } else if needsFiles, !source.has("files") {
      findings.add(
        .missingField, at: source.position, "“source” needs the field “files”",
        hint: "for example “files: orders-*.csv”, or a “manifest”")
    }
    return inputs
  }

  /// The files that are read in place of what a text names, or `nil`.
  private func replacement(of text: String) -> [String]? {
    replacements[text] ?? replacements[String(text.split(separator: "/").last ?? "")]
  }

  /// The files that one text names, without those that are known already.
  ///
  /// - Parameter isHere: whether it is relative to the working directory, not to the pipeline file.
  private func find(_ text: Located<String>, _ finder: inout FileFinder, isHere: Bool) -> [String] {
    var place = text.position
    if isHere { place.includedPath = text.value }
    if let scheme = Self.scheme(text.value) {
      let fetch = ["http", "https", "ftp", "sftp"].contains(scheme) ? "curl -fsS" : scheme == "s3" ? "aws s3 cp" : nil
      let reader = command ?? "mergewalk run \(findings.path) -"
      let pipe = fetch.map { "\($0) \(text.value)\(scheme == "s3" ? " -" : "") | \(reader)" } ?? "… | \(reader)"
      findings.add(
        .unreadableFile, at: place, "“\(text.value)” is a URL; inputs are files",
        hint: scheme == "file" ? "write its path" : "fetch it first, or pipe it in: \(pipe)")
      return []
    }
    let path = isHere ? text.value : findings.resolve(text)
    do throws(ReadError) {
      let files = try finder.find(path)
      for file in files {
        // That globs overlap is common; a file with two names, or named outright twice, is not.
        guard let before = file.foundBefore, before != file.path || path == file.path else { continue }
        let other = before == file.path ? "is listed before" : "is the same file as “\(before)”, which is listed before"
        findings.add(
          .repeatedFile, at: place, "“\(file.path)” \(other)", hint: "it is read once, where it is listed first"
        )
      }
      return files.filter { $0.foundBefore == nil }.map(\.path)
    } catch {
      switch error.code {
      case .noMatchingFile where !needsFiles, .notFound where !needsFiles: break
      case .noMatchingFile:
        let isGlob = FileFinder.isGlob(text.value)
        let message = error.path == path && isGlob ? error.message : "“\(path)”: \(error.message)"
        findings.add(
          .noMatchingFile, at: place, message,
          hint: isGlob ? globHint(path) : "put such files into it, or name another folder")
      case .notFound:
        findings.add(
          .unreadableFile, at: place, "there is no file “\(path)”",
          hint: Self.spelling(text.value) ?? NearestFile.hint(for: path)
            ?? "paths are relative to the \(isHere || command != nil ? "working directory" : "pipeline file"),"
            + " and \(NearestFile.advice(for: path))")
      default: findings.add(.unreadableFile, at: place, "“\(error.path)”: \(error.message)")
      }
      return []
    }
  }

  /// How a path that a shell, Windows or a list in one text has is written here; `nil` for others.
  private static func spelling(_ text: String) -> String? {
    if text.hasPrefix("~/") { return "write “${HOME}\(text.dropFirst())”" }
    if text.contains("{"), text.contains(","), text.contains("}") {
      return "braces are not expanded: write a list of paths"
    }
    for mark in [",", ";"] as [Character] where text.contains(mark) {
      let paths = text.split(separator: mark).map { $0.drop { $0 == " " } }
      return "several paths are a list: [\(paths.joined(separator: ", "))]"
    }
    return text.contains("\\")
      ? "write “/” between folders: “\(text.split(separator: "\\").joined(separator: "/"))”" : nil
  }

  /// The scheme of a URL; `nil` for paths.
  static func scheme(_ text: String) -> String? {
    guard let end = text.firstRange(of: "://")?.lowerBound, end > text.startIndex else { return nil }
    let scheme = text[..<end]
    let isScheme = scheme.utf8.allSatisfy { $0 | 0x20 >= 0x61 && $0 | 0x20 <= 0x7A || $0.isDigit || $0 == 0x2B }
    return isScheme ? scheme.lowercased() : nil
  }

  /// Advice about a glob that matches nothing: the files that exist in its place.
  private func globHint(_ path: String) -> String {
    let plain = path.filter { !"*?[]{}".contains($0) }
    return NearestFile.hint(for: plain) ?? "look for the pattern’s files with “ls”"
  }

  // MARK: Manifests

  private func addManifest(
    _ text: Located<String>, _ options: ContainerOptions, _ finder: inout FileFinder, to inputs: inout [Input]
  ) {
    let path = findings.resolve(text)
    for entry in ManifestReader(path: path, findings: findings).entries(namedAt: text.position) {
      let file = Paths.resolve(entry.path, besideFile: path)
      func fault(_ code: FindingCode, _ message: String, hint: String? = nil) {
        findings.add([
          Diagnostic(
            code.severity, code: code.rawValue, path: path, position: entry.position, message: message, hint: hint)
        ])
      }
      do throws(ReadError) {
        var source = ByteSource(path: file, container: options)
        if source.isFolder { throw ReadError(.isDirectory, path: file, message: "this is a folder, not a file") }
        let found = try finder.find(file)
        if let size = entry.expected.size, let actual = source.fileSize, size != actual {
          fault(.invalidManifest, "“\(file)” has \(actual) bytes, not \(size)")
          continue
        }
        if let before = found.first?.foundBefore {
          fault(
            .repeatedFile, "“\(file)” is the same file as “\(before)”, which is listed before",
            hint: "it is read once, where it is listed first")
          if let index = inputs.firstIndex(where: { $0.path == before }),
            !inputs[index].source.expect(entry.expected)
          {
            fault(.invalidManifest, "“\(file)” has a different SHA-256 here than where it is listed first")
          }
          continue
        }
        _ = source.expect(entry.expected)
        inputs.append(Input(source: source, position: text.position))
      } catch {
        fault(.unreadableFile, "“\(file)”: \(error.message)")
      }
    }
  }

  // MARK: Containers

  private func container(_ source: ComponentValue) -> ContainerOptions {
    var options = ContainerOptions()
    switch source.text("compression")?.value {
    case nil, "automatic": break
    case "none": options.formats = []
    case let word?:
      let names = ["gz": "gzip", "zst": "zstd", "bz2": "bzip2"]
      options.formats = word.split(separator: ".").reversed().compactMap {
        ContainerFormat(rawValue: names[String($0)] ?? String($0))
      }
    }
    options.members = source.texts("member")?.map(\.value) ?? []
    options.skipsEmptyMembers = source.text("empty_files")?.value == "skip"
    if let member = source.texts("member")?.first, let formats = options.formats, formats.last?.isArchive != true {
      findings.add(
        .unsuitableOption, at: member.position, "“member” is for archives, but “compression” is not that of one")
    }
    if let ratio = source.count("max_expansion") { options.maximumExpansion = ratio }
    return options
  }
}

extension Findings {
  /// Finds files whose names say that they are packed in another way than they are.
  ///
  /// - Parameter name: What a file is called.
  func addMisnamed(_ inputs: [SourceFiles.Input], _ name: (SourceFiles.Input) -> String) {
    for input in inputs where input.source.container.formats == nil {
      // What cannot be opened is found where it is read.
      if let note = try? input.source.namingNote() {
        add(.misnamedFile, at: input.position, "\(name(input)) \(note)")
      }
    }
  }
}
