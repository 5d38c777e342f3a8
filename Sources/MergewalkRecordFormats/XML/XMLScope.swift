/// The namespaces that are in force at a place, as a tag declares them: `xmlns="urn:shop" xmlns:o="urn:other"`.
struct XMLScope {
  struct Item: Equatable {
    /// The prefix; empty for the default namespace.
    var prefix: String
    /// The namespace in its quotes, as it is written.
    var value: String
  }

  /// Those of a tag, in its order.
  private(set) var items: [Item] = []

  /// Finds those in the text of a tag, or of its attributes alone; what is no attribute does no harm.
  ///
  /// - Complexity: O(bytes).
  init(_ tag: UnsafeBufferPointer<UInt8>) {
    var name = 0..<0
    var at = 0
    while at < tag.count {
      let byte = tag[at]
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "'"):
        var close = at + 1
        while close < tag.count, tag[close] != byte { close += 1 }
        if close < tag.count { add(tag[name], tag[at...close]) }
        name = 0..<0
        at = close
      case 0...32, UInt8(ascii: "="), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "/"): break
      default: name = name.upperBound == at && !name.isEmpty ? name.lowerBound..<at + 1 : at..<at + 1
      }
      at += 1
    }
  }

  init(_ text: String) {
    let bytes = Array(text.utf8)
    self = bytes.withUnsafeBufferPointer { XMLScope($0) }
  }

  private mutating func add(_ name: Slice<UnsafeBufferPointer<UInt8>>, _ value: Slice<UnsafeBufferPointer<UInt8>>) {
    let name = String(decoding: name, as: UTF8.self)
    let value = String(decoding: value, as: UTF8.self)
    guard name == "xmlns" || (name.hasPrefix("xmlns:") && name.utf8.count > 6) else { return }
    // An entity of the document is not known elsewhere.
    let rest = value.replacing("&amp;", with: "")
    guard !rest.contains("&"), !rest.contains("<") else { return }
    items.append(Item(prefix: String(name.dropFirst(6)), value: value))
  }

  static func text(_ items: [Item]) -> String {
    items.map { ($0.prefix.isEmpty ? "xmlns=" : "xmlns:\($0.prefix)=") + $0.value }.joined(separator: " ")
  }
}

extension XMLRecords {
  /// The largest size of the declarations around records in the lines of rejects; more are not kept.
  private static var longestScope: Int { 1 << 14 }

  /// Keeps the namespaces that an element around records declares, whose start tag has just ended.
  mutating func noteDeclarations() {
    guard !isInEntity, let textBase else { return }
    let start = last(UInt8(ascii: "<"), before: offset)
    guard start < offset, offset - start <= 1 << 16 else { return }
    let found = XMLScope(UnsafeBufferPointer(start: textBase + (start - textStart), count: offset - start))
    if found.items.isEmpty { return }
    for item in found.items { around.append((depth, item)) }
    updateScope()
  }

  /// Forgets the declarations of elements that have ended, where another one begins at their depth.
  mutating func leaveDeclarations() {
    let left = depth
    around.removeAll { $0.depth >= left }
    updateScope()
  }

  private mutating func updateScope() {
    var items: [XMLScope.Item] = []
    for entry in around {
      items.removeAll { $0.prefix == entry.item.prefix }
      items.append(entry.item)
    }
    let text = XMLScope.text(items)
    scope = text.utf8.count <= Self.longestScope ? text : ""
    isScopeNew = true
  }
}

/// The namespaces declared around records.
extension RecordBatch {
  /// The declarations in force at a record, as they would appear in its tag; nil if none are known.
  ///
  /// - Parameter index: the record's number in its file, from 0.
  public func namespaces(ofRecord index: Int) -> String? { scopes.last { $0.from <= index }?.namespaces }

  /// The declarations around all records of the batch: empty if they differ, nil if none are known.
  public var commonNamespaces: String? {
    guard let first = scopes.first else { return nil }
    return scopes.allSatisfy { $0.namespaces == first.namespaces } ? first.namespaces : ""
  }

  /// Says what is declared around the record with a number and those that follow.
  mutating func note(namespaces: String, from record: Int) {
    if namespaces != scopes.last?.namespaces ?? "" { scopes.append((record, namespaces)) }
  }
}
