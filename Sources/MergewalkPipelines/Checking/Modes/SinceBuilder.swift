import MergewalkImporting

/// Turns the `since` component into a ``SincePolicy``.
struct SinceBuilder {
  let findings: Findings

  /// Builds the policy of one import; `nil` without one.
  func build(_ component: ComponentValue) -> SincePolicy? {
    guard let since = component.component("since"), let column = since.text("column") else { return nil }
    var policy = SincePolicy(column: column.value)
    policy.position = column.position
    policy.places = since.places
    policy.kind = since.choice(orDefault: "type", as: SincePolicy.Kind.self)
    policy.ties = since.choice(orDefault: "ties", as: SincePolicy.Ties.self)
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
    return policy
  }

  private func readDates(_ since: ComponentValue, _ policy: inout SincePolicy) {
    if let date = since.text("date") { policy.conversion.dateFormat = FieldBuilder.dateFormat(date.value) }
    policy.conversion.timeZoneOffset = since.count("zone") ?? policy.conversion.timeZoneOffset
    if since.has("zone") { findings.checkZone(at: since.keyPosition("zone"), of: policy.conversion) }
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
