/// Names of files that stay when others are removed.
///
/// A name that differs from one of them in case only may be the same file.
struct NamesInUse {
  private let names: Set<String>
  /// By the names in small letters.
  private let folded: [String: [String]]

  init(_ names: [String]) {
    self.names = Set(names)
    folded = Dictionary(grouping: names) { $0.lowercased() }
  }

  /// Whether a name is one of them, or its file is that of one of them.
  ///
  /// - Parameter file: The path of the file of a name.
  func contains(_ name: String, file: (String) -> String) -> Bool {
    names.contains(name)
      || folded[name.lowercased()]?.contains { FamilyFiles.areSame(file($0), file(name)) } ?? false
  }
}
