package import MergewalkDiagnostics

/// A node of a YAML document: a scalar, a sequence or a mapping, with its place in the file.
///
/// Aliases are resolved: an aliased node is a copy of the anchored one, with the anchored node's position.
package struct YAMLNode: Sendable {
  /// One key and its value in a mapping.
  package struct Entry: Sendable {
    /// The key; usually a scalar.
    package var key: YAMLNode
    package var value: YAMLNode

    package init(key: YAMLNode, value: YAMLNode) {
      self.key = key
      self.value = value
    }
  }

  package enum Kind: Sendable {
    /// Text; `isPlain` is false when it was quoted, a block scalar or tagged as a string, so that it is always text.
    case scalar(String, isPlain: Bool)
    /// A list.
    case sequence([YAMLNode])
    /// Keys and values in the order of the file; no two scalar keys have the same text.
    case mapping([Entry])
  }

  package var kind: Kind
  package var position: SourcePosition
  /// The explicit tag in full (`tag:yaml.org,2002:str`, `!mine`), or `nil`.
  package var tag: String?
  /// Whether a secret was put into the text of the scalar, so that no message may show it.
  package var isSecret = false

  package init(_ kind: Kind, position: SourcePosition = .file, tag: String? = nil) {
    self.kind = kind
    self.position = position
    self.tag = tag
  }

  /// The text of a scalar as written (escapes resolved); `nil` for sequences and mappings.
  package var text: String? {
    if case .scalar(let text, _) = kind { text } else { nil }
  }

  /// The items of a sequence, or `nil`.
  package var items: [YAMLNode]? {
    if case .sequence(let items) = kind { items } else { nil }
  }

  /// The entries of a mapping, or `nil`.
  package var entries: [Entry]? {
    if case .mapping(let entries) = kind { entries } else { nil }
  }

  /// The value of a mapping's scalar key, or `nil`.
  ///
  /// - Complexity: O(entries).
  package subscript(key: String) -> YAMLNode? {
    entries?.first { $0.key.text == key }?.value
  }

  /// The node in words, for messages: "a list", "a mapping", "the text “x”", "nothing" ...
  package var summary: String {
    switch kind {
    case .sequence(let items): return items.isEmpty ? "an empty list" : "a list"
    case .mapping(let entries): return entries.isEmpty ? "an empty mapping" : "a mapping"
    case .scalar where isSecret: return "a secret"
    case .scalar(let text, _):
      switch scalar {
      case .null: return "nothing"
      case .boolean, .integer, .double: return text
      case .string, nil: return "“" + (text.count > 40 ? text.prefix(40) + "…" : text) + "”"
      }
    }
  }
}
