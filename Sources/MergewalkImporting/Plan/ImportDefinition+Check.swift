public import MergewalkDiagnostics

extension ImportDefinition {
  /// Finds all errors that keep ``ImportSession`` from running the definition, and all warnings, without reading an
  /// input.
  ///
  /// - Parameter path: the path for findings; `nil` for the definition's name.
  /// - Returns: the findings, sorted by position.
  public func check(path: String? = nil) -> [Diagnostic] {
    let path = path ?? name
    var findings: [Diagnostic] = []
    if objects.isEmpty {
      for part in parts {
        let resolved = part.resolved(
          model: model, path: path, hasRejectsFile: rejects.path != nil, storePath: storePath)
        findings += resolved.findings
      }
    } else {
      for part in objects { findings += part.check(model: model, path: path, readsFiles: false) }
    }
    return DiagnosticList(findings + checkWhole(path: path)).diagnostics
  }

  /// Finds errors of the definition beyond its single parts: their names and their order, policies, and output files.
  ///
  /// - Parameters:
  ///   - path: the path for findings.
  ///   - ordersParts: whether to sort the parts; not if one of them has errors.
  public func checkWhole(path: String, ordersParts: Bool = true) -> [Diagnostic] {
    var findings = FindingList(path: path)
    for limit in rejects.codes { check(limit, &findings) }
    findings.add(checkOutputs(path: path))
    guard objects.isEmpty else { return findings.list }
    findings.add(ImportPart.checkNames(of: parts, path: path))
    if ordersParts, !findings.hasErrors { findings.add(PartOrder(self, path: path).findings.list) }
    return findings.list
  }

  private func check(_ limit: RejectPolicy.CodeLimit, _ findings: inout FindingList) {
    let codes = RejectCode.allCases.map(\.rawValue)
    guard !codes.contains(where: limit.matches) else { return }
    let stages = Set(codes.map { String($0.prefix { $0 != "." }) + ".*" })
    findings.reportUnknown(
      .invalidOption, limit.pattern, among: codes + stages.sorted(), at: limit.position,
      "no reject has the code “\(limit.pattern)”")
  }
}

extension ImportPart {
  /// Finds parts with the same name, and `after` names that no part has.
  public static func checkNames(of parts: [ImportPart], path: String) -> [Diagnostic] {
    var findings = FindingList(path: path)
    var names: Set<String> = []
    for part in parts where !names.insert(part.name).inserted && !part.name.isEmpty {
      findings.report(
        .invalidOption, at: part.places["name"]?.value ?? part.position, "two imports are called “\(part.name)”",
        hint: "give each a “name” of its own")
    }
    for part in parts {
      for name in part.after where !names.contains(name) {
        findings.reportUnknown(
          .unknownImport, name, among: names.sorted(), at: part.places["after", name]?.value ?? part.position,
          "no import is called “\(name)”")
      }
    }
    return findings.list
  }
}
