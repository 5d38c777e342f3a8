import MergewalkDiagnostics
import MergewalkImporting

/// Turns an import's columns, conditions and processes into the parts of a definition, and keeps their places.
struct TransformBuilder {
  let findings: Findings
  /// The defaults of every column.
  let defaults: ComponentValue?
  /// See ``FieldBuilder/nullWords``.
  let nullWords: [String]

  /// Fills in what is done with the records of a part.
  func complete(_ part: inout ImportPart, _ component: ComponentValue, source: ComponentValue?) {
    part.columns = component.named("columns").compactMap(column)
    part.filter = component.expression("where")
    part.process = component.component("process").flatMap(process)
    part.contract = contract(source)
  }

  private func column(_ named: NamedValue) -> ColumnTransform? {
    guard var value = named.value else { return nil }
    let source: ColumnTransform.Source
    if let expression = value.expression("value") {
      if let from = value.fields["from"] {
        findings.add(
          .invalidOption, at: from.keyPosition, "“from” has no effect together with “value”",
          hint: "keep one of the two")
      }
      source = .expression(expression)
    } else {
      if value.brokenFields.contains("value") { return nil }
      source = .column(value.text("from")?.value ?? named.name.value)
    }
    var column = ColumnTransform(
      name: named.name.value, source: source, steps: StepBuilder(findings: findings).steps(value.steps("do")),
      kind: value.choice("type", as: ValueKind.self))
    // A text means the same here as in an attribute.
    for option in FieldSpec.readings.map(\.name) where !value.has(option) {
      value.fields[option] = defaults?.fields[option]
    }
    // Only texts that are read as something else are read in this way.
    let fields = FieldBuilder(findings: findings, defaults: nil, nullWords: nullWords)
    column.reading = fields.conversion(value)
    fields.addNullWords(to: &column.reading)
    column.position = value.text("from")?.position ?? named.name.position
    return column
  }

  // MARK: Processes

  private func process(_ value: ComponentValue) -> ProcessTransform? {
    guard let command = value.texts("command"), !command.isEmpty else { return nil }
    var process = ProcessTransform(command: command.map(\.value))
    process.position = value.keyPosition("command")
    process.folder = value.text("folder").map { findings.resolve($0) } ?? ResolvedPath.folder(of: findings.path)
    process.columns = (value.texts("columns") ?? []).map(\.value)
    process.gives = value.named("gives").map {
      ProcessTransform.Column(name: $0.name.value, kind: $0.value?.choice("type", as: ValueKind.self))
    }
    process.inFlight = value.count(orDefault: "in_flight")
    process.lineLimit = value.count(orDefault: "line")
    process.timeout = value.share(orDefault: "timeout")
    if process.timeout == 0, let timeout = value.fields["timeout"] {
      findings.add(
        .invalidOption, at: timeout.position, "“timeout” cannot be nothing", hint: "write a time such as 30s")
    }
    return process
  }

  // MARK: Contracts

  private func contract(_ source: ComponentValue?) -> SchemaContract? {
    guard let source, let value = source.component("contract") else { return nil }
    var contract = SchemaContract()
    contract.position = source.keyPosition("contract")
    contract.newColumns = value.choice("new", as: SchemaContract.Policy.self)
    contract.missingColumns = value.choice("missing", as: SchemaContract.Policy.self)
    contract.types = value.choice("types", as: SchemaContract.Policy.self)
    contract.ignored = (source.texts("ignore") ?? []).map(\.value)
    return contract
  }
}
