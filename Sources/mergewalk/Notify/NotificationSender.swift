import MergewalkImporting
import MergewalkRecordFormats

/// Sends one notification: by the machine's `curl`, or by a command.
struct NotificationSender {
  let notification: RunNotification
  let values: [NotificationTemplate.Name: NotificationTemplate.Value]

  /// More of what a program says is not kept, in bytes.
  private static let mostWords = 4096

  /// Sends it; returns why it was not sent, or `nil`.
  ///
  /// It takes no longer than the notification's time, whatever the program does.
  func send() -> String? {
    let body = notification.body.text(values, redact: Console.redacted)
    switch notification.target {
    case .webhook(let url, let headers):
      // The options go through a pipe: arguments, which may be secrets, are seen by everyone on the machine.
      return Self.run(
        ["curl", "-q", "--config", "-"], input: options(url, headers, body), folder: nil, timeout: notification.timeout)
    case .command(let words, let folder):
      let command = words.map { $0.text(values, redact: Console.redacted) }
      return Self.run(command, input: body, folder: folder, timeout: notification.timeout)
    }
  }

  /// The contents of curl's configuration file.
  ///
  /// Source: curl(1), `--config`.
  private func options(_ url: String, _ headers: [RunNotification.Header], _ body: String) -> String {
    var headers = headers.map { ($0.name, $0.value) }
    if !headers.contains(where: { $0.0.lowercased() == "content-type" }) {
      headers.append(("Content-Type", notification.body.isJSON ? "application/json" : "text/plain; charset=utf-8"))
    }
    var lines = [
      "silent", "show-error", "fail", "globoff", "proto = \"=http,https\"",
      "max-time = \(Figures.fixed(notification.timeout, digits: 3))", "url = \(Self.quoted(url))",
      "output = \"/dev/null\"", "request = \"POST\"", "data-raw = \(Self.quoted(body))",
    ]
    // Without it curl waits a second for servers that do not know the header.
    lines.append("header = \"Expect:\"")
    lines += headers.map { "header = " + Self.quoted("\($0.0): \($0.1)") }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func quoted(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"", "\\": result += "\\\(scalar)"
      case "\n": result += "\\n"
      case "\r": result += "\\r"
      case "\t": result += "\\t"
      case "\u{0}": continue
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }

  // MARK: Programs

  private static func run(_ command: [String], input: String, folder: String?, timeout: Double) -> String? {
    let child: ChildProcess
    do throws(ChildProcess.StartError) {
      child = try ChildProcess(command, folder: folder)
    } catch {
      return "“\(command[0])” cannot be started: \(error.message)"
    }
    let end = ContinuousClock.now + .seconds(timeout)
    var rest = Array(input.utf8)[...]
    var words: [UInt8] = []
    while true {
      let left = (end - ContinuousClock.now) / .milliseconds(1)
      guard left > 0 else {
        child.kill()
        return "it took longer than \(Figures.duration(timeout))"
      }
      if rest.isEmpty { child.closeInput() }
      let ready = child.wait(forInput: child.takesInput, milliseconds: Int32(min(left + 1, 50)))
      if ready.canWrite { rest = rest.dropFirst(rest.withUnsafeBytes { child.write($0) }) }
      read(child, ready, &words)
      guard let ending = child.poll() else { continue }
      read(child, .init(hasOutput: true, hasErrors: true), &words)
      return ending == .exit(0) ? nil : [lastLine(words), ending.description].compactMap { $0 }.joined(separator: "; ")
    }
  }

  private static func read(_ child: ChildProcess, _ ready: ChildProcess.Readiness, _ words: inout [UInt8]) {
    var output: [UInt8] = []
    if ready.hasOutput { child.readOutput(into: &output) }
    if ready.hasErrors { child.readErrors(into: &words) }
    if words.count > mostWords { words.removeFirst(words.count - mostWords) }
  }

  /// The last line that says something.
  private static func lastLine(_ words: [UInt8]) -> String? {
    String(decoding: words, as: UTF8.self).split(whereSeparator: \.isNewline).last { !$0.allSatisfy(\.isWhitespace) }
      .map { String($0.prefix(300)) }
  }
}
