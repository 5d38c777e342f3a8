import MergewalkBytes
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
    let head: JSONText = [
      "$schema": .string("https://json-schema.org/draft/2020-12/schema"), "title": .string(Self.title(of: kind)),
    ]
    let rules: JSONText
    var definitions: JSONText = ["variable": Self.variable]
    switch kind {
    case .part:
      rules = reference(root, isPart: true)
      definitions = definitions.with(self.definitions(arePart: true))
    case .pipeline, .test:
      // What a file includes may have the fields that it must have.
      rules = [
        "if": ["required": .strings(["include"])], "then": reference(root, isPart: true),
        "else": reference(root, isPart: false),
      ]
      definitions = definitions.with(self.definitions(arePart: false)).with(self.definitions(arePart: true))
    }
    return head.with(rules).with(["$defs": definitions]).written(as: .tree) + "\n"
  }

  private static func title(of kind: Kind) -> String {
    switch kind {
    case .pipeline: "A pipeline of mergewalk"
    case .part: "A part of pipelines of mergewalk"
    case .test: "Tests of a pipeline of mergewalk"
    }
  }

  /// Text with a variable in it, which may become anything.
  private static let variable: JSONText = [
    "description": .string("Text with a variable: ${NAME}, ${secret:NAME} or ${file:PATH}."),
    "type": .string("string"), "pattern": .string("\\$\\{"),
  ]

  private static let anyVariable: JSONText = ["$ref": .string("#/$defs/variable")]
  private static let anyScalar: JSONText = ["type": .strings(["string", "number", "boolean"])]
  /// `NULL` and `~` are texts in lists of texts.
  private static let anyText: JSONText = ["type": .strings(["string", "number", "boolean", "null"])]

  // MARK: Components

  private func definitions(arePart: Bool) -> JSONText {
    .object(registry.components.map { (Self.name($0.name, isPart: arePart), component($0, isPart: arePart)) })
  }

  private static func name(_ component: String, isPart: Bool) -> String { isPart ? component + "-part" : component }

  private func reference(_ component: String, isPart: Bool) -> JSONText {
    ["$ref": .string("#/$defs/" + Self.name(component, isPart: isPart))]
  }

  private func component(_ spec: ComponentSpec, isPart: Bool) -> JSONText {
    var object: JSONText = [
      "type": .string("object"), "properties": .object(spec.fields.map { ($0.name, field($0, isPart: isPart)) }),
      "additionalProperties": .boolean(false),
    ]
    if !isPart {
      let required = spec.fields.filter(\.isRequired).map(\.name)
      object = object.with([
        "required": required.isEmpty ? nil : .strings(required),
        "anyOf": spec.alternatives.isEmpty ? nil : .array(spec.alternatives.map { ["required": .strings($0)] }),
      ])
    }
    let description: JSONText = ["description": .string(spec.summary)]
    guard let shorthand = spec.shorthand.flatMap({ spec.field(named: $0) }) else { return description.with(object) }
    return description.with(["anyOf": .array([object, value(shorthand.kind, isPart: isPart)])])
  }

  private func field(_ spec: FieldSpec, isPart: Bool) -> JSONText {
    var words = Self.plain(spec.summary)
    var object = value(spec.kind, isPart: isPart)
    if let text = spec.defaultText {
      if let value = Self.defaultValue(text, of: spec) {
        object = object.with(["default": value])
      } else {
        words += " Default: \(Self.plain(text))."
      }
    }
    if let example = JSONText(yaml: spec.example) { object = object.with(["examples": .array([example])]) }
    let description: JSONText = ["description": .string(words)]
    return description.with(object)
  }

  /// The value that a default's text is, where it is one and not words about one.
  private static func defaultValue(_ text: String, of spec: FieldSpec) -> JSONText? {
    switch spec.kind {
    case .component: return text.hasPrefix("{") ? JSONText(yaml: text) : nil
    case .texts, .choices: return text.hasPrefix("[") ? JSONText(yaml: text) : nil
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

  private func value(_ kind: FieldKind, isPart: Bool) -> JSONText {
    switch kind {
    case .text, .path, .expression, .zone:
      return ["type": .strings(["string", "number", "boolean"]), "minLength": .integer(1)]
    case .integer: return Self.orVariable(["type": .string("integer")])
    case .steps(let name):
      let item: JSONText = ["anyOf": .array([["type": .string("string")], reference(name, isPart: isPart)])]
      return Self.orList(of: item)
    case .content: return Self.anyText
    case .tree: return ["type": .strings(["object", "array"])]
    case .flag: return Self.orVariable(["type": .string("boolean")])
    case .count(let least): return Self.orVariable(Self.whole(from: least, to: Int(Int32.max)))
    case .bytes:
      return Self.orVariable(
        ["type": .string("integer"), "minimum": .integer(1)], Self.matching("^[0-9]+ *([KMG]iB|[kKMG]?B)?$"))
    case .share:
      return Self.orVariable(
        ["type": .string("number"), "minimum": .integer(0), "maximum": .integer(1)], Self.matching("^[0-9.]+ *%?$"))
    case .duration: return Self.orVariable(Self.matching("^[0-9.]+ *(ms|s|m|h)$"))
    case .choice(let words):
      // The word `null` is nothing to whoever reads YAML.
      let values = words.map { JSONText.string($0) } + (words.contains("null") ? [.null] : [])
      return Self.orVariable(["enum": .array(values)])
    case .choices(let words): return Self.orVariable(Self.orList(of: ["enum": .strings(words)]))
    case .character:
      return Self.orVariable(
        ["enum": .strings(CharacterName.list)], Self.matching("^[\\u0000-\\u007F]$"), Self.whole(from: 0, to: 9))
    case .delimiter:
      return Self.orVariable(
        ["enum": .strings(CharacterName.list)], Self.matching("^[^\\u0000\\n\\r]{1,\(CSVDelimiter.mostBytes)}$"),
        Self.whole(from: 0, to: 99_999_999))
    case .texts: return Self.orList(of: Self.anyText)
    case .pairs:
      return ["type": .string("object"), "minProperties": .integer(1), "additionalProperties": Self.anyScalar]
    case .component(let name): return reference(name, isPart: isPart)
    case .components(let name):
      return ["type": .string("array"), "minItems": .integer(1), "items": reference(name, isPart: isPart)]
    case .named(let name): return names(of: name, isPart: isPart)
    case .names(let name):
      return ["anyOf": .array([names(of: name, isPart: isPart), Self.anyText, Self.list(of: Self.anyText)])]
    }
  }

  private func names(of component: String, isPart: Bool) -> JSONText {
    ["type": .string("object"), "additionalProperties": reference(component, isPart: isPart)]
  }

  private static func orVariable(_ values: JSONText...) -> JSONText {
    ["anyOf": .array(values + [anyVariable])]
  }

  private static func whole(from least: Int, to most: Int) -> JSONText {
    ["type": .string("integer"), "minimum": .integer(least), "maximum": .integer(most)]
  }

  private static func matching(_ pattern: String) -> JSONText {
    ["type": .string("string"), "pattern": .string(pattern)]
  }

  private static func list(of item: JSONText) -> JSONText { ["type": .string("array"), "items": item] }

  private static func orList(of item: JSONText) -> JSONText { ["anyOf": .array([item, list(of: item)])] }
}
