import MergewalkImporting

/// Turns the fields about rejects, earlier runs and other programs into the policies of a definition.
struct PolicyBuilder {
  let findings: Findings

  /// Adds what the file says.
  func build(_ component: ComponentValue, _ definition: inout ImportDefinition) {
    definition.policy.again = component.choice("again", as: RunPolicy.SameInputs.self)
    definition.policy.append = component.flag(orDefault: "append")
    definition.policy.storeChanged = component.choice("store_changed", as: RunPolicy.StoreChanged.self) ?? .again
    definition.policy.lockWait = component.share(orDefault: "lock_wait")
    definition.policy.direct = component.choice("direct", as: RunPolicy.Direct.self) ?? .auto
    definition.policy.directCheck = component.choice("direct_check", as: RunPolicy.DirectCheck.self) ?? .quick
    guard let rejects = component.component("rejects") else { return }
    definition.rejects.path = rejects.text("file").map(findings.resolve)
    definition.rejects.limit = rejects.count("limit")
    definition.rejects.ratio = rejects.share("ratio")
    definition.rejects.minimum = rejects.count(orDefault: "minimum")
    if rejects.has("minimum"), !rejects.has("ratio") {
      findings.addIdle("“minimum” is for “ratio”, and there is none", at: rejects.keyPosition("minimum"))
    }
    for pair in rejects.pairs("codes") ?? [] {
      if let limit = limit(pair.name, pair.value) { definition.rejects.codes.append(limit) }
    }
  }

  private func limit(_ name: Located<String>, _ value: Located<String>) -> RejectPolicy.CodeLimit? {
    guard let count = Quantity.digits(value.value), count <= Int(Int32.max) else {
      findings.add(
        .wrongType, at: value.position, "“\(name.value)” takes a whole number, but here is “\(value.value)”",
        hint: "for example “\(name.value): 0”")
      return nil
    }
    var limit = RejectPolicy.CodeLimit(name.value, limit: count)
    limit.position = name.position
    return limit
  }
}
