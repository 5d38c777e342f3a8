import ArgumentParser
import MergewalkImporting

enum OptionPaths {
  /// Refuses paths that were given and are empty, as those of an unset variable of the shell are.
  static func check(_ paths: (name: String, path: String?)...) throws {
    for (name, path) in paths where path?.isEmpty == true { throw ValidationError("\(name) takes a path") }
  }

  /// The same for a file that is written; also refuses the name of a compressed file.
  static func check(output name: String, _ path: String?) throws {
    try check((name, path))
    guard let path, let refusal = OutputCheck.refusal(ofName: path) else { return }
    throw ValidationError("\(name) \(path) \(refusal.message); \(refusal.hint)")
  }
}
