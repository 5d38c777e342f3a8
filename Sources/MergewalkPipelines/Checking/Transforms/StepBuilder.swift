import MergewalkImporting

/// Turns `step` components into ``TransformStep`` values, as the specs of the steps say.
struct StepBuilder {
  let findings: Findings

  /// The steps that could be read; what is wrong with the others is in the findings.
  func steps(_ values: [StepValue]) -> [TransformStep] {
    let reader = StepReader(
      report: { [findings] in findings.add($0, at: $1, $2, hint: $3) }, resolve: { [findings] in findings.resolve($0) })
    return values.compactMap { value in
      StepSpec.named(value.name.value)?.action(value, reader).map { TransformStep($0, position: value.name.position) }
    }
  }
}
