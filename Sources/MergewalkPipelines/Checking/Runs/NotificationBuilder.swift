import MergewalkDiagnostics
import MergewalkImporting
import MergewalkRecordFormats

/// Turns an item of `notify` into a ``RunNotification``.
struct NotificationBuilder {
  let findings: Findings

  /// The notification; `nil` when it is not well-formed, which is a finding.
  func build(_ component: ComponentValue) -> RunNotification? {
    if component.has("url"), component.has("command") {
      findings.add(
        .invalidOption, at: component.keyPosition("command"), "“command” has no effect together with “url”",
        hint: "make two items of the list")
      return nil
    }
    if !component.has("url"), !component.has("command") {
      findings.add(
        .missingField, at: component.position, "a notification needs “url” or “command”",
        hint: "for example “url: https://chat.example.com/hooks/42”")
      return nil
    }
    guard let target = component.has("url") ? webhook(component) : command(component) else { return nil }
    var notification = RunNotification(target)
    if let words = component.texts("when") {
      notification.occasions = Set(words.compactMap { RunNotification.Occasion(rawValue: $0.value) })
    }
    if let text = component.text("body") {
      guard let body = template(text, "body") else { return nil }
      checkJSON(body, at: text.position)
      notification.body = body
    }
    notification.timeout = component.share(orDefault: "timeout")
    if notification.timeout == 0, let timeout = component.fields["timeout"] {
      findings.add(
        .invalidOption, at: timeout.position, "“timeout” cannot be nothing", hint: "write a time such as 10s")
    }
    return notification
  }

  private func webhook(_ component: ComponentValue) -> RunNotification.Target? {
    if component.has("folder") {
      findings.add(
        .unsuitableOption, at: component.keyPosition("folder"), "“folder” has no effect together with “url”",
        hint: "leave it out")
    }
    guard let url = component.text("url") else { return nil }
    guard RunNotification.host(of: url.value) != nil else {
      // The URL may be a secret.
      findings.add(
        .invalidOption, at: url.position, "“url” is not an HTTP URL",
        hint: "it begins with https:// or http:// and a host")
      return nil
    }
    var headers: [RunNotification.Header] = []
    for header in component.pairs("headers") ?? [] {
      let name = header.name.value
      let isName = !name.isEmpty && name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: ":") }
      let isValue = header.value.value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
      guard isName, isValue else {
        findings.add(
          .invalidOption, at: header.name.position, "“\(name)” is not a header of one line", hint: "write “Name: value”"
        )
        return nil
      }
      headers.append(.init(name: name, value: header.value.value))
    }
    return .webhook(url: url.value, headers: headers)
  }

  private func command(_ component: ComponentValue) -> RunNotification.Target? {
    if component.has("headers") {
      findings.add(
        .unsuitableOption, at: component.keyPosition("headers"), "“headers” has no effect together with “command”",
        hint: "leave it out")
    }
    guard let words = component.texts("command"), !words.isEmpty else { return nil }
    let templates = words.compactMap { template($0, "command") }
    guard templates.count == words.count else { return nil }
    let folder = component.text("folder").map { findings.resolve($0) }
    return .command(templates, folder: folder ?? ResolvedPath.folder(of: findings.path))
  }

  /// A text with placeholders, which must not hold a secret: messages are stored and forwarded, arguments are seen by
  /// everyone on the machine.
  private func template(_ text: Located<String>, _ field: String) -> NotificationTemplate? {
    if findings.redaction(text.value) != text.value {
      findings.add(
        .invalidSecret, at: text.position, "“\(field)” of a notification holds a secret",
        hint: field == "body" ? "use secrets only in “url” and “headers”" : "let the command read it from a file")
      return nil
    }
    do throws(NotificationTemplate.ParseError) {
      return try NotificationTemplate(text.value)
    } catch {
      findings.addUnknown(
        .invalidOption, at: text.position, "“\(field)” has no placeholder “{{\(error.name)}}”", name: error.name,
        candidates: NotificationTemplate.Name.allCases.map(\.rawValue))
      return nil
    }
  }

  /// Finds a body that begins as JSON and is none once values are in it.
  private func checkJSON(_ body: NotificationTemplate, at position: SourcePosition) {
    guard body.isJSON else { return }
    let sample = body.text(
      Dictionary(
        uniqueKeysWithValues: NotificationTemplate.Name.allCases.map {
          ($0, $0.isNumber ? .number("1") : .text("x"))
        }))
    guard let fault = JSONCheck.fault(of: Array(sample.utf8)) else { return }
    findings.add(
      .invalidOption, at: position, "“body” begins like JSON but is invalid: \(fault)",
      hint: "put texts between quotes: \"{{message}}\", and leave numbers bare: {{rejected}}")
  }
}
