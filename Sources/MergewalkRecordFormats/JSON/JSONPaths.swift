import MergewalkBytes

/// The requested members of an object, compiled to a tree.
///
/// A path is member names with dots between them; a backslash makes a dot, or a backslash, part of a name (`a\.b` is
/// the member called `a.b`), and `\e` is the empty name, which may also be an empty text. Names are compared as bytes
/// after unescaping. Where a value is an array, a name that is a whole number is that element, from 0 on, or from -1
/// back from the end.
struct JSONPaths {
  /// One member on the way to a requested one, or a requested one.
  struct Node {
    /// Where the name lies in `names`.
    var name: Range<Int>
    /// The column to store the member in, or -1.
    var slot: Int
    /// Its requested members.
    var children: Range<Int>
    /// The number of the last object that had this member.
    var seen = 0
    /// The number that the name is, for elements of arrays; nil for others.
    let index: Int?
    /// Whether some of its members are elements when it is an array.
    var hasIndexes = false
    /// The column of the value itself where it is not an object but its member `#text` is requested, or -1.
    var textSlot = -1
    /// How the name looks in a text that does not escape it.
    let spelling: JSONSpelling
    /// Of many siblings, the first whose name has the hash that is this one's place among them, and the next one of
    /// the same hash; -1 for none.
    var firstOfHash: Int32 = -1
    var nextOfHash: Int32 = -1

    init(_ name: [UInt8], at start: Int, slot: Int) {
      self.name = start..<start + name.count
      self.slot = slot
      children = 0..<0
      index = JSONPaths.index(name)
      spelling = JSONSpelling(name)
    }
  }

  /// Breadth first; node 0 is the record itself.
  private(set) var nodes: [Node] = []
  private(set) var names: [UInt8] = []
  /// Columns that repeat another one: (copy, original).
  private(set) var repeats: [(copy: Int, original: Int)] = []

  /// Splits a path into names, or returns nil if it is malformed.
  static func split(_ path: String) -> [[UInt8]]? {
    if path.isEmpty { return [[]] }
    var result: [[UInt8]] = [[]]
    var emptyNames: Set<Int> = []
    var bytes = path.utf8.makeIterator()
    while let byte = bytes.next() {
      if byte == UInt8(ascii: ".") {
        result.append([])
      } else if byte == UInt8(ascii: "\\") {
        guard let next = bytes.next() else { return nil }
        if next == UInt8(ascii: "e"), result[result.count - 1].isEmpty {
          // The whole of a name.
          emptyNames.insert(result.count - 1)
          continue
        }
        guard next == byte || next == UInt8(ascii: ".") else { return nil }
        result[result.count - 1].append(next)
      } else {
        result[result.count - 1].append(byte)
      }
    }
    if result.count > JSONScanner.deepest { return nil }
    return result.indices.allSatisfy { result[$0].isEmpty == emptyNames.contains($0) } ? result : nil
  }

  /// The number that a name is: digits without leading zeros, perhaps behind a minus; nil for any other name.
  static func index(_ name: [UInt8]) -> Int? {
    let digits = name.first == UInt8(ascii: "-") ? name.dropFirst() : name[...]
    guard let first = digits.first, digits.count < 10, digits.allSatisfy({ $0 &- 48 < 10 }) else { return nil }
    if first == UInt8(ascii: "0"), name.count > 1 { return nil }
    return Int(String(decoding: name, as: UTF8.self))
  }

  /// Whether a name is that of an element of an array, too.
  static func isIndex(_ name: [UInt8]) -> Bool { index(name) != nil }

  /// The path that names one top-level member.
  static func path(toMember name: String) -> String {
    if name.isEmpty { return "\\e" }
    var result = ""
    for scalar in name.unicodeScalars {
      if scalar == "." || scalar == "\\" { result.unicodeScalars.append("\\") }
      result.unicodeScalars.append(scalar)
    }
    return result
  }

  static func path(_ names: [[UInt8]]) -> String {
    names.map { path(toMember: String(decoding: $0, as: UTF8.self)) }.joined(separator: ".")
  }

  /// Compiles paths: path i is stored in column i, or in `columns[i]`; one without names is the value itself.
  ///
  /// - Parameter takesText: whether the member `#text` of what is no object is that itself, as JSON made of XML means it.
  init(_ paths: [[[UInt8]]], columns: [Int]? = nil, takesText: Bool = false) {
    func column(_ path: Int) -> Int { columns?[path] ?? path }
    let whole = paths.indices.filter { paths[$0].isEmpty }
    for copy in whole.dropFirst() { repeats.append((copy: column(copy), original: column(whole[0]))) }
    nodes = [Node([], at: 0, slot: whole.first.map(column) ?? -1)]
    // The paths that go through each node, and how far down the node is.
    var members: [[Int]] = [Array(paths.indices)]
    var depths = [0]
    var current = 0
    while current < nodes.count {
      let depth = depths[current]
      var order: [[UInt8]] = []
      var groups: [[UInt8]: [Int]] = [:]
      for path in members[current] where paths[path].count > depth {
        let name = paths[path][depth]
        if groups[name] == nil { order.append(name) }
        groups[name, default: []].append(path)
      }
      let first = nodes.count
      for name in order {
        let through = groups[name] ?? []
        let ends = through.filter { paths[$0].count == depth + 1 }
        for copy in ends.dropFirst() { repeats.append((copy: column(copy), original: column(ends[0]))) }
        nodes.append(Node(name, at: names.count, slot: ends.first.map(column) ?? -1))
        names += name
        members.append(through)
        depths.append(depth + 1)
      }
      nodes[current].children = first..<nodes.count
      for child in first..<nodes.count {
        if nodes[child].index != nil { nodes[current].hasIndexes = true }
        if takesText, names[nodes[child].name].elementsEqual("#text".utf8) {
          nodes[current].textSlot = nodes[child].slot
        }
      }
      if order.count > Self.fewChildren { hash(first..<nodes.count) }
      current += 1
    }
    // There is a place to compare with, even if all names are empty.
    if names.isEmpty { names.append(0) }
  }

  /// So many children are found faster by looking at each.
  static let fewChildren = 64

  /// Lets children be found by the hashes of their names.
  private mutating func hash(_ children: Range<Int>) {
    for child in children.reversed() {
      var hash = FNVHash()
      for byte in names[nodes[child].name] { hash.add(byte) }
      let place = children.lowerBound + hash.place(among: children.count)
      nodes[child].nextOfHash = nodes[place].firstOfHash
      nodes[place].firstOfHash = Int32(truncatingIfNeeded: child)
    }
  }
}
