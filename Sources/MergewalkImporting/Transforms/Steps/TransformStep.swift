public import MergewalkDiagnostics

/// One step of a transform: converts a column of values to another.
///
/// Absent and null values stay so, except in `coalesce`, `default` and `when`. A value that a step cannot process
/// rejects the record, but only if the step's result is used.
public struct TransformStep: Sendable, Hashable {
  /// The action of the step.
  public var action: Action
  /// The position of the step.
  public var position: SourcePosition

  /// Creates a step.
  public init(_ action: Action, position: SourcePosition = .file) {
    self.action = action
    self.position = position
  }

  /// The action of a step, created by the functions of this type; `docs/transforms.md` describes each.
  public struct Action: Sendable, Hashable {
    /// The step's name in a pipeline.
    public let name: String
    let step: any StepAction

    init(_ name: String, _ step: any StepAction) {
      self.name = name
      self.step = step
    }

    /// Steps are equal if they do the same.
    public static func == (left: Action, right: Action) -> Bool {
      left.name == right.name && left.step.isEqual(to: right.step)
    }

    /// Feeds the step.
    public func hash(into hasher: inout Hasher) {
      hasher.combine(name)
      step.hash(into: &hasher)
    }
  }
}

/// The action of a step that was read: it is checked and compiled, and does its work as a ``ColumnOperation``.
protocol StepAction: Sendable, Hashable {
  typealias Value = TransformCompiler.Value

  /// Compiles the step; nil with findings when it cannot be used.
  func compile(_ input: Value, _ compiler: inout TransformCompiler) -> Value?
}

extension StepAction {
  fileprivate func isEqual(to other: any StepAction) -> Bool { other as? Self == self }
}

/// Where a step stands.
struct StepPlace {
  var name = ""
  var position = SourcePosition.file
  /// The derived column whose step it is: its name stands for the source's own column there.
  var owner: String?
}

extension TransformCompiler {
  /// Applies steps one after the other; nil when one of them cannot be, which is reported.
  mutating func apply(_ steps: [TransformStep], to value: Value, owner: String?) -> Value? {
    let outer = place
    defer { place = outer }
    var value = value
    for step in steps {
      place = StepPlace(name: step.action.name, position: step.position, owner: owner)
      guard let next = step.action.step.compile(value, &self) else { return nil }
      value = next
    }
    return value
  }

  /// Reports that the step cannot be as it is; returns nil.
  mutating func refuse(_ message: String) -> Value? { fail("transformOption", "“\(place.name)”: \(message)") }

  /// Whether a decimal has so many places; more are a finding.
  mutating func takesPlaces(_ places: Int) -> Bool {
    guard places.magnitude > 38 else { return true }
    _ = refuse("there are at most 38 decimal places")
    return false
  }

  /// Reports what is wrong with the step; returns nil.
  mutating func fail(_ code: String, _ message: String, hint: String? = nil) -> Value? {
    report(code, place.position, message, hint: hint)
    return nil
  }

  mutating func emit(
    _ operation: any ColumnOperation, _ kind: ValueKind, of value: Value,
    reading: ConversionOptions = ConversionOptions()
  ) -> Value {
    emit(operation, kind, place.name, origin: value.origin, reading: reading)
  }

  /// The value as a text; nil with a finding when it is none.
  mutating func text(_ value: Value) -> Value? {
    value.kind == .text ? value : misfit(value, "text", hint: "put “to: text” before it")
  }

  /// The value as a date; nil with a finding when it is neither date nor text.
  mutating func date(_ value: Value) -> Value? {
    value.kind == .date || value.kind == .text ? convert(value, to: .date) : misfit(value, "date")
  }

  private mutating func misfit(_ value: Value, _ wanted: String, hint: String? = nil) -> Value? {
    fail(
      "transformType", "“\(place.name)” takes a \(wanted), but the value before it is \(value.kind.described)",
      hint: hint)
  }

  mutating func number(_ value: Value) -> Value? { number(value, step: place.name, at: place.position) }

  /// The value as one of another type.
  mutating func convert(_ value: Value, to kind: ValueKind) -> Value? {
    convert(value, to: kind, step: place.name, at: place.position)
  }

  /// Another column whose name the step has.
  mutating func column(_ name: String) -> Value? { column(name, from: place.owner, at: place.position) }

  /// Values of one type: their own, or text.
  mutating func unified(_ values: [Value]) -> [Value]? {
    var kind = values[0].kind
    for value in values.dropFirst() { kind = ValueKind.common(kind, value.kind) ?? .text }
    var same: [Value] = []
    for value in values {
      guard let made = convert(value, to: kind) else { return nil }
      same.append(made)
    }
    return same
  }
}
