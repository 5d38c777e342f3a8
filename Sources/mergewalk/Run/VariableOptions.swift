import ArgumentParser
import Pipelines

/// The options that set variables of pipeline files.
struct VariableOptions: ParsableArguments {
  @Option(
    name: .customLong("set"), parsing: .singleValue,
    help: ArgumentHelp(
      "Set a variable that the pipeline uses as ${KEY}; it hides the environment's.", valueName: "key=value"))
  var assignments: [Assignment] = []

  /// The variables; of several assignments to one name the last counts.
  var variables: Variables {
    Variables(assignments: Dictionary(assignments.map { ($0.name, $0.value) }, uniquingKeysWith: { $1 }))
  }
}

/// `KEY=VALUE` on the command line.
struct Assignment: ExpressibleByArgument {
  let name: String
  let value: String

  init?(argument: String) {
    guard let sign = argument.utf8.firstIndex(of: UInt8(ascii: "=")), sign > argument.startIndex else { return nil }
    name = String(argument[..<sign])
    value = String(argument[argument.utf8.index(after: sign)...])
  }
}
