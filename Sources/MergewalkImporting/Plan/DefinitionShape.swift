import MergewalkRecordFormats

/// Finds contradictions that a part of a definition has in itself, whatever the model is.
struct DefinitionShape {
  private(set) var findings: FindingList

  private let hasRejectsFile: Bool

  init(path: String, hasRejectsFile: Bool) {
    findings = FindingList(path: path)
    self.hasRejectsFile = hasRejectsFile
  }

  mutating func check(_ part: ImportPart) {
    check(part.root, isRoot: true)
    if let since = part.since { check(since, part) }
  }

  private mutating func check(_ entity: EntityImport, isRoot: Bool) {
    checkKeys(entity, isRoot: isRoot)
    checkSync(entity, isRoot: isRoot)
    for field in entity.findBy + entity.attributes { checkCases(field) }
    var names: Set<String> = []
    for relationship in entity.relationships {
      if !names.insert(relationship.name).inserted {
        findings.report(.mappedTwice, at: relationship.position, "“\(relationship.name)” is filled twice")
      }
      checkMissing(relationship)
      if let list = relationship.list { check(list, relationship) }
      check(relationship.target, isRoot: false)
    }
  }

  // MARK: Fields

  private mutating func checkKeys(_ entity: EntityImport, isRoot: Bool) {
    let keys = entity.findBy.map(\.attributeName)
    for (index, field) in entity.findBy.enumerated() where keys[..<index].contains(field.attributeName) {
      findings.report(.mappedTwice, at: field.position, "“find_by” names “\(field.attributeName)” twice")
    }
    let attributes = entity.attributes.map(\.attributeName)
    for field in entity.findBy where attributes.contains(field.attributeName) {
      findings.report(
        .mappedTwice, at: field.position, "“\(field.attributeName)” has a column under “attributes” already",
        hint: "keep one of the two")
    }
    for (index, field) in entity.attributes.enumerated() where attributes[..<index].contains(field.attributeName) {
      findings.report(.mappedTwice, at: field.position, "“\(field.attributeName)” is filled twice")
    }
    guard keys.isEmpty, entity.mode != .insert || !isRoot, !entity.places.broken.contains("find_by") else { return }
    findings.report(
      .missingField, at: entity.position, "“\(entity.entityName)” needs the field “find_by”",
      hint: "name the attributes that identify an object" + (isRoot ? ", or set “mode: insert”" : ""))
  }

  /// Finds cases that both set how a value is handled and give a value for its place.
  private mutating func checkCases(_ field: FieldImport) {
    for (name, value, isChosen) in [
      ("absent", field.absentValue, field.whenAbsent != .keep), ("null", field.nullValue, field.whenNull != .null),
      ("empty", field.emptyValue, field.whenEmpty != nil),
    ] where value != nil && (isChosen || field.places.says(name)) {
      findings.report(
        .invalidOption, at: field.places[name + "_value"]?.key ?? field.position,
        "“\(name)_value” has no effect together with “\(name)”", hint: "keep one of the two")
    }
  }

  // MARK: Modes

  private mutating func checkSync(_ entity: EntityImport, isRoot: Bool) {
    if entity.mode.removesOthers {
      guard !isRoot else { return }
      findings.report(
        .invalidOption, at: entity.places["mode"]?.value ?? entity.position,
        "“mode” cannot be “\(entity.mode.rawValue)” for the target of a relationship",
        hint: "only objects of the records' own entity can be deleted because no record names them")
    } else if entity.sync != entity.sync.withoutDeletion || entity.places["sync"] != nil,
      !entity.places.broken.contains("mode")
    {
      findings.report(
        .invalidOption, at: entity.places["sync"]?.key ?? entity.position,
        "“sync” selects objects to delete, but mode “\(entity.mode.rawValue)” deletes none",
        hint: "set “mode: sync” or “mode: replace”, or leave it out")
    }
  }

  /// Finds a mode that contradicts the policy for missing targets.
  private mutating func checkMissing(_ relationship: RelationshipImport) {
    let (mode, missing) = (relationship.target.mode, relationship.missing)
    guard let place = relationship.target.places["missing"]?.value,
      missing == .create ? mode == .update : mode == .createMissing
    else { return }
    findings.report(
      .invalidOption, at: place, "“missing” cannot be “\(missing.rawValue)” in mode “\(mode.rawValue)”",
      hint: missing == .create ? "use mode “upsert”, or “missing: reject”" : "leave “mode” out")
  }

  private mutating func check(_ since: SincePolicy, _ part: ImportPart) {
    if part.makes(since.column) {
      findings.report(
        .invalidOption, at: since.position,
        "“since” reads a column of the source, and “\(since.column)” is made by the pipeline",
        hint: "name the source's column, and say under “since” how its values are written")
    }
    let standard = ConversionOptions()
    for (option, isSet) in [
      ("date", since.conversion.dateFormat != standard.dateFormat),
      ("zone", since.conversion.timeZoneOffset != standard.timeZoneOffset),
    ] where since.kind != .date && (isSet || since.places[option] != nil) {
      findings.report(
        .unsuitableOption, at: since.places[option]?.key ?? since.position,
        "“\(option)” does not apply to a column of type “\(since.kind.rawValue)”")
    }
    if let start = since.start, start.kind != since.kind {
      findings.report(
        .invalidOption, at: since.places["start"]?.value ?? since.position,
        "“start” is of type “\(start.kind.rawValue)”, and the column of type “\(since.kind.rawValue)”")
    }
    if since.lag != 0, since.kind == .text {
      findings.report(
        .invalidOption, at: since.places["lag"]?.value ?? since.position,
        "“lag” cannot be \(since.lag) for a column of type “text”", hint: "texts have no distance")
    }
    if part.root.mode.removesOthers {
      findings.report(
        .invalidOption, at: part.places["since"]?.key ?? since.position,
        "mode “\(part.root.mode.rawValue)” deletes what no record names, and “since” skips records",
        hint: "use mode “upsert”, or leave “since” out")
    }
    if let problem = since.problem(in: part.root.mode, hasFile: hasRejectsFile) {
      findings.report(
        .invalidOption, at: since.places["rejects"]?.key ?? part.places["since"]?.key ?? since.position,
        problem.message, hint: problem.hint)
    }
  }

  // MARK: Lists

  private mutating func check(_ list: ListImport, _ relationship: RelationshipImport) {
    let target = relationship.target
    if list.form == .json, !list.trims || target.places["trim"] != nil {
      findings.report(
        .unsuitableOption, at: target.places["trim"]?.key ?? relationship.position,
        "“trim” is for the pieces of a text, and there is no “split”",
        hint: "trim the fields of the elements instead")
    }
    checkElements(target)
    for use in target.columnUses where !ListElements.isColumn(use.name) {
      findings.report(
        .unknownColumn, at: use.position, "“\(use.name)” is not a path of members of an element",
        hint: "write a dot inside a name as \\.")
    }
    if case .split = list.form { checkPieces(list, relationship) }
  }

  /// Finds fields of elements that are more than a column: only those of records have steps and values.
  private mutating func checkElements(_ target: EntityImport) {
    for field in target.findBy + target.attributes where !field.takesColumnAsItIs {
      findings.report(
        .unsuitableOption, at: field.position,
        "“\(field.attributeName)” is filled by an element of a list, whose columns are taken as they are",
        hint: "derive a column of the record instead")
    }
    for relationship in target.relationships where relationship.list == nil { checkElements(relationship.target) }
  }

  /// Checks the fields of the pieces of a text against what a piece has: nothing but itself.
  private mutating func checkPieces(_ list: ListImport, _ relationship: RelationshipImport) {
    let target = relationship.target
    for (option, isSet) in [
      ("attributes", !target.attributes.isEmpty), ("relationships", !target.relationships.isEmpty),
    ] where isSet || target.places[option] != nil {
      findings.report(
        .unsuitableOption, at: target.places[option]?.key ?? relationship.position,
        "a piece of a text has no “\(option)”, only a key", hint: "use “each” with a JSON array of objects")
      return
    }
    guard let use = target.columnUses.first(where: { $0.name != "." }) else { return }
    findings.report(
      .unsuitableOption, at: use.position, "a piece of “\(list.column)” has no column “\(use.name)”",
      hint: target.places["each"] == nil ? "find it by one attribute" : "write “.” for the piece itself")
  }
}
