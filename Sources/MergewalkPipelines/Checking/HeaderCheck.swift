import MergewalkDiagnostics
import MergewalkImporting
import MergewalkRecordFormats

/// Compares the columns that a pipeline names with those that its files have.
struct HeaderCheck {
  let findings: Findings
  /// Whether to read tar archives to their end, as long as they are not too long: no run follows that does.
  var readsArchives = false

  /// Reads the header of every input that is a file and has fixed columns, and reports what is missing and what is not
  /// used; of the others it looks for their records.
  ///
  /// - Returns: what is left for the run to find.
  func run(
    _ inputs: [SourceFiles.Input], format: RecordFormat, source: ComponentValue, columns: [ColumnUse],
    contract: SchemaContract? = nil
  ) -> InputFindings {
    let tellsUnused = format.hasFixedColumns && !format.readsObjects && contract?.newColumns == nil
    let ignored = (source.texts("ignore") ?? []).map { ColumnUse(name: $0.value, position: $0.position) }
    var left = InputFindings(
      used: tellsUnused ? Set((columns + ignored).map(\.name)) : nil,
      file: findings.path,
      places: Dictionary(inputs.map { ($0.path, $0.position) }, uniquingKeysWith: { first, _ in first }))
    // What can be read only once is left for the run, and so is the rest of a tar archive.
    var isPartial = inputs.contains(where: \.source.isReadOnce)
    let inputs = inputs.filter { !$0.source.isReadOnce }
    findings.addMisnamed(inputs) { "“\($0.path)”" }
    guard format.hasFixedColumns else {
      checkPaths(columns, format)
      if !findings.hasErrors { checkMembers(inputs, format, source: source, columns: columns) }
      return left
    }
    let wrong = findings.placesOfErrors(besides: .expressionType)
    var reported: Set<String> = []
    var known: Set<String> = []
    for input in inputs {
      let headers = headers(of: input, format, source)
      if headers.count == 1, headers[0].path != input.path, !input.source.container.members.isEmpty {
        isPartial = isPartial || !readsWhole(input)
      }
      for (path, header) in headers {
        // Text without a header and without a record has no columns, and nothing is missing in it.
        if header.isEmpty, case .csv = format { continue }
        if let delimiter = saidDelimiter(header) {
          findings.add(
            .unknownColumn, at: input.position,
            "the first line of “\(path)” is “\(header[0])”: it names the delimiter, as Excel writes it, and is not"
              + " the header", hint: "set “delimiter: \(delimiter)” and “skip_lines: 1”, or “dialect: detect”")
          return left
        }
        // With another delimiter every column would be missing: one mistake, one finding.
        if let delimiter = otherDelimiter(header, columns) {
          findings.add(
            .unknownColumn, at: input.position, "“\(path)” has a single column, “\(header[0])”",
            hint: "its columns seem to be separated by another character; set “delimiter: \(delimiter)”")
          return left
        }
        if hasOtherContent(input, path, header, columns, format) || hasNoHeader(input, path, header, columns, format) {
          return left
        }
        let mayMiss = contract?.missingColumns.map { $0 != .freeze } ?? false
        for column in columns where !header.contains(column.name) && reported.insert(column.name).inserted && !mayMiss {
          // What is wrong with a name is one finding, and without the column it does not matter what its type is.
          if wrong.contains(column.position) { continue }
          findings.keep(.expressionType) { $0.position != column.position }
          if case .custom(let custom) = format {
            checkColumn(column, of: input, custom)
            continue
          }
          findings.add(
            .unknownColumn, at: column.position, "“\(path)” has no column “\(column.name)”",
            hint: hint(column, header, isNamed: source.has("columns")))
        }
        known.formUnion(header)
        // What nothing uses is a question only once everything else is right.
        if let message = left.unused(in: header, of: path), !findings.hasErrors {
          findings.add(.unusedColumn, at: input.position, message, hint: InputFindings.advice)
        }
      }
    }
    if isPartial {
      left.ignored = ignored
    } else if !known.isEmpty, !findings.hasErrors, contract?.newColumns == nil {
      checkIgnored(ignored, known, inputs)
    }
    return left
  }

  /// Advice about a column that the header does not have.
  ///
  /// - Parameter isNamed: whether the pipeline gives the columns their names.
  private func hint(_ column: ColumnUse, _ header: [String], isNamed: Bool) -> String? {
    let near = NearestName.hint(for: column.name, among: header)
    if NearestName.find(column.name, in: header) != nil { return near }
    var more = isNamed ? "the names are those of “columns”, not those in the file" : nil
    if let byte = findings.byte(before: column.position) {
      if "=<>".utf8.contains(byte) { more = "write text in quotes: '\(column.name)'" }
      if byte == UInt8(ascii: "[") { more = "a column of another name is written { \(column.name): COLUMN }" }
    }
    guard let near, let more else { return near ?? more }
    return near + "; " + more
  }

  /// Reports a file that is of another format than that which is said or which its name tells.
  private func hasOtherContent(
    _ input: SourceFiles.Input, _ path: String, _ header: [String], _ columns: [ColumnUse], _ format: RecordFormat
  ) -> Bool {
    guard case .csv = format, !columns.isEmpty, !columns.contains(where: { header.contains($0.name) }),
      let found = try? SourceFormat.ofContent(input.source), found != .csv, found != .tsv
    else { return false }
    let isPage = header.first?.lowercased().contains("html") == true
    findings.add(
      .unknownColumn, at: input.position,
      "“\(path)” looks like \(isPage ? "a web page" : found.rawValue), not like a table",
      hint: isPage ? "look into it: a download that failed leaves such a file" : "set “format: \(found.rawValue)”")
    return true
  }

  /// Reports a first line that has none of the columns, nor any with a name that is near: one mistake, one finding.
  private func hasNoHeader(
    _ input: SourceFiles.Input, _ path: String, _ header: [String], _ columns: [ColumnUse], _ format: RecordFormat
  ) -> Bool {
    guard case .csv = format, columns.count > 1,
      !columns.contains(where: { NearestName.find($0.name, in: header) != nil })
    else { return false }
    if SourceFormat(fileName: path) == .yaml {
      findings.add(
        .unknownColumn, at: input.position, "“\(path)” is YAML, not a table",
        hint: "the arguments after the pipeline are files with records; for records in YAML set “format: yaml”")
      return true
    }
    let names = columns.map(\.name).reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
    let example = names.prefix(3).joined(separator: ", ") + (names.count > 3 ? ", …" : "")
    findings.add(
      .unknownColumn, at: input.position,
      "the first line of “\(path)” has none of the columns \(names.joined(separator: ", ")); it is "
        + header.prefix(8).joined(separator: ", ") + (header.count > 8 ? ", …" : ""),
      hint: (header == (1...header.count).map(String.init)
        ? "name them" : "if that is a record, set “header: false” and")
        + ", in the order of the file, “columns: [\(example)]”")
    return true
  }

  /// Finds out whether a column that is not among the usual ones is there, such as a path over relationships.
  private func checkColumn(_ column: ColumnUse, of input: SourceFiles.Input, _ format: CustomRecordFormat) {
    do throws(ReadError) {
      _ = try format.open(input.source, .named([column.name]), 0)
    } catch {
      // Whatever else is wrong was found with the header.
      guard error.code == .missingColumn else { return }
      findings.add(.unknownColumn, at: column.position, "“\(input.path)”: \(error.message)")
    }
  }

  /// The delimiter that stands in place of a header, as Excel writes it (`sep=;`), or `nil`.
  private func saidDelimiter(_ header: [String]) -> String? {
    guard header.count == 1, header[0].hasPrefix("sep=") else { return nil }
    return CSVDelimiter(String(header[0].dropFirst(4))).map { GuessedPipeline.text($0.text) }
  }

  /// The name of the character that separates names of columns in a header that is one column, or `nil`.
  private func otherDelimiter(_ header: [String], _ columns: [ColumnUse]) -> String? {
    guard header.count == 1, !columns.contains(where: { $0.name == header[0] }) else { return nil }
    return [";", "\t", "|", ","].first { delimiter in
      let names = header[0].split(separator: delimiter).map { $0.split(separator: "\"").joined() }
      return names.count > 1 && columns.contains { names.contains($0.name) }
    }.flatMap(CharacterName.name)
  }

  /// Finds columns to ignore that no file has.
  private func checkIgnored(_ ignored: [ColumnUse], _ known: Set<String>, _ inputs: [SourceFiles.Input]) {
    let files = inputs.count == 1 ? "“\(inputs[0].path)” has no" : "no file has a"
    for column in ignored where !known.contains(column.name) {
      findings.addUnknown(
        .unknownColumn, at: column.position, "\(files) column “\(column.name)” to ignore", name: column.name,
        candidates: known.sorted())
    }
  }

  private func readsWhole(_ input: SourceFiles.Input) -> Bool {
    readsArchives && (input.source.fileSize ?? .max) <= KeySearch.mostBytes
  }

  private func headers(
    of input: SourceFiles.Input, _ format: RecordFormat, _ source: ComponentValue
  ) -> [(path: String, columns: [String])] {
    do throws(ReadError) {
      return try format.headers(of: input.source, isWhole: readsWhole(input)) { path in
        findings.add(.emptyFile, at: input.position, ByteSource.emptyNote(path))
      }
    } catch {
      // What is wrong with the options has findings of its own, at its own place.
      if case .custom = format {
        findings.add(error, of: input, source)
        return []
      }
      if case .csv = format, let found = try? SourceFormat.ofContent(input.source), found != .csv, found != .tsv {
        findings.add(
          .unreadableFile, at: input.position, "“\(input.path)” looks like \(found.rawValue), not like a table",
          hint: "set “format: \(found.rawValue)”")
        return []
      }
      let isAboutOptions = error.code == .invalidOption || error.code == .duplicateHeader && error.position == .file
      if !isAboutOptions { findings.add(error, of: input, source) }
      return []
    }
  }
}
