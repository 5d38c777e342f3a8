import MergewalkDiagnostics
import MergewalkSystem
import MergewalkRecordFormats

/// One program that answers records line by line, for the time of one import.
///
/// It never waits for one pipe alone, so neither side can block the other forever; the length of a line, the number of
/// records in transit and the time for an answer are bounded.
///
/// `@unchecked Sendable`: one thread at a time uses it; another may only call ``interrupt()``, which touches nothing
/// that changes.
final class ProcessSession: @unchecked Sendable {
  private let definition: ProcessTransform
  /// The path of the file in which it stands.
  private let path: String
  private let child: ChildProcess
  /// Its output that was not taken yet.
  private var output: [UInt8] = []
  /// The end of what it said on standard error.
  private var messages: [UInt8] = []

  /// How much of the messages is kept, in bytes and lines.
  private static let messageBytes = 8 << 10
  private static let messageLines = 10
  private static let chunk = 64 << 10

  init(_ definition: ProcessTransform, path: String) throws(ImportError) {
    self.definition = definition
    self.path = path
    do throws(ChildProcess.StartError) {
      child = try ChildProcess(definition.command, folder: definition.folder)
    } catch {
      let words = definition.command.joined(separator: " ")
      if let folder = definition.folder, FileKind(folder) != .folder {
        let message =
          "the process “\(words)” cannot be started: there is no folder “\(folder)”; make it, or leave “folder” out"
        throw Self.error(message, definition, path)
      }
      // A line for a shell is one word here.
      let cure =
        definition.command.count == 1 && words.contains(" ")
        ? "write its words as a list: [\(words.split(separator: " ").joined(separator: ", "))]"
        : "name a program of PATH, or the path of an executable file"
      throw Self.error("the process “\(words)” cannot be started: \(error.message); \(cure)", definition, path)
    }
  }

  /// Gives lines to the program and takes as many from it.
  ///
  /// - Parameters:
  ///   - input: lines with their line feeds.
  ///   - ends: where each line ends, behind its line feed.
  /// - Returns: the answers, and where each ends.
  func exchange(_ input: [UInt8], ends: [Int]) throws(ImportError) -> (bytes: [UInt8], ends: [Int]) {
    var answered: [Int] = []
    answered.reserveCapacity(ends.count)
    // How far `output` has been looked through, and where its last whole line ended.
    var scanned = 0
    var written = 0
    var sent = 0
    var deadline = ImportSession.now() + definition.timeout
    while answered.count < ends.count {
      let limit = ends[min(ends.count, answered.count + definition.inFlight) - 1]
      let left = deadline - ImportSession.now()
      guard left > 0 else { throw timedOut(answered.count, of: ends.count) }
      let ready = child.wait(
        forInput: written < limit && child.takesInput, milliseconds: Int32(min(1_000, max(1, left * 1_000))))
      if ready.hasErrors { readMessages() }
      if ready.canWrite {
        written += input.withUnsafeBytes { bytes in
          child.write(UnsafeRawBufferPointer(rebasing: bytes[written..<min(limit, written + Self.chunk)]))
        }
        while sent < ends.count, ends[sent] <= written { sent += 1 }
      }
      if ready.hasOutput { child.readOutput(into: &output) }
      let before = answered.count
      output.withUnsafeBufferPointer { bytes in
        while scanned < bytes.count {
          if bytes[scanned] == UInt8(ascii: "\n") { answered.append(scanned + 1) }
          scanned += 1
        }
      }
      var start = before == 0 ? 0 : answered[before - 1]
      for end in answered[before...] + [output.count] {
        if end - start > definition.lineLimit {
          throw failure("wrote a line of more than \(definition.lineLimit) bytes")
        }
        start = end
      }
      if answered.count > sent {
        throw failure("wrote more lines than it was given: an answer before record \(sent + 1) of a batch was sent")
      }
      if answered.count > before { deadline = ImportSession.now() + definition.timeout }
      if child.hasEndedOutput, answered.count < ends.count {
        throw failure(
          "answered \(answered.count) of \(ends.count) records of a batch and closed its output; it has to write one"
            + " line for each line that it reads, until its input ends")
      }
    }
    if scanned < output.count || answered.last != output.count {
      // A line that has begun is one too many, whenever it ends.
      throw failure("wrote more than one line for a record")
    }
    let bytes = output
    output.removeAll(keepingCapacity: true)
    return (bytes, answered)
  }

  /// Says that nothing more comes, and waits for the end.
  func finish() throws(ImportError) {
    child.closeInput()
    let deadline = ImportSession.now() + definition.timeout
    while true {
      let ended = child.poll()
      let ready = child.wait(forInput: false, milliseconds: ended == nil && !child.isSilent ? 20 : 0)
      if ready.hasErrors { readMessages() }
      if ready.hasOutput { child.readOutput(into: &output) }
      guard output.isEmpty else { throw failure("wrote more lines than it was given") }
      if let ended {
        // What is left in the pipes belongs to it; what its own children may still write does not.
        if ready.hasErrors || ready.hasOutput { continue }
        guard ended == .exit(0) else { throw failure("failed: \(ended.description)") }
        return
      }
      guard ImportSession.now() < deadline else {
        child.kill()
        throw failure("did not end within \(Self.text(definition.timeout)) s after its last record")
      }
      if child.isSilent { usleep(5_000) }
    }
  }

  /// Ends the program at once.
  func end() { child.kill() }

  /// Tells the program to end at once, from any thread.
  func interrupt() { child.interrupt() }

  // MARK: Failures

  private func readMessages() {
    child.readErrors(into: &messages)
    if messages.count > Self.messageBytes { messages.removeFirst(messages.count - Self.messageBytes) }
  }

  private func timedOut(_ answered: Int, of count: Int) -> ImportError {
    let hint = answered == 0 ? "; does it write each answer out at once, without keeping it in a buffer?" : ""
    return failure(
      "left record \(answered + 1) of a batch of \(count) unanswered for \(Self.text(definition.timeout)) s\(hint)")
  }

  private static func text(_ seconds: Double) -> String {
    seconds == seconds.rounded() ? "\(Int(seconds))" : "\(seconds)"
  }

  /// The error, with how the program ended and the last lines that it said.
  func failure(_ what: String) -> ImportError {
    // Whoever dies says why a moment before or after.
    var ended = child.poll()
    let deadline = ImportSession.now() + (child.hasEndedOutput ? 1 : 0.05)
    while ImportSession.now() < deadline {
      if child.wait(forInput: false, milliseconds: 10).hasErrors { readMessages() } else if ended != nil { break }
      ended = ended ?? child.poll()
    }
    child.kill()
    var message = "the process “\(definition.command.joined(separator: " "))” \(what)"
    if let ended, !what.hasPrefix("failed") { message += "; \(ended.description)" }
    let lines = messages.split(separator: UInt8(ascii: "\n")).suffix(Self.messageLines)
    if !lines.isEmpty {
      message += "; the end of its standard error: "
      message += lines.map { line in
        line.withUnsafeBytes { String(RejectMessage.shown($0, limit: 400).dropFirst().dropLast(1)) }
      }.joined(separator: " / ")
    }
    return Self.error(message, definition, path)
  }

  /// The error at the place of the command, where that stands in a file.
  private static func error(_ message: String, _ definition: ProcessTransform, _ path: String) -> ImportError {
    guard definition.position.line > 0 else { return ImportError(code: .process, message: message) }
    let finding = Diagnostic(
      .error, code: ImportError.Code.process.rawValue, path: path, position: definition.position, message: message)
    return ImportError(code: .process, message: finding.description, diagnostics: [finding])
  }
}
