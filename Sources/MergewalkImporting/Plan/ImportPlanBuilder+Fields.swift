import MergewalkDiagnostics
import MergewalkObjectModel

/// Fields: columns that fill attributes.
extension ImportPlanBuilder {
  /// Compiles what is done with columns, once all fields are known, and gives fields their columns.
  ///
  /// - Returns: the transforms and the columns that they read.
  mutating func compileTransforms(
    of part: ImportPart
  ) -> (plan: TransformPlan, reads: [ColumnUse], unused: [ColumnUse]) {
    let result = TransformCompilation.run(
      part, model: model, path: findings.path, fields: sources, columnNames: columnNames,
      lists: lists.map { ($0.columnName, $0.request) })
    findings.add(
      result.findings.map { finding in
        var finding = finding
        if finding.position.line == 0 { finding.position = part.position }
        return finding
      })
    for name in result.columnNames.dropFirst(columnNames.count) {
      _ = column(name, at: result.reads.first { $0.name == name }?.position ?? part.position)
    }
    for (index, place) in result.lists.enumerated() {
      switch place {
      case .read(let column): lists[index].column = column
      case .derived(let derived): lists[index].column = columnNames.count + derived
      }
    }
    for (source, outcome) in zip(sources, result.fields) where fields.indices.contains(source.index) {
      guard let outcome else { continue }
      let index = source.index
      fieldColumns[index] = columnNames.count + outcome.derived
      // What is wrong with the field as it stands was found before.
      guard !outcome.isText,
        var compiled = try? CompiledField(source.field.canonical(source.attribute.type), attribute: source.attribute)
      else { continue }
      compiled.identifier = Int32(index)
      fields[index] = compiled
    }
    // Lists of XML are asked for in another way than they are named.
    let names = Dictionary(lists.map { ($0.request, $0.columnName) }) { first, _ in first }
    let reads = result.reads.map { ColumnUse(name: names[$0.name] ?? $0.name, position: $0.position) }
    return (result.plan, reads, result.unused)
  }

  /// Adds a field; `nil` when no record can fill its attribute that way, which is reported.
  mutating func add(_ field: FieldImport, entity: EntityDescription) -> (field: Int, slot: Int)? {
    guard let attribute = attribute(of: field, entity) else { return nil }
    guard let index = compile(field, attribute) else {
      // Its steps are looked at all the same.
      sources.append(TransformedField(index: -1, field: field, attribute: attribute, derivedNames: derivedNames))
      return nil
    }
    let source = TransformedField(index: index, field: field, attribute: attribute, derivedNames: derivedNames)
    sources.append(source)
    fieldColumns.append(source.isDirect ? column(field.column, at: field.columnUse.position) : -1)
    fieldNames.append(
      ImportPlan.FieldName(entity: entity.name, attribute: attribute.name, column: field.column))
    return (index, attribute.slot)
  }

  private mutating func attribute(of field: FieldImport, _ entity: EntityDescription) -> AttributeDescription? {
    let name = field.attributeName
    guard let attribute = entity.attribute(named: name) else {
      if entity.relationship(named: name) != nil {
        findings.report(
          .wrongKind, at: field.position, "“\(name)” is a relationship of “\(entity.name)”, not an attribute",
          hint: "put it under “relationships”, and set how its target is found")
      } else {
        // Several names in one text are one name.
        let names = name.split { $0 == "," || $0 == " " }.map(String.init)
        if names.count > 1, names.allSatisfy({ entity.attribute(named: $0) != nil }) {
          findings.report(
            .unknownAttribute, at: field.position, "“\(entity.name)” has no attribute “\(name)”",
            hint: "several names are a list: [\(names.joined(separator: ", "))]")
        } else {
          findings.reportUnknown(
            .unknownAttribute, name, among: entity.attributes.map(\.name), at: field.position,
            "“\(entity.name)” has no attribute “\(name)”")
        }
      }
      return nil
    }
    if let obstacle = attribute.importObstacle {
      findings.report(.unsuitableAttribute, at: field.position, "“\(name)” \(obstacle)")
      return nil
    }
    return attribute
  }

  /// Adds a field to those that are converted; returns its number.
  private mutating func compile(_ field: FieldImport, _ attribute: AttributeDescription) -> Int? {
    var found: [Diagnostic] = []
    let compiled = CompiledField.compile(
      field, attribute: attribute, path: findings.path, isModelLinted: isModelLinted, findings: &found)
    findings.add(found)
    return compiled.map { append($0) }
  }

  private mutating func append(_ field: CompiledField) -> Int {
    fields.append(field)
    fields[fields.count - 1].identifier = Int32(fields.count - 1)
    return fields.count - 1
  }

  /// The number of a column among those to request from the reader.
  mutating func column(_ name: String, at position: SourcePosition) -> Int {
    if let known = columnNames.firstIndex(of: name) { return known }
    columnNames.append(name)
    columnPlaces.append(position)
    return columnNames.count - 1
  }

  /// Adds the field that tells which records earlier runs have read.
  mutating func addSince(_ policy: SincePolicy, _ root: EntityImport) -> Int? {
    var field = policy.field
    if let conversion = dateConversion(of: policy) { field.conversion = conversion }
    guard let index = compile(field, policy.attribute) else { return nil }
    if policy.kind == .date, policy.places["type"] == nil, policy.places["date"] == nil,
      let filled = sources.first(where: {
        $0.isDirect && $0.field.column == policy.column && $0.attribute.type.isInteger
      })
    {
      findings.report(
        .invalidOption, as: .warning, at: policy.position,
        "“since” reads “\(policy.column)” as ISO 8601 dates, but it fills “\(filled.attribute.name)”, which is"
          + " \(filled.attribute.type.xmlName)",
        hint: "set “type: integer” under “since”, or say with “date” how the dates are written")
    }
    fieldColumns.append(column(policy.column, at: policy.position))
    fieldNames.append(
      ImportPlan.FieldName(entity: root.entityName, attribute: "since", column: policy.column))
    return index
  }

  /// How the attributes read the column of dates that `since` says nothing of; nil where they differ, or none reads it.
  private func dateConversion(of policy: SincePolicy) -> ConversionOptions? {
    let standard = ConversionOptions()
    guard policy.kind == .date, policy.places["date"] == nil, policy.conversion.dateFormat == standard.dateFormat
    else { return nil }
    let readings = sources.filter {
      $0.isDirect && $0.field.column == policy.column && $0.attribute.type == .date
    }.map(\.field.conversion)
    guard var reading = readings.first, readings.allSatisfy({ $0 == reading }) else { return nil }
    if case .pattern(let text) = reading.dateFormat {
      // What is wrong with it is a finding of the attribute.
      var faults: [DatePattern.Finding] = []
      if DatePattern.compile(text, findings: &faults) == nil || !faults.isEmpty { return nil }
    }
    if policy.places["zone"] != nil || policy.conversion.timeZoneOffset != standard.timeZoneOffset {
      reading.timeZoneOffset = policy.conversion.timeZoneOffset
    }
    return reading
  }

  /// Adds a field that no column fills; `nil` for types that cannot be imported.
  mutating func addUnfilled(
    _ attribute: AttributeDescription, _ entity: EntityDescription
  ) -> (field: Int, slot: Int)? {
    guard let compiled = CompiledField.unfilled(attribute) else { return nil }
    let index = append(compiled)
    // No column is read; keys have one, so there is a first.
    fieldColumns.append(0)
    fieldNames.append(ImportPlan.FieldName(entity: entity.name, attribute: attribute.name, column: ""))
    return (index, attribute.slot)
  }
}
