package import MergewalkDiagnostics

/// Where the options of a part of a definition stand in the file that it was read from, under the names that pipeline files
/// have for them; empty for what Swift code makes.
///
/// Places decide where findings stand, and what counts as said: an option that a person wrote where it means nothing is
/// an error, and the same value set by code, which may treat all fields alike, is a warning.
package struct OptionPlaces: Sendable, Hashable {
  package struct Place: Sendable, Hashable {
    /// Where its name stands.
    package var key: SourcePosition
    package var value: SourcePosition

    package init(key: SourcePosition, value: SourcePosition) {
      self.key = key
      self.value = value
    }
  }

  private var places: [String: Place] = [:]
  /// The options that are there and could not be read, and those that must be there and are not: they have findings of
  /// their own, and others that would only follow from them are not made.
  package var broken: Set<String> = []

  package init() {}

  /// The place of an option; `nil` when the file does not say it.
  package subscript(_ option: String) -> Place? {
    get { places[option] }
    set { places[option] = newValue }
  }

  /// The place of an element of an option that is a list.
  package subscript(_ option: String, _ element: String) -> Place? {
    get { places["\(option) \(element)"] }
    set { places["\(option) \(element)"] = newValue }
  }

  /// Whether the file says the option, well or badly.
  package func says(_ option: String) -> Bool { places[option] != nil || broken.contains(option) }
}
