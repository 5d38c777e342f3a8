package import MergewalkDiagnostics
package import MergewalkYAML

/// A value and its place in the pipeline file.
package struct Located<Value> {
  package var value: Value
  package var position: SourcePosition

  package init(value: Value, position: SourcePosition) {
    self.value = value
    self.position = position
  }
}

extension Located: Sendable where Value: Sendable {}

/// The value of a component's field, checked against its ``FieldSpec``.
package enum FieldValue: Sendable {
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
package struct StepValue: Sendable {
  package var name: Located<String>
  package var value: ComponentValue

  package init(name: Located<String>, value: ComponentValue) {
    self.name = name
    self.value = value
  }
}

/// A name in a mapping or a list, with the component it maps to.
package struct NamedValue: Sendable {
  package var name: Located<String>
  /// `nil` when the name stands alone in a list.
  package var value: ComponentValue?

  package init(name: Located<String>, value: ComponentValue?) {
    self.name = name
    self.value = value
  }
}

/// A mapping of a pipeline file, checked against its ``ComponentSpec``.
package struct ComponentValue: Sendable {
  package struct Field: Sendable {
    package var keyPosition: SourcePosition
    package var position: SourcePosition
    package var value: FieldValue

    package init(keyPosition: SourcePosition, position: SourcePosition, value: FieldValue) {
      self.keyPosition = keyPosition
      self.position = position
      self.value = value
    }
  }

  package let spec: ComponentSpec
  /// Where the mapping starts.
  package var position: SourcePosition
  /// The fields that are there and well-formed, by name.
  package var fields: [String: Field] = [:]
  /// The names of fields that are there but not well-formed; the finding about them is made.
  package var brokenFields: Set<String> = []
  /// The names of fields that must be there and are not; the finding about them is made.
  package var missingFields: Set<String> = []

  package init(_ spec: ComponentSpec, position: SourcePosition) {
    self.spec = spec
    self.position = position
  }

  /// Whether the field is in the file, well-formed or not.
  package func has(_ name: String) -> Bool { fields[name] != nil || brokenFields.contains(name) }

  /// Whether the file sets an option of all fields in the field's own way: a value, or how it is handled.
  package func hasCase(_ name: String) -> Bool {
    for base in ["absent", "null", "empty"] where name == base || name == base + "_value" {
      return has(base) || has(base + "_value")
    }
    return false
  }

  /// Where the fields stand, for the definition that they become part of.
  package var places: OptionPlaces {
    var places = OptionPlaces()
    for (name, field) in fields { places[name] = .init(key: field.keyPosition, value: field.position) }
    places.broken = brokenFields.union(missingFields)
    return places
  }

  /// The place of the field's key, or of the mapping.
  package func keyPosition(_ name: String) -> SourcePosition { fields[name]?.keyPosition ?? position }

  package func text(_ name: String) -> Located<String>? {
    guard let field = fields[name], case .text(let text) = field.value else { return nil }
    return Located(value: text, position: field.position)
  }

  package func flag(_ name: String) -> Bool? { if case .flag(let flag)? = fields[name]?.value { flag } else { nil } }

  /// A number, a size in bytes, or the seconds that a zone is east of UTC.
  package func count(_ name: String) -> Int? { if case .count(let count)? = fields[name]?.value { count } else { nil } }

  /// A share, or the seconds of a time.
  package func share(_ name: String) -> Double? {
    if case .share(let share)? = fields[name]?.value { share } else { nil }
  }

  package func texts(_ name: String) -> [Located<String>]? {
    if case .texts(let texts)? = fields[name]?.value { texts } else { nil }
  }

  package func expression(_ name: String) -> SourceText? {
    if case .expression(let text)? = fields[name]?.value { text } else { nil }
  }

  package func steps(_ name: String) -> [StepValue] {
    if case .steps(let steps)? = fields[name]?.value { steps } else { [] }
  }

  package func pairs(_ name: String) -> [(name: Located<String>, value: Located<String>)]? {
    if case .pairs(let pairs)? = fields[name]?.value { pairs } else { nil }
  }

  package func component(_ name: String) -> ComponentValue? {
    if case .component(let component)? = fields[name]?.value { component } else { nil }
  }

  package func components(_ name: String) -> [ComponentValue] {
    if case .components(let components)? = fields[name]?.value { components } else { [] }
  }

  package func named(_ name: String) -> [NamedValue] {
    if case .named(let values)? = fields[name]?.value { values } else { [] }
  }

  package func tree(_ name: String) -> YAMLNode? {
    if case .tree(let node)? = fields[name]?.value { node } else { nil }
  }

  /// The case of a string enumeration that a choice field names.
  package func choice<Choice: RawRepresentable>(_ name: String, as: Choice.Type) -> Choice?
  where Choice.RawValue == String {
    text(name).flatMap { Choice(rawValue: $0.value) }
  }
}
