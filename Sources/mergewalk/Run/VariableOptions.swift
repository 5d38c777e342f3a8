import ArgumentParser
import MergewalkBytes
import MergewalkPipelines

/// The options that set variables of pipeline files.
struct VariableOptions: ParsableArguments {
  @Option(
    name: .customLong("set"), parsing: .singleValue,
    help: ArgumentHelp(
      "Set a variable that the pipeline uses as ${KEY}; it overrides the environment.", valueName: "key=value"),
    transform: Assignment.init)
  var assignments: [Assignment] = []

  /// The variables; of several assignments to one name the last counts.
  var variables: Variables {
    Variables(assignments: Dictionary(assignments.map { ($0.name, $0.value) }, uniquingKeysWith: { $1 }))
  }
}

/// `KEY=VALUE` on the command line.
struct Assignment {
  let name: String
  let value: String

  init(_ argument: String) throws {
    try self.init(argument, option: "--set")
    guard name.utf8.allSatisfy({ $0.isLetter || $0.isDigit || $0 == UInt8(ascii: "_") }) else {
      throw ValidationError(
        "“\(name)” cannot be the name of a variable: --set sets what a pipeline uses as ${NAME}, not its fields")
    }
  }

  /// - Parameter option: the option whose value it is.
  init(_ argument: String, option: String) throws {
    guard let sign = argument.utf8.firstIndex(of: UInt8(ascii: "=")), sign > argument.startIndex else {
      let name = argument.split(separator: "=", omittingEmptySubsequences: false).first.flatMap {
        $0.isEmpty ? nil : $0
      }
      throw ValidationError("it takes a name and a value: \(option) \(name ?? "NAME")=VALUE")
    }
    name = String(argument[..<sign])
    value = String(argument[argument.utf8.index(after: sign)...])
  }
}
