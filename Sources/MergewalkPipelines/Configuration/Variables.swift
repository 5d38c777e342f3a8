import MergewalkSystem

/// The values of `${NAME}` in pipeline files: those set for the run first, then the environment's.
public struct Variables: Sendable {
  /// Values set for this run, by name.
  public var assignments: [String: String]
  /// Whether names that are not set are looked up in the process's environment.
  public var usesEnvironment: Bool

  /// Creates variables.
  public init(assignments: [String: String] = [:], usesEnvironment: Bool = true) {
    self.assignments = assignments
    self.usesEnvironment = usesEnvironment
  }

  /// The variable's value, or `nil` when it is neither set nor in the environment.
  func value(of name: String) -> String? {
    if let value = assignments[name] { return value }
    guard usesEnvironment, let value = getenv(name) else { return nil }
    return String(cString: value)
  }
}
