import MergewalkBytes
import MergewalkDiagnostics
import MergewalkRecordFormats

/// Reading rejects files for people.
enum RejectsFile {
  /// Calls `body` with each reject until it returns false, and says which lines are none.
  ///
  /// - Returns: Whether all lines that were read are rejects.
  /// - Throws: the exit code, after the words, when the file cannot be read.
  ///   Also when none of its first lines is a reject: then it is another file, and only that is said.
  static func forEach(_ path: String, _ body: (RejectLine) throws -> Bool) throws -> Bool {
    var rejects = 0
    var isWhole = true
    var held: [Problem] = []
    do {
      var lines = try RejectLines(ByteSource(path: path))
      while let next = try lines.next() {
        let problem: Problem
        switch next {
        case .success(let line) where !line.isBlank:
          rejects += 1
          for problem in held { Console.words(problem.text) }
          held = []
          if try !body(line) { return isWhole }
          continue
        case .success(let line):
          let reason = "it says neither which file a record is from nor why it was rejected"
          problem = Problem(place: "\(path):\(line.line):1", reason: reason, code: notRejects)
        case .failure(let error):
          problem = Problem(
            place: "\(path):\(error.position.line):\(error.position.column)", reason: error.message,
            code: error.code.rawValue)
        }
        isWhole = false
        if rejects > 0 {
          Console.words(problem.text)
          continue
        }
        held.append(problem)
        if held.count == mostProblems {
          let finding = "this is not a rejects file: \(held[0].reason); name one that a run wrote"
          Console.words(PrintableText.of("\(held[0].place): error: \(finding) [\(notRejects)]"))
          throw ExitStatus.failure
        }
      }
      for problem in held { Console.words(problem.text) }
      return isWhole
    } catch let error as ReadError {
      FindingsOutput.words([error.diagnostic])
      throw ExitStatus.failure
    }
  }

  /// Whether a file begins with lines of which none is a reject; false for one that cannot be read, as reading it will say.
  static func isAnother(_ path: String) -> Bool {
    // What comes through a pipe can be read only once.
    guard path != "-", FileKind.special(path) == nil, var lines = try? RejectLines(ByteSource(path: path)) else {
      return false
    }
    for _ in 0..<mostProblems {
      guard let next = try? lines.next() else { return false }
      if case .success(let line) = next, !line.isBlank { return false }
    }
    return true
  }

  /// Why a line is no reject.
  private struct Problem {
    var place: String
    var reason: String
    var code: String

    var text: String { PrintableText.of("\(place): error: the line is not a reject: \(reason) [\(code)]") }
  }

  /// The code of findings about a file, or a line, that is something else.
  static let notRejects = "notRejects"

  /// A file that begins with so many lines that are no rejects is another file.
  private static let mostProblems = 10

  /// Where a reject stands, in the form that compilers and editors read.
  static func place(_ line: RejectLine) -> String {
    if let object = line.object { return printable(object) }
    let file = line.member.map { "\(line.file)/\($0)" } ?? line.file
    return PrintableText.of("\(file):\(line.sourceLine):\(line.sourceColumn)")
  }

  /// A reject as a person reads it: why, and the record below.
  static func text(_ line: RejectLine) -> String {
    var text = "\(place(line)): \(printable(line.message)) [\(line.code)]"
    if let field = line.field { text += " in column “\(printable(field))”" }
    if line.also != nil { text += ", and more" }
    guard let raw = line.raw else { return text }
    for part in String(decoding: raw, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false) {
      text += "\n    " + printable(part)
    }
    return text + (line.isCut ? "\n    … (the record was too long to be kept)" : "")
  }

  /// The text with its control characters spelt out, so that a record cannot speak to the terminal.
  static func printable(_ text: some StringProtocol) -> String { PrintableText.of(String(text), keeping: .tabs) }

  /// Writes the record as it stood in its file.
  static func writeRaw(_ line: RejectLine) {
    guard let raw = line.raw else { return }
    Console.rawData(raw + [10])
  }

  static func json(_ line: RejectLine) -> JSONText {
    [
      "line": .integer(line.line), "run": .string(line.run), "file": .string(line.file),
      "member": line.member.map { .string($0) }, "import": line.part.map { .string($0) },
      "record": .integer(line.record), "source_line": .integer(line.sourceLine),
      "source_column": .integer(line.sourceColumn), "field": .text(line.field), "entity": .text(line.entity),
      "attribute": .text(line.attribute), "object": .text(line.object), "code": .string(line.code),
      "message": .string(line.message), "raw": .text(line.raw.map { String(decoding: $0, as: UTF8.self) }),
      "cut": .boolean(line.isCut),
    ]
  }
}
