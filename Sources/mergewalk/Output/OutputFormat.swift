import ArgumentParser

/// The formats in which a command writes a file: an option sets one, or the extension of the file's name tells it.
protocol OutputFormat: RawRepresentable, Equatable where RawValue == String {
  /// The extensions of files, in lower case, each with the formats that it may stand for, the usual one first.
  static var extensions: KeyValuePairs<String, [Self]> { get }
}

extension OutputFormat {
  /// The format that a file's name tells; `nil` if it has no extension, or an unknown one.
  init?(path: String) {
    guard let format = Self.formats(of: path)?.first else { return nil }
    self = format
  }

  /// Refuses the name of an output that tells another format than the option, has an unknown extension without it, or is
  /// that of a compressed file.
  ///
  /// - Parameters:
  ///   - path: the value of `--output`.
  ///   - format: the value of the option.
  ///   - option: its name, such as `--format`.
  /// - Throws: `ValidationError`.
  static func check(output path: String?, _ format: Self?, by option: String) throws {
    try OptionPaths.check(output: "--output", path, cure: OptionPaths.standardOutput)
    guard let path, let told = formats(of: path) else { return }
    if let format {
      guard let usual = told.first, !told.contains(format) else { return }
      let own = list { $0.first == format }
      throw ValidationError(
        "--output \(path) is the name of a \(usual.rawValue) file, and \(option) is \(format.rawValue);"
          + " name a \(own) file, or leave out \(option)")
    }
    if told.isEmpty {
      let all = list { _ in true }
      throw ValidationError("--output \(path): such files are not written; name a \(all) file, or use \(option)")
    }
  }

  /// The formats that a file's extension may stand for, none for an unknown one; `nil` without an extension.
  private static func formats(of path: String) -> [Self]? {
    let parts = path.split(separator: "/").last?.split(separator: ".", omittingEmptySubsequences: false).dropFirst()
    guard let ending = parts?.last?.lowercased(), !ending.isEmpty else { return nil }
    return extensions.first { $0.key == ending }?.value ?? []
  }

  /// Extensions as a sentence lists them.
  private static func list(_ isMeant: ([Self]) -> Bool) -> String {
    let names = extensions.filter { isMeant($0.value) }.map { ".\($0.key)" }
    return (names.count > 1 ? names.dropLast().joined(separator: ", ") + " or " : "") + (names.last ?? "")
  }
}
