import MergewalkImporting
import MergewalkRecordFormats

/// JSON Schemas (draft 2020-12) of the files that people write, for editors, made from the specs.
///
/// A schema covers what one file alone can show: the possible fields, their values, and the required ones. `lint`
/// checks the names of entities, attributes and columns. Source: https://json-schema.org/draft/2020-12.
package struct PipelineSchema: Sendable {
  package enum Kind: String, Sendable, CaseIterable {
    case pipeline
    /// A part of a pipeline that others include: nothing has to be in it.
    case part
    /// Tests of a pipeline.
    case test
  }

  private let registry: ComponentRegistry

  private init(_ registry: ComponentRegistry) { self.registry = registry }

  /// The schema as JSON over several lines, with a line break at its end.
  package static func text(of kind: Kind = .pipeline) -> String {
    PipelineSchema(kind == .test ? .tests : .standard).text(kind)
  }

  private func text(_ kind: Kind) -> String {
    let root = registry.root.name
    var members: [(name: String, value: SchemaValue)] = [
      ("$schema", .string("https://json-schema.org/draft/2020-12/schema")),
      ("title", .string(Self.title(of: kind))),
    ]
    var definitions: [(name: String, value: SchemaValue)] = [("variable", Self.variable)]
    switch kind {
    case .part:
      members.append(reference(root, isPart: true))
      definitions += self.definitions(arePart: true)
    case .pipeline, .test:
      // What a file includes may have the fields that it must have.
      members += [
        ("if", .object([("required", .strings(["include"]))])),
        ("then", .object([reference(root, isPart: true)])),
        ("else", .object([reference(root, isPart: false)])),
      ]
      definitions += self.definitions(arePart: false) + self.definitions(arePart: true)
    }
    members.append(("$defs", .object(definitions)))
    return SchemaValue.object(members).text + "\n"
  }

  private static func title(of kind: Kind) -> String {
    switch kind {
    case .pipeline: "A pipeline of mergewalk"
    case .part: "A part of pipelines of mergewalk"
    case .test: "Tests of a pipeline of mergewalk"
    }
  }

  /// Text with a variable in it, which may become anything.
  private static let variable = SchemaValue.object([
    ("description", .string("Text with a variable: ${NAME}, ${secret:NAME} or ${file:PATH}.")),
    ("type", .string("string")), ("pattern", .string("\\$\\{")),
  ])

  private static let anyScalar = SchemaValue.object([("type", .strings(["string", "number", "boolean"]))])
  /// `NULL` and `~` are texts in lists of texts.
  private static let anyText = SchemaValue.object([("type", .strings(["string", "number", "boolean", "null"]))])

  // MARK: Components

  private func definitions(arePart: Bool) -> [(name: String, value: SchemaValue)] {
    registry.components.map { (Self.name($0.name, isPart: arePart), component($0, isPart: arePart)) }
  }

  private static func name(_ component: String, isPart: Bool) -> String { isPart ? component + "-part" : component }

  private func reference(_ component: String, isPart: Bool) -> (name: String, value: SchemaValue) {
    ("$ref", .string("#/$defs/" + Self.name(component, isPart: isPart)))
  }

  private func component(_ spec: ComponentSpec, isPart: Bool) -> SchemaValue {
    var members: [(name: String, value: SchemaValue)] = [
      ("type", .string("object")),
      ("properties", .object(spec.fields.map { ($0.name, field($0, isPart: isPart)) })),
      ("additionalProperties", .boolean(false)),
    ]
    if !isPart {
      let required = spec.fields.filter(\.isRequired).map(\.name)
      if !required.isEmpty { members.append(("required", .strings(required))) }
      if !spec.alternatives.isEmpty {
        members.append(
          ("anyOf", .array(spec.alternatives.map { .object([("required", .strings($0))]) })))
      }
    }
    let description = (name: "description", value: SchemaValue.string(spec.summary))
    guard let shorthand = spec.shorthand.flatMap({ spec.field(named: $0) }) else {
      return .object([description] + members)
    }
    return .object([
      description,
      ("anyOf", .array([.object(members), .object(value(shorthand.kind, isPart: isPart))])),
    ])
  }

  private func field(_ spec: FieldSpec, isPart: Bool) -> SchemaValue {
    var words = Self.plain(spec.summary)
    var members = value(spec.kind, isPart: isPart)
    if let text = spec.defaultText {
      if let value = Self.defaultValue(text, of: spec) {
        members.append(("default", value))
      } else {
        words += " Default: \(Self.plain(text))."
      }
    }
    if let example = SchemaValue(yaml: spec.example) { members.append(("examples", .array([example]))) }
    return .object([("description", .string(words))] + members)
  }

  /// The value that a default's text is, where it is one and not words about one.
  private static func defaultValue(_ text: String, of spec: FieldSpec) -> SchemaValue? {
    switch spec.kind {
    case .component: return text.hasPrefix("{") ? SchemaValue(yaml: text) : nil
    case .texts, .choices: return text.hasPrefix("[") ? SchemaValue(yaml: text) : nil
    default: break
    }
    switch (spec.kind, spec.defaultValue) {
    case (_, nil): return nil
    case (_, .flag(let flag)): return .boolean(flag)
    case (.count, .count(let count)), (.integer, .count(let count)): return .integer(count)
    case (.text, .text(let text)), (.content, .text(let text)): return .string(text)
    default: return .string(text)
    }
  }

  /// Markdown without its marks.
  private static func plain(_ text: String) -> String { text.split(separator: "`").joined() }

  // MARK: Values

  private func value(_ kind: FieldKind, isPart: Bool) -> [(name: String, value: SchemaValue)] {
    switch kind {
    case .text, .path, .expression, .zone:
      return [("type", .strings(["string", "number", "boolean"])), ("minLength", .integer(1))]
    case .integer: return orVariable([("type", .string("integer"))])
    case .steps(let name):
      let item = SchemaValue.object([
        ("anyOf", .array([.object([("type", .string("string"))]), .object([reference(name, isPart: isPart)])]))
      ])
      return [("anyOf", .array([item, Self.list(of: item)]))]
    case .content: return [("type", .strings(["string", "number", "boolean", "null"]))]
    case .tree: return [("type", .strings(["object", "array"]))]
    case .flag: return orVariable([("type", .string("boolean"))])
    case .count(let least):
      return orVariable([
        ("type", .string("integer")), ("minimum", .integer(least)), ("maximum", .integer(Int(Int32.max))),
      ])
    case .bytes:
      return [
        (
          "anyOf",
          .array([
            .object([("type", .string("integer")), ("minimum", .integer(1))]),
            .object([
              ("type", .string("string")), ("pattern", .string("^[0-9]+ *([KMG]iB|[kKMG]?B)?$")),
            ]),
            .object([("$ref", .string("#/$defs/variable"))]),
          ])
        )
      ]
    case .share:
      return [
        (
          "anyOf",
          .array([
            .object([("type", .string("number")), ("minimum", .integer(0)), ("maximum", .integer(1))]),
            .object([("type", .string("string")), ("pattern", .string("^[0-9.]+ *%?$"))]),
            .object([("$ref", .string("#/$defs/variable"))]),
          ])
        )
      ]
    case .duration:
      return orVariable([("type", .string("string")), ("pattern", .string("^[0-9.]+ *(ms|s|m|h)$"))])
    case .choice(let words):
      // The word `null` is nothing to whoever reads YAML.
      let values = words.map { SchemaValue.string($0) } + (words.contains("null") ? [.null] : [])
      return orVariable([("enum", .array(values))])
    case .choices(let words):
      let word = SchemaValue.object([("enum", .strings(words))])
      return orVariable([("anyOf", .array([word, Self.list(of: word)]))])
    case .character:
      return [
        (
          "anyOf",
          .array([
            .object([("enum", .strings(CharacterName.list))]),
            .object([("type", .string("string")), ("pattern", .string("^[\\u0000-\\u007F]$"))]),
            .object([("type", .string("integer")), ("minimum", .integer(0)), ("maximum", .integer(9))]),
            .object([("$ref", .string("#/$defs/variable"))]),
          ])
        )
      ]
    case .delimiter:
      return [
        (
          "anyOf",
          .array([
            .object([("enum", .strings(CharacterName.list))]),
            .object([
              ("type", .string("string")), ("pattern", .string("^[^\\u0000\\n\\r]{1,\(CSVDelimiter.mostBytes)}$")),
            ]),
            .object([("type", .string("integer")), ("minimum", .integer(0)), ("maximum", .integer(99_999_999))]),
            .object([("$ref", .string("#/$defs/variable"))]),
          ])
        )
      ]
    case .texts: return [("anyOf", .array([Self.anyText, Self.list(of: Self.anyText)]))]
    case .pairs:
      return [
        ("type", .string("object")), ("minProperties", .integer(1)), ("additionalProperties", Self.anyScalar),
      ]
    case .component(let name): return [reference(name, isPart: isPart)]
    case .components(let name):
      return [
        ("type", .string("array")), ("minItems", .integer(1)), ("items", .object([reference(name, isPart: isPart)])),
      ]
    case .named(let name): return names(of: name, isPart: isPart)
    case .names(let name):
      return [
        ("anyOf", .array([.object(names(of: name, isPart: isPart)), Self.anyText, Self.list(of: Self.anyText)]))
      ]
    }
  }

  private func names(of component: String, isPart: Bool) -> [(name: String, value: SchemaValue)] {
    [("type", .string("object")), ("additionalProperties", .object([reference(component, isPart: isPart)]))]
  }

  private func orVariable(
    _ members: [(name: String, value: SchemaValue)]
  ) -> [(name: String, value: SchemaValue)] {
    [("anyOf", .array([.object(members), .object([("$ref", .string("#/$defs/variable"))])]))]
  }

  private static func list(of items: SchemaValue) -> SchemaValue {
    .object([("type", .string("array")), ("items", items)])
  }
}
