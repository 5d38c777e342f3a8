/// The limits of a document, and the message for a breach.
///
/// Whatever the policy: no file, no network, no external entity and no external document type is ever touched; names
/// are bounded in number and length, and so are declarations, the expansion of entities, and a tag's attributes.
package struct XMLPolicy: Sendable {
  /// Whether the document may declare entities and attributes of its own, which are replaced within a budget.
  package var mayDeclare: Bool
  /// Whether a value of an attribute, a comment or a processing instruction may be longer than 10 MB.
  package var allowsLongTokens: Bool
  /// Whether events say where the document has a text as it is; else they have copies of all text.
  package var hasPlaces: Bool
  /// The deepest nesting of elements.
  package var deepest: Int

  /// Documents of other origin, whose text the caller keeps: records.
  package static let records = XMLPolicy(
    mayDeclare: true, allowsLongTokens: false, hasPlaces: true, deepest: 100_000)

  /// Files whose elements are known in advance and that need no declarations.
  package static func plain(deepest: Int) -> XMLPolicy {
    XMLPolicy(mayDeclare: false, allowsLongTokens: true, hasPlaces: false, deepest: deepest)
  }
}

/// Why a document cannot be read on.
package struct XMLFault: Error, Sendable, Hashable {
  package enum Code: Int, Sendable {
    /// It is no well-formed XML with namespaces, or does what it may not do.
    case invalidDocument
    /// It grows, or declares, without end.
    case expansionLimit
    /// Its elements nest too deep.
    case tooDeep
  }
  package var code: Code
  package var message: String
  /// Where the parser stood, in bytes from the document's first one.
  package var offset: Int
  /// The line, from 1; 0 when it is not known.
  package var line: Int
  /// Whether it is about the tag whose `<` is the nearest before ``offset``.
  package var isInTag: Bool
}
