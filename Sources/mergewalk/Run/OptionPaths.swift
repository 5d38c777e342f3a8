import ArgumentParser

enum OptionPaths {
  /// Refuses paths that were given and are empty, as those of an unset variable of the shell are.
  static func check(_ paths: (name: String, path: String?)...) throws {
    for (name, path) in paths where path?.isEmpty == true { throw ValidationError("\(name) takes a path") }
  }
}
