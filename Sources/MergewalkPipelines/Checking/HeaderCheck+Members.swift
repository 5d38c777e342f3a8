import MergewalkDiagnostics
import MergewalkImporting
import MergewalkRecordFormats

/// Formats whose records have members: what is not in the first records is only a question.
extension HeaderCheck {
  /// Finds columns that are no paths of the format; which members there are, only each record tells.
  func checkPaths(_ columns: [ColumnUse], _ format: RecordFormat) {
    for column in columns {
      do throws(ReadError) {
        _ = try format.reader(source: ByteSource(bytes: [UInt8]()), columns: .named([column.name]), index: 0)
      } catch {
        // Whatever else is wrong is found elsewhere.
        guard error.code == .invalidPath else { continue }
        findings.add(.unknownColumn, at: column.position, error.message)
      }
    }
  }

  /// Finds documents without records where the pipeline says that they are, and members that no record has.
  func checkMembers(
    _ inputs: [SourceFiles.Input], _ format: RecordFormat, source: ComponentValue, columns: [ColumnUse]
  ) {
    var members: Set<String> = []
    for input in inputs {
      do throws(ReadError) {
        members.formUnion(try format.reader(source: input.source, columns: .all, index: 0).columns)
      } catch {
        let place = source.text("records")?.position
        switch error.code {
        case .missingRecords:
          findings.add(.missingRecords, at: place ?? input.position, "“\(input.path)”: \(error.message)")
        case .invalidOption: findings.add(.invalidOption, at: place ?? source.position, error.message)
        default: findings.add(error, of: input, source)
        }
        return
      }
    }
    // Members may be left out, so one that the first records do not have is only a question.
    if members.isEmpty { return }
    var reported: Set<String> = []
    // The member with the empty name may be written as nothing.
    func path(_ column: ColumnUse) -> String { column.name.isEmpty ? "\\e" : column.name }
    let missing = columns.filter { !isThere(path($0), members) }
    let later = laterMembers(missing.map(\.name), inputs, format)
    for column in missing where !later.contains(column.name) {
      let path = path(column)
      guard let first = JSONReader.firstMember(ofPath: path) else { continue }
      if let meant = OccurringPaths.dotted(path), isThere(meant, members), reported.insert(path).inserted {
        findings.add(
          .absentMember, at: column.position, "none of the first records has a member “\(path)”",
          hint: OccurringPaths.advice(meant))
        continue
      }
      // Of an element of `each` the columns have the names of its members.
      let name = members.contains { $0.hasPrefix(first + ".") } ? column.name : first
      guard reported.insert(name).inserted else { continue }
      findings.addUnknown(
        .absentMember, at: column.position, "none of the first records has a member “\(name)”", name: name,
        candidates: members.sorted())
    }
  }

  /// Of the columns that the first records do not have, those that later ones have, among as many as a guess looks at:
  /// what it found there is no question for lint.
  private func laterMembers(
    _ names: [String], _ inputs: [SourceFiles.Input], _ format: RecordFormat
  ) -> Set<String> {
    var missing = names.reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
    let all = Set(missing)
    let most = PipelineGuess.Request(sources: [])
    var (records, bytes) = (0, 0)
    for (index, input) in inputs.enumerated() {
      if missing.isEmpty || records >= most.records || bytes >= most.bytes { break }
      let requested = missing
      guard var reader = try? format.reader(source: input.source, columns: .named(requested), index: index) else {
        continue
      }
      var batch = RecordBatch()
      while !missing.isEmpty, records < most.records, bytes < most.bytes {
        let size = BatchLimit(records: min(4_096, most.records - records), bytes: min(1 << 20, most.bytes - bytes))
        // What cannot be read is for the run to find.
        guard (try? reader.read(into: &batch, limit: size)) == true else { break }
        records += batch.recordCount + batch.errors.count
        bytes += batch.byteCount
        for (column, name) in requested.enumerated() where missing.contains(name) {
          if (0..<batch.recordCount).contains(where: { batch.state($0, column) != .absent }) {
            missing.removeAll { $0 == name }
          }
        }
      }
    }
    return all.subtracting(missing)
  }

  /// Whether a path is that of a column that the first records have, leads into one, or to some.
  private func isThere(_ path: String, _ members: Set<String>) -> Bool {
    members.contains(path) || members.contains { path.hasPrefix($0 + ".") || $0.hasPrefix(path + ".") }
  }
}
