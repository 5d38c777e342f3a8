package import MergewalkDiagnostics

/// An element of a small document: its attributes and child elements in order, and where it starts.
package struct XMLElement {
  package var name: String
  package var attributes: [(name: String, value: String)]
  /// The elements directly inside.
  package var children: [XMLElement] = []
  /// The character data directly inside, joined.
  package var text = ""
  /// Where the tag's `<` stands.
  package var position: SourcePosition

  /// The value of an attribute, or `nil`.
  package subscript(name: String) -> String? { attributes.first { $0.name == name }?.value }
}
