import ArgumentParser
import MergewalkImporting

/// The options about earlier runs and about others that have the store open.
struct RunControlOptions: ParsableArguments {
  @Flag(exclusivity: .exclusive)
  var unfinished: UnfinishedChoice?

  @Option(help: "Decide about a run whose inputs are those of the last one; overrides the pipeline.")
  var again: AgainChoice?

  @Flag(help: "Allow inputs that have grown at their end since the run began.")
  var append = false

  @Option(
    help: ArgumentHelp(
      "How long to wait while another program has the store open: 500ms, 30s, 5m.", valueName: "duration"),
    transform: DurationArgument.init)
  var lockWait: DurationArgument?

  @Option(help: "Whether the rows of a new store are written past SQLite, in place of what the pipeline says.")
  var direct: DirectChoice?

  func apply(to definition: inout ImportDefinition) {
    if let unfinished { definition.policy.unfinished = unfinished.policy }
    if let again { definition.policy.again = again.policy }
    if append { definition.policy.append = true }
    if let lockWait { definition.policy.lockWait = lockWait.seconds }
    if let direct { definition.policy.direct = direct.policy }
  }
}

/// `--restart` and `--resume-or-fail`.
enum UnfinishedChoice: String, EnumerableFlag {
  case restart, resumeOrFail

  static func help(for value: UnfinishedChoice) -> ArgumentHelp? {
    switch value {
    case .restart: "Roll an unfinished run back and start over."
    case .resumeOrFail: "Resume an unfinished run; do nothing and fail when there is none."
    }
  }

  var policy: RunPolicy.Unfinished { self == .restart ? .restart : .resumeOrFail }
}

/// The values of `--again`.
enum AgainChoice: String, ExpressibleByArgument, CaseIterable {
  case run, skip, fail

  var policy: RunPolicy.Again {
    switch self {
    case .run: .run
    case .skip: .skip
    case .fail: .fail
    }
  }
}

/// The values of `--direct`.
enum DirectChoice: String, ExpressibleByArgument, CaseIterable {
  case auto, never, always

  var policy: RunPolicy.Direct {
    switch self {
    case .auto: .auto
    case .never: .never
    case .always: .always
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
