public import MergewalkDiagnostics

/// An element of a small document: its attributes and child elements in order, and where it starts.
public struct XMLElement {
  /// The name as it is written.
  public var name: String
  /// The attributes' names and values.
  public var attributes: [(name: String, value: String)]
  /// The elements directly inside.
  public var children: [XMLElement] = []
  /// The character data directly inside, joined.
  public var text = ""
  /// Where the tag's `<` stands.
  public var position: SourcePosition

  /// The value of an attribute, or `nil`.
  public subscript(name: String) -> String? { attributes.first { $0.name == name }?.value }
}
