import MergewalkDiagnostics
import MergewalkImporting

/// The reference of pipeline files, made from the specs.
package enum PipelineReference {
  /// The components, their fields and the lint codes as Markdown.
  package static func markdown(of registry: ComponentRegistry) -> String {
    var sections = registry.components.map(section)
    // The codes are the same for all files; they stand where pipelines are described.
    guard registry.root.name == ComponentRegistry.standard.root.name else { return sections.joined(separator: "\n\n") }
    var codes = "### Findings\n\n| code | severity | meaning |\n| --- | --- | --- |"
    for code in FindingCode.allCases {
      codes += "\n| `\(code.rawValue)` | \(code.severity.rawValue) | \(code.summary) |"
    }
    sections.append(codes)
    return sections.joined(separator: "\n\n")
  }

  /// The table of steps on the page about transforms.
  package static var steps: String {
    var text = "| step | takes → gives | |\n| --- | --- | --- |"
    for step in StepSpec.all {
      var usage = "{ \(step.name): \(step.field.example) }"
      if step.field.kind == .flag { usage = step.name }
      text += "\n| `\(cell(usage))` | \(step.types) | \(cell(step.remark.isEmpty ? step.field.summary : step.remark)) |"
    }
    return text
  }

  private static func section(_ component: ComponentSpec) -> String {
    var text = "### `\(component.name)`\n\n\(component.summary)"
    if let shorthand = component.shorthand {
      text += " A bare text or list stands for `\(shorthand)`."
    }
    text += "\n\n| field | takes | default | meaning | example |\n| --- | --- | --- | --- | --- |"
    for field in component.fields {
      let value = field.isRequired ? "*required*" : field.defaultText ?? ""
      text += "\n| `\(field.name)` | \(cell(takes(field.kind))) | \(cell(value)) | \(cell(field.summary)) |"
      text += " `\(cell(field.example))` |"
    }
    return text
  }

  private static func takes(_ kind: FieldKind) -> String {
    switch kind {
    case .text: "text"
    case .content: "text"
    case .expression: "a predicate or an expression"
    case .steps(let name): "a list of words and mappings of `\(name)`"
    case .tree(let words): words
    case .path: "a path"
    case .flag: "`true` or `false`"
    case .count(let least): "a number from \(least)"
    case .integer: "a whole number"
    case .zone: "`UTC` or an offset"
    case .bytes: "a size"
    case .share: "a share"
    case .duration: "a time"
    case .choice(let words): words.map { "`\($0)`" }.joined(separator: ", ")
    case .choices(let words): "one or a list of " + words.map { "`\($0)`" }.joined(separator: ", ")
    case .character: "one character or its name"
    case .delimiter: "one character or several, or a name"
    case .texts: "text or a list"
    case .pairs: "names, each with a text"
    case .component(let name): "`\(name)`"
    case .components(let name): "a list, each a mapping of `\(name)`"
    case .named(let name): "names, each with a `\(name)`"
    case .names(let name): "a list of names, or names, each with a `\(name)`"
    }
  }

  private static func cell(_ text: String) -> String {
    var result = ""
    for character in text { result += character == "|" ? "\\|" : String(character) }
    return result
  }
}
