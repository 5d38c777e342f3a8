/// An element on the way to requested columns, or a requested one; names are pointers of libxml2's dictionary, in which
/// equal names are one.
struct XMLElementNode {
  var local: UnsafePointer<UInt8>?
  /// The prefix or the URI; nil for none.
  var space: UnsafePointer<UInt8>?
  /// Where the name as columns have it stands in ``XMLColumns/names``.
  var name = 0..<0
  /// The column of the element, or -1.
  var slot: Int32 = -1
  /// The column of the element's own text, or -1.
  var textSlot: Int32 = -1
  /// The column of the element with its attributes and all that is inside, as JSON, or -1.
  var wholeSlot: Int32 = -1
  /// Whether one of these columns needs its text.
  var takesText = false
  var firstElement: Int32 = 0
  var elementCount: Int32 = 0
  var firstAttribute: Int32 = 0
  var attributeCount: Int32 = 0
  /// Where the element that was found last stands among the elements: the next one usually follows.
  var hint: Int32 = 0
  /// Whether some of its elements may be written as `<value name="…">`, because their names are none of XML.
  var hasNamedValues = false
  var isNamedValue = false
}

/// A requested attribute.
struct XMLAttributeNode {
  var local: UnsafePointer<UInt8>?
  var space: UnsafePointer<UInt8>?
  var slot: Int32
}

/// The requested columns, compiled for one parser.
final class XMLColumns {
  /// The columns' number.
  let count: Int
  /// Breadth first; element 0 is the record itself.
  let elements: UnsafeMutableBufferPointer<XMLElementNode>
  let attributes: UnsafeMutableBufferPointer<XMLAttributeNode>
  let names: [UInt8]
  /// Columns that repeat another one.
  let repeats: [(copy: Int, original: Int)]
  /// The element of which each becomes a record, or -1.
  let each: Int32
  /// Of elements with many children, these by name.
  private let large: [Int32: [Name: Int32]]

  /// A name by its interned parts.
  private struct Name: Hashable {
    var local: UnsafePointer<UInt8>?
    var space: UnsafePointer<UInt8>?
  }

  /// So many children are found faster by looking at each.
  static var fewElements: Int32 { 64 }

  /// Compiles paths; path i is column i.
  ///
  /// - Returns: nil with the number of a path that is none.
  init(
    _ paths: [[[UInt8]]], each: [[UInt8]], namespaces: XMLNamespaces,
    intern: ([UInt8]) -> UnsafePointer<UInt8>?
  ) throws(BadPath) {
    count = paths.count
    for (i, path) in paths.enumerated() {
      for (k, name) in path.enumerated()
      where !Self.isGood(name, isFirst: k == 0, isLast: k == path.count - 1, namespaces) {
        throw BadPath(path: i)
      }
    }
    for (k, name) in each.enumerated() where !Self.isGood(name, isFirst: k == 0, isLast: false, namespaces) {
      throw BadPath(path: nil)
    }
    let tree = JSONPaths(each.isEmpty ? paths : paths + [each])
    names = tree.names
    repeats = tree.repeats.filter { $0.copy < paths.count }

    var elements: [XMLElementNode] = [XMLElementNode()]
    var attributes: [XMLAttributeNode] = []
    /// The node of the tree that each element is.
    var origins = [0]
    var current = 0
    while current < elements.count {
      elements[current].firstElement = Int32(elements.count)
      elements[current].firstAttribute = Int32(attributes.count)
      // What begins with @ is an attribute, or the name of a value as ``RowWriter`` writes it.
      var values: [(XMLElementNode, Int)] = []
      for child in tree.nodes[origins[current]].children {
        let node = tree.nodes[child]
        let slot = Int32(node.slot < paths.count ? node.slot : -1)
        let text = tree.names[node.name]
        if text.elementsEqual("#text".utf8) {
          elements[current].textSlot = slot
        } else if text.elementsEqual("#element".utf8) {
          elements[current].wholeSlot = slot
        } else if text.first == UInt8(ascii: "@") {
          if let name = namespaces.name(Array(text.dropFirst()), isAttribute: true) {
            attributes.append(
              XMLAttributeNode(
                local: intern(name.local), space: name.space.flatMap { intern($0) }, slot: slot))
            elements[current].attributeCount += 1
          }
          var value = XMLElementNode()
          value.name = node.name
          value.slot = slot
          values.append((value, child))
        } else {
          let name = namespaces.name(Array(text), isAttribute: false)
          var element = XMLElementNode(local: name.flatMap { intern($0.local) })
          element.space = name?.space.flatMap { intern($0) }
          element.name = node.name
          element.slot = slot
          if !OutputBytes.isXMLName(String(decoding: text, as: UTF8.self)) {
            element.isNamedValue = true
            elements[current].hasNamedValues = true
          }
          elements.append(element)
          origins.append(child)
          elements[current].elementCount += 1
        }
      }
      for (value, child) in values {
        elements.append(value)
        elements[elements.count - 1].isNamedValue = true
        origins.append(child)
        elements[current].elementCount += 1
        elements[current].hasNamedValues = true
      }
      let own = elements[current]
      elements[current].takesText = own.slot >= 0 || own.textSlot >= 0 || own.wholeSlot >= 0
      current += 1
    }
    var large: [Int32: [Name: Int32]] = [:]
    for (index, element) in elements.enumerated() where element.elementCount > Self.fewElements {
      let children = element.firstElement..<element.firstElement + element.elementCount
      large[Int32(index)] = Dictionary(
        children.map { (Name(local: elements[Int($0)].local, space: elements[Int($0)].space), $0) }
      ) { first, _ in first }
    }
    self.large = large
    self.each = each.isEmpty ? -1 : Self.find(each, elements, tree.names)
    self.elements = .allocate(capacity: elements.count)
    _ = self.elements.initialize(from: elements)
    self.attributes = .allocate(capacity: max(1, attributes.count))
    _ = self.attributes.initialize(from: attributes)
  }

  deinit {
    elements.deallocate()
    attributes.deallocate()
  }

  /// The child of an element with many of them; -1 when it has none of this name.
  func child(
    of parent: Int32, _ local: UnsafePointer<UInt8>?, _ space: UnsafePointer<UInt8>?
  ) -> Int32 {
    large[parent]?[Name(local: local, space: space)] ?? -1
  }

  /// A path that is none; nil for that of the child records.
  struct BadPath: Error { var path: Int? }

  static func isGood(_ name: [UInt8], isFirst: Bool, isLast: Bool, _ namespaces: XMLNamespaces) -> Bool {
    if name.elementsEqual("#text".utf8) || name.elementsEqual("#element".utf8) { return isLast }
    // Elements have no numbers, in the order of the document or otherwise.
    if !isFirst, JSONPaths.isIndex(name) { return false }
    if name.first == UInt8(ascii: "@") {
      return isLast && namespaces.name(Array(name.dropFirst()), isAttribute: true) != nil
    }
    // What is no name of XML may still be that of a value.
    return namespaces.name(name, isAttribute: false) != nil
      || !namespaces.comparesURIs
  }

  private static func find(_ path: [[UInt8]], _ elements: [XMLElementNode], _ names: [UInt8]) -> Int32 {
    var node: Int32 = 0
    for name in path {
      let first = elements[Int(node)].firstElement
      let end = first + elements[Int(node)].elementCount
      guard let next = (first..<end).first(where: { names[elements[Int($0)].name].elementsEqual(name) }) else {
        return -1
      }
      node = next
    }
    return node
  }
}
