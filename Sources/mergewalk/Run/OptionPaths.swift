import ArgumentParser
import MergewalkDiagnostics
import MergewalkImporting

enum OptionPaths {
  /// Refuses paths that were given and are empty, as those of an unset variable of the shell are.
  static func check(_ paths: (name: String, path: String?)...) throws {
    for (name, path) in paths where path?.isEmpty == true {
      throw ValidationError("\(name) takes a path; \(NearestFile.emptyPath)")
    }
  }

  /// The same for files and folders that are written; also refuses `-`, which would become the name of one.
  ///
  /// - Parameter cure: what to do in place of it.
  static func check(written paths: (name: String, path: String?)..., cure: String = "name a file") throws {
    for (name, path) in paths {
      try check((name, path))
      if path == "-" { throw ValidationError("\(name) takes a path, not “-”; \(cure)") }
    }
  }

  /// What to do in place of `-` where standard output is the default.
  static let standardOutput = "leave it out for standard output"

  /// The same for a file; also refuses the name of a compressed one.
  static func check(output name: String, _ path: String?, cure: String = "name a file") throws {
    try check(written: (name, path), cure: cure)
    guard let path, let refusal = OutputCheck.refusal(ofName: path) else { return }
    throw ValidationError("\(name) \(path) \(refusal.message); \(refusal.hint)")
  }
}
