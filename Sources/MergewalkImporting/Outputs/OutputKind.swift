import MergewalkSystem
import MergewalkDiagnostics
import MergewalkObjectStore
import MergewalkRecordFormats

/// The kind of file that a command writes: it replaces only a file of the same kind.
package enum OutputKind: String, Sendable, CaseIterable {
  /// Rejected records, see `docs/rejects.md`.
  case rejects
  /// The numbers of a run as OpenMetrics text.
  case metrics
  /// A run as a page of HTML.
  case report
  /// A JSON Schema of pipelines.
  case schema
  /// A text that a command makes for people to edit, such as a pipeline or exported records.
  case text

  /// Its name in messages.
  package var words: String {
    switch self {
    case .rejects: "a rejects file"
    case .metrics: "a metrics file"
    case .report: "a report"
    case .schema: "a schema"
    case .text: "a text file"
    }
  }

  /// How much of a file is looked at, in bytes.
  private static let lookedAt = 4096

  /// What keeps the file at a path from being replaced, as the number of an error: `EEXIST` when it is of another kind,
  /// or why it cannot be read.
  ///
  /// `nil` when it is of this kind, is empty, or is not there; what is no regular file, such as a pipe or a device, is
  /// written to and stays.
  ///
  /// - Complexity: One read of at most 4 KiB; of rejects files that were edited, the first line.
  package func obstacle(at path: String) -> Int32? {
    guard let status = stat(path: path), status.isRegular, status.st_size > 0 else { return nil }
    let (head, failure) = FileSystem.start(of: path, count: Self.lookedAt)
    guard failure == 0, !head.isEmpty else { return failure == 0 ? EEXIST : failure }
    func begins(with text: String) -> Bool { head.starts(with: text.utf8) }
    func has(_ text: String) -> Bool { String(decoding: head, as: UTF8.self).contains(text) }
    // A stop of the machine leaves a file's length without its bytes.
    if head[0] == 0 {
      let blank = self == .rejects && has("{\"run\":") ? nil : Self.obstacleToBlank(path)
      if blank != EEXIST { return blank }
    }
    let isKind =
      switch self {
      case .rejects: begins(with: "{\"run\":")
      case .metrics: begins(with: "# ") && has(" mergewalk_")
      case .report: begins(with: "<!DOCTYPE html>") && has("mergewalk")
      case .schema: begins(with: "{") && has("json-schema.org")
      case .text: !head.contains(0)
      }
    if isKind { return nil }
    return self == .rejects ? Self.obstacleToRejects(path, head) : EEXIST
  }

  /// The same for a file that may have nothing but zeros.
  private static func obstacleToBlank(_ path: String) -> Int32? {
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard file >= 0 else { return errno }
    defer { close(file) }
    return withUnsafeTemporaryAllocation(byteCount: 1 << 16, alignment: 8) { buffer -> Int32? in
      while true {
        let (count, failure) = WholeBytes.read(file, into: buffer)
        guard failure == 0 else { return failure }
        guard buffer[..<count].allSatisfy({ $0 == 0 }) else { return EEXIST }
        if count < buffer.count { return nil }
      }
    }
  }

  /// The same for a file whose first line may be one about a reject, with its members in whatever order.
  private static func obstacleToRejects(_ path: String, _ head: [UInt8]) -> Int32? {
    // Anything else could have a first line of any length.
    let isPacked = head.starts(with: [0x1F, 0x8B]) || head.starts(with: [0x28, 0xB5, 0x2F, 0xFD])
    guard isPacked || head.first(where: { $0 > 0x20 }) == UInt8(ascii: "{") else { return EEXIST }
    do throws(ReadError) {
      var lines = try RejectLines(ByteSource(path: path))
      guard case .success(let line)? = try lines.next() else { return EEXIST }
      return !line.code.isEmpty && (!line.file.isEmpty || line.object != nil) ? nil : EEXIST
    } catch {
      return error.code == .inputFailed ? EIO : EEXIST
    }
  }
}
