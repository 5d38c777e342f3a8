import Diagnostics
import Importing
import ObjectModel

/// Turns the `since` component into a ``SincePolicy``.
struct SinceBuilder {
  let findings: Findings

  /// Builds the policy of one import; `nil` without one.
  ///
  /// - Parameter hasRejectsFile: whether the pipeline names a rejects file.
  func build(_ component: ComponentValue, root: EntityImport?, hasRejectsFile: Bool) -> SincePolicy? {
    guard let since = component.component("since"), let column = since.text("column") else { return nil }
    var policy = SincePolicy(column: column.value)
    policy.position = column.position
    policy.kind = since.choice("type", as: SincePolicy.Kind.self) ?? .date
    policy.ties = since.choice("ties", as: SincePolicy.Ties.self) ?? .read
    policy.rejects = since.choice("rejects", as: SincePolicy.Rejects.self)
    readDates(since, &policy)
    if let start = since.text("start") {
      policy.start = CursorValue(start.value, kind: policy.kind)
      if policy.start == nil {
        findings.add(
          .invalidOption, at: start.position,
          "“start” cannot be “\(start.value)” for a column of type "
            + "“\(policy.kind.rawValue)”", hint: policy.kind == .date ? "write it as 2024-05-01T12:00:00Z" : nil)
      }
    }
    if let lag = since.text("lag") { policy.lag = self.lag(lag, policy.kind) }
    if let root, root.mode.removesOthers {
      findings.add(
        .invalidOption, at: component.keyPosition("since"),
        "mode “\(root.mode.rawValue)” deletes what no record names, and “since” passes over records",
        hint: "use mode “upsert”, or leave “since” out")
    }
    if let root, let problem = policy.problem(in: root.mode, hasFile: hasRejectsFile) {
      let position = since.has("rejects") ? since.keyPosition("rejects") : component.keyPosition("since")
      findings.add(.invalidOption, at: position, problem.message, hint: problem.hint)
    }
    return policy
  }

  private func readDates(_ since: ComponentValue, _ policy: inout SincePolicy) {
    for name in ["date", "zone"] where policy.kind != .date && since.has(name) {
      findings.add(
        .unsuitableOption, at: since.keyPosition(name),
        "“\(name)” says nothing about a column of type “\(policy.kind.rawValue)”")
    }
    guard policy.kind == .date else { return }
    if let date = since.text("date") { policy.conversion.dateFormat = FieldBuilder.dateFormat(date.value) }
    if let zone = since.text("zone") {
      if let offset = FieldBuilder.zoneOffset(zone.value) {
        policy.conversion.timeZoneOffset = offset
      } else {
        findings.add(
          .invalidOption, at: zone.position, "“zone” cannot be “\(zone.value)”", hint: "use UTC or an offset, “+02:00”")
      }
    }
    // A pattern that cannot be read is said where it stands.
    var attribute = AttributeDescription(name: policy.column, type: .date)
    attribute.isOptional = true
    var field = FieldImport(attributeName: policy.column, column: policy.column)
    field.conversion = policy.conversion
    field.position = since.text("date")?.position ?? policy.position
    var problems: [Diagnostic] = []
    _ = CompiledField.compile(field, attribute: attribute, path: findings.path, findings: &problems)
    findings.add(problems)
  }

  /// The distance of `5m` in seconds, or of a number in units.
  private func lag(_ text: Located<String>, _ kind: SincePolicy.Kind) -> Int64 {
    let units: [Character: Int64] = ["s": 1, "m": 60, "h": 3600, "d": 86_400]
    var digits = text.value[...]
    var factor: Int64 = 1
    if kind == .date, let last = digits.last, let unit = units[last] {
      factor = unit
      digits.removeLast()
    }
    if kind != .text, let number = Quantity.digits(digits), !digits.isEmpty {
      let (product, overflow) = Int64(number).multipliedReportingOverflow(by: factor)
      if !overflow, product < 1 << 52, kind == .integer || factor > 1 || digits.count < text.value.count || number == 0
      {
        return product
      }
    }
    findings.add(
      .invalidOption, at: text.position, "“lag” cannot be “\(text.value)” for a column of type “\(kind.rawValue)”",
      hint: kind == .date ? "use 30s, 5m, 2h or 1d" : kind == .integer ? "use a number" : "texts have no distance")
    return 0
  }
}
