package import MergewalkDiagnostics

/// One kind of step: all that reading, lint, the schema and both references need to know about it.
///
/// A step is one file: its spec, what it is told, how it is compiled and what it does. ``all`` lists the specs.
package struct StepSpec: Sendable {
  /// The step as a field of `step`.
  package let field: FieldSpec
  /// The mapping that it is told with; nil for a word or a single value.
  package let component: ComponentSpec?
  /// The types of values that it takes and gives, for the page on transforms.
  package let types: String
  /// Other remarks about it, on the same page.
  package let remark: String
  private let read: @Sendable (ComponentValue, StepReader) -> (any StepAction)?

  /// A step that is told one thing, in the field of its name, or a list of mappings.
  init(
    _ field: FieldSpec, _ component: ComponentSpec? = nil, types: String, remark: String = "",
    _ read: @escaping @Sendable (ComponentValue, StepReader) -> (any StepAction)?
  ) {
    self.field = field
    self.component = component
    self.types = types
    self.remark = remark
    self.read = read
  }

  /// A step that needs to be told nothing.
  init(word name: String, _ summary: String, types: String, remark: String = "", _ action: any StepAction) {
    self.init(FieldSpec(name, .flag, summary, example: "true"), types: types, remark: remark) { _, _ in action }
  }

  /// A step that is told several things, in a mapping.
  init(
    _ name: String, _ summary: String, example: String, types: String, remark: String = "", shorthand: String? = nil,
    fields: [FieldSpec], _ read: @escaping @Sendable (ComponentValue, StepReader) -> (any StepAction)?
  ) {
    self.init(
      FieldSpec(name, .component(name), summary, example: example),
      ComponentSpec(name, summary, shorthand: shorthand, fields: fields), types: types, remark: remark, read)
  }

  /// The step's name in a pipeline.
  package var name: String { field.name }

  /// The step that a pipeline file describes; nil with a finding when there is none.
  package func action(_ step: StepValue, _ reader: StepReader) -> TransformStep.Action? {
    // `trim: false` is a step that does nothing, surely not meant.
    guard step.value.flag(name) != false else {
      return reader.refuse(
        .invalidOption, at: step.value.fields[name]?.position ?? step.name.position,
        "the step “\(name)” cannot be false", hint: "leave it out")
    }
    let isMapping = if case .component = field.kind { true } else { false }
    guard let value = isMapping ? step.value.component(name) : step.value else { return nil }
    return read(value, reader).map { TransformStep.Action(name, $0) }
  }

  package static func named(_ name: String) -> StepSpec? { all.first { $0.name == name } }

  /// The steps, in the order of the reference.
  package static let all: [StepSpec] =
    [
      TrimStep.spec, StripStep.spec, CollapseStep.spec, CaseStep.upper, CaseStep.lower, CapitaliseStep.spec,
      FoldStep.spec, ReplaceStep.spec, ExtractStep.spec, SplitStep.spec, SubstringStep.spec, PadStep.spec,
      AffixStep.prepend, AffixStep.append, ConcatStep.spec, LengthStep.spec, MapStep.spec, LookupStep.spec,
    ] + ArithmeticStep.specs + [
      SignStep.negate, SignStep.absolute, RoundStep.spec, AddToDateStep.spec, DatePartStep.spec, StartOfStep.spec,
      FormatDateStep.spec, ConvertStep.spec, HashStep.spec, CoalesceStep.spec, DefaultStep.spec, NullIfStep.spec,
      WhenStep.spec,
    ]
}

/// Reads steps: takes findings, and resolves paths.
package struct StepReader {
  private let report: (FindingCode, SourcePosition, String, String?) -> Void
  let resolve: (Located<String>) -> String

  package init(
    report: @escaping (FindingCode, SourcePosition, String, String?) -> Void,
    resolve: @escaping (Located<String>) -> String
  ) {
    self.report = report
    self.resolve = resolve
  }

  /// Reports why there is no step; returns nil.
  func refuse<Nothing>(
    _ code: FindingCode, at position: SourcePosition, _ message: String, hint: String? = nil
  ) -> Nothing? {
    report(code, position, message, hint)
    return nil
  }

  /// Reports that fields of a step do not go together; not when one has a finding already, which may be what is missed.
  func refuse<Nothing>(_ value: ComponentValue, needs message: String) -> Nothing? {
    value.brokenFields.isEmpty ? refuse(.missingField, at: value.position, message) : nil
  }
}
