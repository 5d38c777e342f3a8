import MergewalkDiagnostics
import MergewalkImporting
import MergewalkRecordFormats
import MergewalkYAML

/// Reads YAML nodes as the specs say, and reports everything that does not fit.
struct ComponentReader {
  let registry: ComponentRegistry
  let findings: Findings

  /// Reads a node as a component; `nil` when it is nothing of the kind.
  ///
  /// - Parameters:
  ///   - name: what the file calls it, when that is another name than the kind's.
  ///   - example: how it may be written, for a message.
  func read(
    _ node: YAMLNode, as spec: ComponentSpec, called name: String? = nil, example: String? = nil
  ) -> ComponentValue? {
    let called = name ?? spec.name
    var component = ComponentValue(spec, position: node.position)
    guard let entries = node.entries else {
      guard let shorthand = spec.shorthand.flatMap({ spec.field(named: $0) }), !node.isNull else {
        let shown = spec.shorthand.flatMap { spec.field(named: $0) }?.example ?? example
        let short = shown.map { "for example “\(called): \($0)”" }
        findings.add(
          .wrongType, at: node.position, "“\(called)” takes a mapping, but here is \(node.summary)",
          hint: (short.map { $0 + "; " } ?? "") + "its fields are " + spec.fields.map(\.name).joined(separator: ", "))
        return nil
      }
      // What is wrong is said of the name that the file has.
      var shown = shorthand
      shown.name = called
      if let value = value(node, of: shown) {
        component.fields[shorthand.name] = .init(keyPosition: node.position, position: node.position, value: value)
      } else {
        component.brokenFields.insert(shorthand.name)
      }
      return component
    }
    for entry in entries {
      guard let name = entry.key.text else {
        findings.add(.wrongType, at: entry.key.position, "the name of a field is text, not \(entry.key.summary)")
        continue
      }
      guard let field = spec.field(named: name) else {
        let message = "“\(called)” has no field “\(name)”"
        if let owner = owner(ofField: name, below: spec, among: entries) {
          if entries.contains(where: { $0.key.text == owner }) {
            findings.add(
              .unknownField, at: entry.key.position, message, hint: "it is a field of “\(owner)”: indent it below that")
          } else if component.brokenFields.insert(owner).inserted {
            // All that belongs below it is one mistake.
            findings.add(
              .unknownField, at: entry.key.position, message,
              hint: "it is a field of “\(owner)”: write “\(owner):” above it, and indent it and its like below that")
          }
        } else if let other = sibling(withField: name, besides: spec) {
          findings.add(
            .unknownField, at: entry.key.position, message, hint: "it is a field of “\(other)”: write it there")
        } else if isOfRoot(name, besides: spec) {
          findings.add(
            .unknownField, at: entry.key.position, message,
            hint: "it is a field of “\(registry.root.name)”: write it beside “\(called)”")
        } else if let hint = Self.fieldHints[spec.name]?[name.lowercased()]
          ?? NearestName.colonHint(for: name, among: spec.fields.map(\.name))
        {
          findings.add(.unknownField, at: entry.key.position, message, hint: hint)
        } else {
          let names = spec.fields.map(\.name)
          let isNear = NearestName.find(name, in: names) != nil
          findings.addUnknown(
            .unknownField, at: entry.key.position, message, name: isNear ? name : meant(name, in: spec) ?? name,
            candidates: names)
        }
        // The field that was meant is not missing as well.
        if let meant = meant(name, in: spec) { component.brokenFields.insert(meant) }
        continue
      }
      take(entry.value, key: entry.key.position, as: field, into: &component)
    }
    for field in spec.fields where field.isRequired && !component.has(field.name) {
      component.missingFields.insert(field.name)
      let isStore = field.name == "store" && spec.field(named: "stores") != nil
      findings.add(
        .missingField, at: node.position, "“\(called)” needs the field “\(field.name)”",
        hint: "for example “\(field.name): \(field.example)”"
          + (isStore ? ", or “stores: { by: COLUMN }” for a family of stores" : ""))
    }
    return component
  }

  /// The field that a name means which the component does not have: the nearest one, or what other tools call so.
  private func meant(_ name: String, in spec: ComponentSpec) -> String? {
    NearestName.find(name, in: spec.fields.map(\.name))
      ?? Self.fieldsElsewhere[name.lowercased()]?.first { spec.field(named: $0) != nil }
      ?? spec.fields.map(\.name).first { name.hasPrefix($0 + " ") }
  }

  /// What other tools call fields, with the fields that may be meant.
  private static let fieldsElsewhere = [
    "path": ["files"], "paths": ["files"], "filename": ["files"], "input": ["files"], "inputs": ["files"],
    "url": ["files"], "uri": ["files"], "location": ["files"], "column": ["from"], "field": ["from", "column"],
    "source": ["from"], "key": ["find_by"], "keys": ["find_by"], "primary_key": ["find_by"], "id": ["find_by"],
    "match": ["find_by"], "match_on": ["find_by"], "unique": ["find_by"], "filter": ["where"], "condition": ["where"],
    "if": ["where"], "when": ["where"], "fields": ["attributes"], "properties": ["attributes"],
    "mapping": ["attributes"], "relations": ["relationships"], "references": ["relationships"],
    "table": ["entity"], "class": ["entity"], "type": ["entity", "format"], "size": ["records"], "count": ["records"],
    "rows": ["records"], "separator": ["delimiter"], "sep": ["delimiter"], "quotechar": ["quote"],
    "escapechar": ["escape"], "charset": ["encoding"], "codepage": ["encoding"], "skiprows": ["skip_lines"],
    "skip": ["skip_lines"], "na_values": ["null"], "null_values": ["null"], "format": ["date"],
    "date_format": ["date"], "pattern": ["date"], "transform": ["do"], "transforms": ["do"], "steps": ["do"],
    "output": ["store"], "target": ["store"], "database": ["store"], "destination": ["store"], "name": ["pipeline"],
    "schema": ["model"], "max": ["limit"], "max_errors": ["limit"], "path_to": ["files"], "errors": ["rejects"],
  ]

  /// What to do about fields that are none here at all.
  private static let fieldHints = [
    "source": ["sheet": "spreadsheets are not read: save the sheet as CSV"],
    "field": [
      "type": "the type is that of the attribute in the model",
      "default": "set “absent_value”, “null_value” or “empty_value”",
    ],
  ]

  /// The field whose component has a field of that name, which was not indented enough: rather one that is missing;
  /// `nil` for other names.
  private func owner(
    ofField name: String, below spec: ComponentSpec, among entries: [YAMLNode.Entry]
  ) -> String? {
    let owners = spec.fields.filter { field in
      guard case .component(let component) = field.kind else { return false }
      return registry[component].field(named: name) != nil
    }
    let missing = owners.first { owner in owner.isRequired && !entries.contains { $0.key.text == owner.name } }
    return (missing ?? owners.first)?.name
  }

  /// The other one of “source” and “import” that has a field which neither this one nor anything like it has.
  private func sibling(withField name: String, besides spec: ComponentSpec) -> String? {
    let pair = ["source", "import"].compactMap { registry.component(named: $0) }
    guard pair.contains(where: { $0.name == spec.name }), meant(name, in: spec) == nil else { return nil }
    return pair.first { $0.name != spec.name && $0.field(named: name) != nil }?.name
  }

  /// Whether a field that a component of the file itself does not have, nor one like it, is one of the file itself.
  private func isOfRoot(_ name: String, besides spec: ComponentSpec) -> Bool {
    let isBelow = registry.root.fields.contains { field in
      if case .component(spec.name) = field.kind { true } else { false }
    }
    return isBelow && registry.root.field(named: name) != nil
      && NearestName.find(name, in: spec.fields.map(\.name)) == nil
  }

  private func take(
    _ node: YAMLNode, key: SourcePosition, as field: FieldSpec, into component: inout ComponentValue
  ) {
    if let value = value(node, of: field) {
      component.fields[field.name] = .init(keyPosition: key, position: node.position, value: value)
      // One that is nothing of the kind has its finding, and may be what is missed elsewhere.
      if case .named(let values) = value, let count = node.entries?.count, values.count < count {
        component.brokenFields.insert(field.name)
      }
    } else {
      component.brokenFields.insert(field.name)
    }
  }

  /// Reads a node as a field; `nil` when it does not fit, which is reported.
  private func value(_ node: YAMLNode, of field: FieldSpec) -> FieldValue? {
    if let tag = node.tag, tag != "!", !tag.hasPrefix("tag:yaml.org,2002:") {
      findings.add(
        .wrongType, at: node.position, "the tag “\(tag)” has no meaning in a pipeline",
        hint: "take it out; the value of a variable is written ${NAME}")
      return nil
    }
    switch field.kind {
    case .text, .path:
      guard let text = node.string, !text.isEmpty else { return wrongType(node, field, "text") }
      if field.kind == .path {
        lookForVariable(in: text, at: node.position)
        if SourceFiles.scheme(text) != nil {
          findings.add(
            .wrongType, at: node.position, "“\(field.name)” takes a path, but here is the URL “\(text)”",
            hint: "write the path of a file of this machine, such as “\(field.name): \(field.example)”")
          return nil
        }
        // In a pipeline in another folder it would become the name of a file there.
        if text == "-" {
          findings.add(
            .wrongType, at: node.position,
            "“\(field.name)” takes a path, but here is “-”, which stands for standard input",
            hint: "name a file, such as “\(field.name): \(field.example)”; one that has this name is “./-”")
          return nil
        }
      }
      return .text(text)
    case .content:
      guard let text = node.text, !node.isNull || node.text != "" else { return wrongType(node, field, "text") }
      return .text(text)
    case .expression:
      guard let text = node.string, !text.isEmpty else { return wrongType(node, field, "an expression") }
      return .expression(findings.sourceText(text, of: node))
    case .steps(let name):
      return steps(node, as: registry[name], field).map { .steps($0) }
    case .tree(let words):
      guard node.entries != nil || node.items != nil else { return wrongType(node, field, words) }
      return .tree(node)
    case .flag:
      guard let flag = node.boolean else {
        // YAML 1.1 had more words for them.
        let meant = ["yes": "true", "y": "true", "on": "true", "no": "false", "n": "false", "off": "false"]
        if field.name == "header", let rows = node.integer, rows > 1 {
          findings.add(
            .wrongType, at: node.position, "“header” takes true or false, but here is \(rows)",
            hint: "a header of several records is “header_rows: \(rows)”")
          return nil
        }
        return wrongType(node, field, "true or false", example: node.text.flatMap { meant[$0.lowercased()] })
      }
      return .flag(flag)
    case .count(let least):
      guard let integer = node.integer else {
        // Beside a greatest number of rejects or objects there is a greatest share.
        if field.name == "limit", let text = node.text, text.hasSuffix("%"), Quantity.share(text) != nil {
          findings.add(
            .wrongType, at: node.position, "“limit” takes a whole number, but here is \(node.summary)",
            hint: "a share is “ratio: \(text)”")
          return nil
        }
        return wrongType(node, field, "a whole number")
      }
      guard integer >= Int64(least), integer <= Int64(Int32.max) else {
        return invalid(node, field, "it is outside \(least)...\(Int32.max)")
      }
      return .count(Int(integer))
    case .integer:
      guard let number = node.string.flatMap({ Int($0) }), number.magnitude <= 1 << 31 else {
        return wrongType(node, field, "a whole number")
      }
      return .count(number)
    case .zone:
      guard let text = node.string, let offset = ConversionOptions.zoneOffset(text) else {
        return invalid(node, field, hint: "write UTC or an offset such as \"+02:00\"")
      }
      return .count(offset)
    case .bytes:
      guard let text = node.string, let bytes = Quantity.bytes(text) else {
        return wrongType(node, field, "a size such as 32MiB")
      }
      return .count(bytes)
    case .share:
      guard let text = node.string, let share = Quantity.share(text) else {
        return wrongType(node, field, "a share such as 1% or 0.01")
      }
      return .share(share)
    case .duration:
      guard let text = node.string, let seconds = Durations.seconds(text) else {
        return wrongType(node, field, "a time up to a day such as 10s, 500ms or 2m")
      }
      return .share(seconds)
    case .choice(let words):
      // `null` is a word among others here, although YAML reads nothing in it.
      let word = node.isNull ? "null" : node.text
      guard let word else { return wrongType(node, field, "one of \(words.joined(separator: ", "))") }
      guard words.contains(word) else {
        let message = "“\(field.name)” cannot be \(node.summary)"
        if field.name == "format", Self.converted.contains(word.lowercased()) {
          findings.add(.invalidOption, at: node.position, message, hint: "convert such files to CSV first")
        } else {
          findings.addUnknown(.invalidOption, at: node.position, message, name: word, candidates: words)
        }
        return nil
      }
      return .text(word)
    case .choices(let words):
      guard let texts = texts(node, field) else { return nil }
      let wrong = texts.filter { !words.contains($0.value) }
      for text in wrong {
        findings.addUnknown(
          .invalidOption, at: text.position, "“\(field.name)” cannot be “\(text.value)”", name: text.value,
          candidates: words)
      }
      return wrong.isEmpty ? .texts(texts) : nil
    case .character:
      guard let text = node.text, let character = CharacterName.resolve(text) else {
        return wrongType(
          node, field, "one ASCII character, or one of \(CharacterName.names)",
          example: node.text.flatMap { NearestName.find($0, in: CharacterName.list) })
      }
      return .text(character)
    case .delimiter:
      guard let text = node.text, let delimiter = CharacterName.delimiter(text) else {
        let near = node.text.flatMap { NearestName.find($0, in: CharacterName.list) }
        return wrongType(
          node, field, "1 to \(CSVDelimiter.mostBytes) bytes of text in a line, or one of \(CharacterName.names)",
          example: near)
      }
      return .text(delimiter)
    case .texts:
      return texts(node, field).map { .texts($0) }
    case .pairs:
      guard let entries = node.entries, !entries.isEmpty else {
        return wrongType(node, field, "names with a text each")
      }
      return pairs(entries, field).map { .pairs($0) }
    case .component(let name):
      return read(node, as: registry[name], example: field.example).map { .component($0) }
    case .components(let name):
      guard let items = node.items, !items.isEmpty else { return wrongType(node, field, "a list of mappings") }
      return .components(items.compactMap { read($0, as: registry[name]) })
    case .named(let name):
      guard let entries = node.entries else { return wrongType(node, field, "a mapping of names") }
      return .named(named(entries, as: registry[name]))
    case .names(let name):
      if let entries = node.entries { return .named(named(entries, as: registry[name])) }
      return texts(node, field).map { names in .named(names.map { NamedValue(name: $0, value: nil) }) }
    }
  }

  /// Warns of a variable as a shell, a template or Windows has it, which is text here.
  private func lookForVariable(in text: String, at position: SourcePosition) {
    guard let found = Self.foreignVariable(in: text) else { return }
    findings.warn(
      .invalidVariable, at: position, "“\(found.text)” is text and no variable", hint: "write “${\(found.name)}”")
  }

  /// The first `$NAME`, `{{ NAME }}`, `%NAME%` or home folder (`~`) of a path, and the variable that is meant.
  private static func foreignVariable(in text: String) -> (text: Substring, name: Substring)? {
    if text == "~" || text.hasPrefix("~/") { return (text.prefix(1), "HOME") }
    for (opening, closing) in [("$", ""), ("{{", "}}"), ("%", "%")] {
      guard let start = text.firstRange(of: opening) else { continue }
      let behind = text[start.upperBound...]
      let rest = closing == "}}" ? behind.drop { $0 == " " } : behind
      let name = rest.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
      guard let first = name.first, !first.isNumber else { continue }
      var end = name.endIndex
      if closing == "}}" { end = rest[end...].drop { $0 == " " }.startIndex }
      guard text[end...].hasPrefix(closing) else { continue }
      return (text[start.lowerBound..<text.index(end, offsetBy: closing.count)], name)
    }
    return nil
  }

  /// The names of steps in other languages.
  private static let stepsElsewhere = [
    "uppercase": "upper", "toupper": "upper", "upcase": "upper", "lowercase": "lower", "tolower": "lower",
    "downcase": "lower", "title": "capitalise", "titlecase": "capitalise", "regex": "extract", "regexp": "extract",
    "substr": "substring", "slice": "substring", "lpad": "pad", "len": "length", "nullif": "null_if",
    "ifnull": "coalesce", "nvl": "coalesce", "cast": "to", "sha256": "hash", "md5": "hash", "format_date": "format",
  ]

  private func steps(_ node: YAMLNode, as spec: ComponentSpec, _ field: FieldSpec) -> [StepValue]? {
    var steps: [StepValue] = []
    var isSound = true
    for item in node.items ?? [node] {
      if let word = item.text, !item.isNull {
        let parts = word.split { "|,;".contains($0) }.map { String($0.filter { $0 != " " }) }
        if parts.count > 1, parts.allSatisfy({ spec.field(named: $0) != nil }) {
          findings.add(
            .unknownField, at: item.position, "there is no step “\(word)”",
            hint: "several steps are a list: [\(parts.joined(separator: ", "))]")
          isSound = false
          continue
        }
        guard let step = spec.field(named: word) else {
          findings.addUnknown(
            .unknownField, at: item.position, "there is no step “\(word)”", name: Self.stepsElsewhere[word] ?? word,
            candidates: spec.fields.map(\.name))
          isSound = false
          continue
        }
        guard step.kind == .flag else {
          findings.add(
            .missingField, at: item.position, "the step “\(word)” needs more options",
            hint: "for example “\(word): \(step.example)”")
          isSound = false
          continue
        }
        var value = ComponentValue(spec, position: item.position)
        value.fields[word] = .init(keyPosition: item.position, position: item.position, value: .flag(true))
        steps.append(StepValue(name: Located(value: word, position: item.position), value: value))
        continue
      }
      guard let entries = item.entries, entries.count == 1, let name = entries[0].key.text else {
        findings.add(
          .wrongType, at: item.position,
          "“\(field.name)” takes words and mappings of one step each, but here is \(item.summary)",
          hint: item.entries == nil
            ? "for example “\(field.name): \(field.example)”" : "make each step an item of the list")
        isSound = false
        continue
      }
      guard let value = read(item, as: spec), value.fields[name] != nil else {
        isSound = false
        continue
      }
      steps.append(StepValue(name: Located(value: name, position: entries[0].key.position), value: value))
    }
    return isSound ? steps : nil
  }

  private func texts(_ node: YAMLNode, _ field: FieldSpec) -> [Located<String>]? {
    // A list of nothing would be read as the default.
    if node.items?.isEmpty == true, !field.canBeEmpty {
      _ = wrongType(node, field, "text or a list of texts")
      return nil
    }
    var texts: [Located<String>] = []
    for item in node.items ?? [node] {
      // `NULL` and `~` are texts where texts for null are listed; elsewhere whoever means a text quotes it, as the empty
      // one.
      guard let text = item.text, !item.isNull || field.listsNullTexts && !text.isEmpty else {
        let quoted = item.isNull ? item.text.flatMap { $0.isEmpty ? nil : "write “'\($0)'” for the text" } : nil
        findings.add(
          .wrongType, at: item.position, "“\(field.name)” takes text or a list of texts, but here is \(item.summary)",
          hint: quoted ?? "for example “\(field.name): \(field.example)”")
        return nil
      }
      texts.append(Located(value: text, position: item.position))
    }
    return texts
  }

  private func pairs(
    _ entries: [YAMLNode.Entry], _ field: FieldSpec
  ) -> [(name: Located<String>, value: Located<String>)]? {
    var pairs: [(name: Located<String>, value: Located<String>)] = []
    for entry in entries {
      guard let name = entry.key.text, let value = entry.value.text, !entry.value.isNull else {
        findings.add(
          .wrongType, at: entry.key.position, "“\(field.name)” takes names with a text each",
          hint: "for example “\(field.name): \(field.example)”")
        return nil
      }
      pairs.append(
        (Located(value: name, position: entry.key.position), Located(value: value, position: entry.value.position)))
    }
    return pairs
  }

  private func named(_ entries: [YAMLNode.Entry], as spec: ComponentSpec) -> [NamedValue] {
    var values: [NamedValue] = []
    for entry in entries {
      guard let name = entry.key.text else {
        findings.add(.wrongType, at: entry.key.position, "a name is text, not \(entry.key.summary)")
        continue
      }
      let example = spec.name == "relationship" ? "{ find_by: { NAME: COLUMN } }" : nil
      guard let component = read(entry.value, as: spec, called: name, example: example) else { continue }
      values.append(NamedValue(name: Located(value: name, position: entry.key.position), value: component))
    }
    return values
  }

  /// Formats that are not read, under the names that people give them.
  private static let converted: Set<String> = ["parquet", "arrow", "avro", "orc", "excel", "xls", "xlsx", "ods"]

  private func wrongType(
    _ node: YAMLNode, _ field: FieldSpec, _ wanted: String, example: String? = nil
  ) -> FieldValue? {
    if node.isNull || node.text == "", let variable = findings.variable(at: node.position) {
      findings.add(
        .wrongType, at: node.position, "“\(field.name)” takes \(wanted), but the variable “\(variable)” is empty",
        hint: "set it, or write “${\(variable):-TEXT}” for a value in its place")
      return nil
    }
    findings.add(
      .wrongType, at: node.position, "“\(field.name)” takes \(wanted), but here is \(node.summary)",
      hint: "for example “\(field.name): \(example ?? field.example)”")
    return nil
  }

  private func invalid(
    _ node: YAMLNode, _ field: FieldSpec, _ reason: String? = nil, hint: String? = nil
  ) -> FieldValue? {
    findings.add(
      .invalidOption, at: node.position, "“\(field.name)” cannot be \(node.summary)" + (reason.map { ": " + $0 } ?? ""),
      hint: hint)
    return nil
  }
}
