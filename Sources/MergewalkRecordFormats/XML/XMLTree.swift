import MergewalkBytes
import MergewalkSystem

/// Where the texts of an ``XMLTree`` are.
struct XMLTexts {
  var copies: [UInt8]
  /// The document's text, whose first byte has the offset `start`.
  var base: UnsafePointer<UInt8>?
  var start: Int

  func with(_ range: XMLTextRange, _ body: (UnsafeRawBufferPointer) -> Void) {
    if range.isCopy {
      copies.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[range.start..<range.start + range.count])) }
    } else {
      body(UnsafeRawBufferPointer(start: base.map { $0 + (range.start - start) }, count: range.count))
    }
  }
}

/// The elements inside columns that become JSON text.
///
/// An element is a string when it has neither attributes nor elements, else an object: `@name` for attributes, names of
/// elements, `#text` for text. What stands several times is an array. `xsi:nil` is null.
struct XMLTree {
  enum Kind: UInt8 { case element, attribute }

  private struct Node {
    var kind: Kind
    var isNil = false
    var local: UnsafePointer<UInt8>?
    var prefix: UnsafePointer<UInt8>?
    var text = XMLTextRange()
    var first: Int32 = -1
    var last: Int32 = -1
    var next: Int32 = -1
    /// The next sibling of the same name, and whether this is not the first one of its name.
    var same: Int32 = -1
    var isRepeat = false
  }

  private var nodes: [Node] = []

  mutating func removeAll() { nodes.removeAll(keepingCapacity: true) }

  /// Whether the tree takes more memory than a record of this length may.
  func isLarge(_ maxRecordBytes: Int) -> Bool { nodes.count * MemoryLayout<Node>.stride > 16 * maxRecordBytes }

  /// Appends a node to a parent, or a root for the parent -1.
  mutating func add(
    _ kind: Kind, _ local: UnsafePointer<UInt8>?, _ prefix: UnsafePointer<UInt8>?, _ parent: Int32
  ) -> Int32 {
    let index = Int32(truncatingIfNeeded: nodes.count)
    nodes.append(Node(kind: kind, local: local, prefix: prefix))
    if parent >= 0 {
      let last = nodes[Int(parent)].last
      if last >= 0 { nodes[Int(last)].next = index } else { nodes[Int(parent)].first = index }
      nodes[Int(parent)].last = index
    }
    return index
  }

  mutating func setText(_ node: Int32, _ text: XMLTextRange) { nodes[Int(node)].text = text }
  mutating func setNil(_ node: Int32) { nodes[Int(node)].isNil = true }

  /// Appends the JSON text of an element.
  ///
  /// - Complexity: O(nodes below it and their text), expected.
  mutating func write(_ index: Int32, texts: XMLTexts, to output: inout [UInt8]) {
    let node = nodes[Int(index)]
    guard node.first >= 0 else {
      if node.isNil, node.text.count == 0 {
        output.append(contentsOf: "null".utf8)
      } else {
        append(node.text, texts, &output)
      }
      return
    }
    groupChildren(of: index)
    output.append(UInt8(ascii: "{"))
    var isFirst = true
    var child = node.first
    while child >= 0 {
      let entry = nodes[Int(child)]
      if !entry.isRepeat {
        if !isFirst { output.append(UInt8(ascii: ",")) }
        isFirst = false
        appendName(entry, &output)
        writeValues(from: child, texts, &output)
      }
      child = entry.next
    }
    if node.text.count > 0 || node.isNil {
      output.append(contentsOf: (isFirst ? "\"#text\":" : ",\"#text\":").utf8)
      if node.text.count > 0 { append(node.text, texts, &output) } else { output.append(contentsOf: "null".utf8) }
    }
    output.append(UInt8(ascii: "}"))
  }

  private mutating func writeValues(from first: Int32, _ texts: XMLTexts, _ output: inout [UInt8]) {
    let isArray = nodes[Int(first)].same >= 0
    if isArray { output.append(UInt8(ascii: "[")) }
    var current = first
    while current >= 0 {
      if current != first { output.append(UInt8(ascii: ",")) }
      let node = nodes[Int(current)]
      if node.kind == .attribute {
        append(node.text, texts, &output)
      } else {
        write(current, texts: texts, to: &output)
      }
      current = node.same
    }
    if isArray { output.append(UInt8(ascii: "]")) }
  }

  private struct Name: Hashable {
    var local: UnsafePointer<UInt8>?
    var prefix: UnsafePointer<UInt8>?
  }

  /// Links elements of the same name.
  private mutating func groupChildren(of index: Int32) {
    var lasts: [Name: Int32] = [:]
    var child = nodes[Int(index)].first
    while child >= 0 {
      let node = nodes[Int(child)]
      if node.kind == .element {
        let name = Name(local: node.local, prefix: node.prefix)
        nodes[Int(child)].same = -1
        nodes[Int(child)].isRepeat = false
        if let last = lasts.updateValue(child, forKey: name) {
          nodes[Int(last)].same = child
          nodes[Int(child)].isRepeat = true
        }
      }
      child = node.next
    }
  }

  private func append(_ text: XMLTextRange, _ texts: XMLTexts, _ output: inout [UInt8]) {
    texts.with(text) { output.append(json: $0, .least) }
  }

  private func appendName(_ node: Node, _ output: inout [UInt8]) {
    output.append(UInt8(ascii: "\""))
    if node.kind == .attribute { output.append(UInt8(ascii: "@")) }
    // Names of XML have nothing that JSON would escape.
    if let prefix = node.prefix {
      output.append(contentsOf: UnsafeBufferPointer(start: prefix, count: strlen(UnsafeRawPointer(prefix))))
      output.append(UInt8(ascii: ":"))
    }
    if let local = node.local {
      output.append(contentsOf: UnsafeBufferPointer(start: local, count: strlen(UnsafeRawPointer(local))))
    }
    output.append(contentsOf: "\":".utf8)
  }
}
