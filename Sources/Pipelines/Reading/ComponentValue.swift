import Diagnostics
import Importing
import YAML

/// A value and its place in the pipeline file.
struct Located<Value> {
  var value: Value
  var position: SourcePosition
}

extension Located: Sendable where Value: Sendable {}

/// What a field of a component held, checked against its ``FieldSpec``.
enum FieldValue: Sendable {
  case text(String)
  case flag(Bool)
  case count(Int)
  case share(Double)
  case texts([Located<String>])
  case expression(SourceText)
  case steps([StepValue])
  case pairs([(name: Located<String>, value: Located<String>)])
  case component(ComponentValue)
  case components([ComponentValue])
  case named([NamedValue])
  case tree(YAMLNode)
}

/// One step of a transform: its name and a mapping with that field alone.
struct StepValue: Sendable {
  var name: Located<String>
  var value: ComponentValue
}

/// A name in a mapping or a list, with the component it maps to.
struct NamedValue: Sendable {
  var name: Located<String>
  /// `nil` when the name stands alone in a list.
  var value: ComponentValue?
}

/// A mapping of a pipeline file, checked against its ``ComponentSpec``.
struct ComponentValue: Sendable {
  /// One field that is there.
  struct Field: Sendable {
    var keyPosition: SourcePosition
    var position: SourcePosition
    var value: FieldValue
  }

  /// Where the mapping starts.
  var position: SourcePosition
  /// The fields that are there and well-formed, by name.
  var fields: [String: Field] = [:]
  /// The names of fields that are there but not well-formed; the finding about them is made.
  var brokenFields: Set<String> = []
  /// The names of fields that must be there and are not; the finding about them is made.
  var missingFields: Set<String> = []

  /// Whether the field is in the file, well-formed or not.
  func has(_ name: String) -> Bool { fields[name] != nil || brokenFields.contains(name) }

  /// Whether the field's own way to say what an option of all fields says is in the file: a value or what becomes of it.
  func hasCase(_ name: String) -> Bool {
    for base in ["absent", "null", "empty"] where name == base || name == base + "_value" {
      return has(base) || has(base + "_value")
    }
    return false
  }

  /// Where the fields stand, for the definition that they become part of.
  var places: OptionPlaces {
    var places = OptionPlaces()
    for (name, field) in fields { places[name] = .init(key: field.keyPosition, value: field.position) }
    places.broken = brokenFields.union(missingFields)
    return places
  }

  /// The place of the field's key, or of the mapping.
  func keyPosition(_ name: String) -> SourcePosition { fields[name]?.keyPosition ?? position }

  func text(_ name: String) -> Located<String>? {
    guard let field = fields[name], case .text(let text) = field.value else { return nil }
    return Located(value: text, position: field.position)
  }

  func flag(_ name: String) -> Bool? {
    guard let field = fields[name], case .flag(let flag) = field.value else { return nil }
    return flag
  }

  func count(_ name: String) -> Int? {
    guard let field = fields[name], case .count(let count) = field.value else { return nil }
    return count
  }

  func share(_ name: String) -> Double? {
    guard let field = fields[name], case .share(let share) = field.value else { return nil }
    return share
  }

  /// The seconds of a time.
  func seconds(_ name: String) -> Double? { share(name) }

  func texts(_ name: String) -> [Located<String>]? {
    guard let field = fields[name], case .texts(let texts) = field.value else { return nil }
    return texts
  }

  func expression(_ name: String) -> SourceText? {
    guard let field = fields[name], case .expression(let text) = field.value else { return nil }
    return text
  }

  func steps(_ name: String) -> [StepValue] {
    guard let field = fields[name], case .steps(let steps) = field.value else { return [] }
    return steps
  }

  func pairs(_ name: String) -> [(name: Located<String>, value: Located<String>)]? {
    guard let field = fields[name], case .pairs(let pairs) = field.value else { return nil }
    return pairs
  }

  func component(_ name: String) -> ComponentValue? {
    guard let field = fields[name], case .component(let component) = field.value else { return nil }
    return component
  }

  func components(_ name: String) -> [ComponentValue] {
    guard let field = fields[name], case .components(let components) = field.value else { return [] }
    return components
  }

  func named(_ name: String) -> [NamedValue] {
    guard let field = fields[name], case .named(let values) = field.value else { return [] }
    return values
  }

  func tree(_ name: String) -> YAMLNode? {
    guard let field = fields[name], case .tree(let node) = field.value else { return nil }
    return node
  }

  /// The case of a string enumeration that a choice field names.
  func choice<Choice: RawRepresentable>(_ name: String, as: Choice.Type) -> Choice? where Choice.RawValue == String {
    text(name).flatMap { Choice(rawValue: $0.value) }
  }
}
