import MergewalkDiagnostics
import MergewalkSystem
import MergewalkRecordFormats

/// The rejects files that earlier runs have left under one name.
///
/// A rejects file has the rejects of the last run. When a run begins, the file of an earlier run is moved to a file
/// beside it, with the time of that run in its name: `orders.rejects.2024-05-01T020000.123Z.ndjson` for
/// `orders.rejects.ndjson`. So no run empties a file with records that are not yet corrected; `docs/rejects.md` has the
/// rules.
package struct EarlierRejects: Sendable {
  /// The rejects file's path, with its links followed.
  private let path: String
  private let folder: String
  /// The name up to the moment, its dot included, and what follows it.
  private let prefix: String
  private let suffix: String

  /// The files beside a rejects file, which need not be there.
  package init(of path: String) {
    let path = ResolvedPath.of(path)
    self.path = path
    folder = ResolvedPath.folder(of: path)
    let name = ResolvedPath.name(of: path)
    let ending = ResolvedPath.ending(of: name)
    prefix = name[..<ending.startIndex] + "."
    suffix = String(ending)
  }

  /// The files that were set aside, the oldest run's first.
  package var paths: [String] {
    // Where this process alone works, each run has a name of its own.
    PrivateFolder.holds(path) ? [] : FileKind.entries(of: folder).filter(isOurs).map(place)
  }

  /// The moment of the run that a file is of, as its name says it, such as `2024-05-01T020000.123Z`; `nil` for other
  /// files.
  package func moment(of path: String) -> String? {
    let name = ResolvedPath.name(of: path)
    guard isOurs(name) else { return nil }
    return String(name.dropFirst(prefix.count).prefix(Self.momentShape.count))
  }

  private func place(_ name: String) -> String { path.contains("/") ? "\(folder == "/" ? "" : folder)/\(name)" : name }

  /// Whether a name is the rejects file's with a moment in it, and a number where there were several.
  private func isOurs(_ name: String) -> Bool {
    guard name.hasPrefix(prefix), name.hasSuffix(suffix), name.utf8.count > prefix.utf8.count + suffix.utf8.count else {
      return false
    }
    let moment = name.utf8.dropFirst(prefix.utf8.count).dropLast(suffix.utf8.count)
    guard moment.count >= Self.momentShape.count else { return false }
    for (byte, shape) in zip(moment, Self.momentShape)
    where shape == UInt8(ascii: "0") ? !(0x30...0x39).contains(byte) : byte != shape {
      return false
    }
    let number = moment.dropFirst(Self.momentShape.count)
    return number.isEmpty
      || number.count > 1 && number.first == UInt8(ascii: "-")
        && number.dropFirst().allSatisfy { (0x30...0x39).contains($0) }
  }

  private static let momentShape = Array("0000-00-00T000000.000Z".utf8)

  /// The moment of a run's name as it stands in file names, which take no colon everywhere; `nil` without one.
  private static func moment(ofRun run: String) -> String? {
    guard let at = run.lastIndex(of: "@") else { return nil }
    let moment = run[run.index(after: at)...].filter { $0 != ":" }
    return moment.utf8.count == momentShape.count && moment.utf8.allSatisfy { $0 != UInt8(ascii: "/") } ? moment : nil
  }

  /// The run that wrote a file, by its first line; `nil` when that does not say it.
  ///
  /// - Throws: ``RejectWriterError`` `cannotRead`.
  static func run(of path: String) throws(RejectWriterError) -> String? {
    do throws(ReadError) {
      var lines = try RejectLines(ByteSource(path: path))
      guard case .success(let line)? = try lines.next(), !line.run.isEmpty else { return nil }
      return line.run
    } catch {
      if error.code == .inputFailed { throw RejectWriterError(code: .cannotRead, path: path, number: EIO) }
      return nil
    }
  }

  /// The warning about the files that were not replayed; `nil` when there are none.
  ///
  /// A file that cannot be read counts as one.
  ///
  /// - Parameter own: the file of the run that warns.
  func warning(_ replayed: ReplayedRejects, except own: String) -> RunWarning? {
    let waiting = paths.filter { $0 != own && (try? replayed.contains($0)) != true }
    guard let first = waiting.first else { return nil }
    let more = waiting.count > 1 ? ", and of \(waiting.count - 1) more beside it," : ""
    return RunWarning(
      .rejectsNotReplayed,
      "the rejects of an earlier run\(more) were not replayed; put the records right and replay them, or remove the file"
        + (waiting.count > 1 ? "s" : ""), file: first)
  }

  /// Whether two paths lead to one file; equal paths do.
  package static func isSame(_ first: String, _ second: String) -> Bool {
    guard let one = FileID(first), let other = FileID(second) else { return first == second }
    return one == other
  }

  // MARK: Setting aside

  /// Gives the rejects file another name, so that a new one can take its place.
  ///
  /// - Returns: where it is now; `nil` when there is none.
  func setAside() throws(RejectWriterError) -> String? {
    guard let status = stat(path: path) else { return nil }
    try Self.requireRejects(path)
    let changed = Double(status.st_mtim.tv_sec) + Double(status.st_mtim.tv_nsec) / 1e9
    let moment =
      try Self.run(of: path).flatMap(Self.moment) ?? RunIdentity.timestamp(changed).filter { $0 != ":" }
    var target = place(prefix + moment + suffix)
    var number = 2
    while access(target, F_OK) == 0 {
      target = place("\(prefix)\(moment)-\(number)\(suffix)")
      number += 1
    }
    guard rename(path, target) == 0 else {
      throw RejectWriterError(code: .cannotOpen, path: path, number: errno)
    }
    return target
  }

  /// Checks that a file holds rejects, or nothing, so that it may go aside or be emptied.
  static func requireRejects(_ path: String) throws(RejectWriterError) {
    guard let number = OutputKind.rejects.obstacle(at: path) else { return }
    throw RejectWriterError(code: number == EEXIST ? .notRejects : .cannotRead, path: path, number: number)
  }

  /// The file that a run has written, wherever it is now; `nil` when there is none.
  func file(ofRun run: String) throws(RejectWriterError) -> String? {
    for file in [path] + paths.reversed() where access(file, F_OK) == 0 {
      if try Self.run(of: file) == run { return file }
    }
    return nil
  }

  /// Puts the file of a run that resumes back in its place; what was there goes aside.
  ///
  /// - Returns: whether there is such a file.
  func putBack(run: String) throws(RejectWriterError) -> Bool {
    guard let file = try file(ofRun: run) else { return false }
    guard file != path else { return true }
    _ = try setAside()
    guard rename(file, path) == 0 else { throw RejectWriterError(code: .cannotOpen, path: path, number: errno) }
    return true
  }

  /// Whether every record of a file was rejected once more: it is in another file too, as it was and in the same order.
  ///
  /// A process that was killed may have left the beginning of a line at the end; the next one has read its record
  /// again.
  ///
  /// - Complexity: O(bytes of both files); a few lines are in memory.
  static func isContained(_ file: String, in other: String) -> Bool {
    do {
      var earlier = try RejectLines(ByteSource(path: file))
      var later = try RejectLines(ByteSource(path: other))
      while let next = try earlier.next() {
        guard case .success(let line) = next else { return try earlier.next() == nil && endsWithinLine(file) }
        guard !line.isCut else { return false }
        var isFound = false
        while !isFound, let candidate = try later.next() {
          if case .success(let other) = candidate { isFound = line.isAbout(other) }
        }
        guard isFound else { return false }
      }
      return true
    } catch {
      return false
    }
  }

  private static func endsWithinLine(_ path: String) -> Bool {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    defer { close(file) }
    var last: UInt8 = 0
    let end = lseek(file, -1, SEEK_END)
    return end >= 0 && pread(file, &last, 1, end) == 1 && last != UInt8(ascii: "\n")
  }
}

extension RejectLine {
  /// Whether two lines are about the same record, as it was, or about the same object.
  fileprivate func isAbout(_ other: RejectLine) -> Bool {
    raw == other.raw && object == other.object && file == other.file && member == other.member && part == other.part
      && !other.isCut
  }
}
