import ArgumentParser
import MergewalkImporting

/// The options about earlier runs and about others that have the store open.
struct RunControlOptions: ParsableArguments {
  @Flag(exclusivity: .exclusive)
  var unfinished: UnfinishedChoice?

  @Option(help: "How to treat inputs that are the same as in the last run; overrides the pipeline.")
  var again: RunPolicy.SameInputs?

  @Flag(help: "Allow inputs that have grown at their end since the run began.")
  var append = false

  @Option(
    help: ArgumentHelp(
      "How long to wait for a program that is writing to the store: 500ms, 30s, 5m.", valueName: "duration"),
    transform: DurationArgument.init)
  var lockWait: DurationArgument?

  @Option(help: "Whether to write the rows of a new store directly, bypassing SQLite; overrides the pipeline.")
  var direct: RunPolicy.Direct?

  func apply(to definition: inout ImportDefinition) {
    unfinished?.apply(to: &definition)
    if let again { definition.policy.again = again }
    if append { definition.policy.append = true }
    if let lockWait { definition.policy.lockWait = lockWait.seconds }
    if let direct { definition.policy.direct = direct }
  }
}

/// `--restart` and `--resume-or-fail`.
enum UnfinishedChoice: String, EnumerableFlag {
  case restart, resumeOrFail

  func apply(to definition: inout ImportDefinition) {
    definition.policy.unfinished = self == .restart ? .restart : .resumeOrFail
  }

  static func help(for value: UnfinishedChoice) -> ArgumentHelp? {
    switch value {
    case .restart: "Roll an unfinished run back and start over."
    case .resumeOrFail: "Resume an unfinished run; fail without doing anything if there is none."
    }
  }
}

/// A time such as `10s`.
struct DurationArgument {
  let seconds: Double

  init(_ argument: String) throws {
    guard let seconds = Durations.seconds(argument) else {
      throw ValidationError("it takes a time up to a day such as 10s, 500ms or 2m")
    }
    self.seconds = seconds
  }
}
