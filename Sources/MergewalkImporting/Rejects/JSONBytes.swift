package import MergewalkBytes

/// JSON text that grows at its end, as bytes.
package struct JSONBytes {
  package private(set) var bytes: [UInt8] = []
  package init() {}

  /// Whether the next member or element is the first of its object or array.
  private var isFirst = true

  /// Forgets the first `count` bytes.
  package mutating func removeFirst(_ count: Int) {
    if count == bytes.count { bytes.removeAll(keepingCapacity: true) } else { bytes.removeFirst(count) }
  }

  /// Opens an object or an array with its bracket.
  package mutating func open(_ bracket: UInt8) {
    bytes.append(bracket)
    isFirst = true
  }

  /// Closes an object or an array with its bracket.
  package mutating func close(_ bracket: UInt8) {
    bytes.append(bracket)
    isFirst = false
  }

  /// Puts a comma between elements.
  package mutating func separate() {
    if !isFirst { bytes.append(UInt8(ascii: ",")) }
    isFirst = false
  }

  package mutating func endLine() {
    bytes.append(UInt8(ascii: "\n"))
    isFirst = true
  }

  /// Begins a member; its name needs no escapes.
  package mutating func key(_ name: StaticString) {
    separate()
    bytes.append(UInt8(ascii: "\""))
    bytes.append(contentsOf: UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount))
    bytes.append(UInt8(ascii: "\""))
    bytes.append(UInt8(ascii: ":"))
  }

  /// Begins a member of any name of valid UTF-8.
  package mutating func key(_ name: String) {
    separate()
    bytes.append(json: name, .lines)
    bytes.append(UInt8(ascii: ":"))
  }

  package mutating func raw(_ text: some Collection<UInt8>) { bytes.append(contentsOf: text) }

  package mutating func member(_ name: StaticString, _ value: String) {
    key(name)
    bytes.append(json: value, .lines)
  }

  /// Appends a member that is a number.
  package mutating func member(_ name: StaticString, _ value: Int) {
    key(name)
    bytes.append(contentsOf: String(value).utf8)
  }

  /// Appends a member that is true or false.
  package mutating func member(_ name: StaticString, _ value: Bool) {
    key(name)
    bytes.append(contentsOf: (value ? "true" : "false").utf8)
  }

  /// Appends the members of an object.
  package mutating func members(_ object: JSONText) {
    guard case .object(let members) = object else { preconditionFailure("only objects have members") }
    for (name, value) in members {
      key(name)
      value.write(to: &bytes)
    }
  }

  /// Appends a member that is a list.
  package mutating func list<Element>(
    _ name: StaticString, _ elements: some Sequence<Element>, _ json: (Element) -> JSONText
  ) {
    key(name)
    open(UInt8(ascii: "["))
    for element in elements {
      separate()
      json(element).write(to: &bytes)
    }
    close(UInt8(ascii: "]"))
  }

  /// Appends a string of valid UTF-8, escaped.
  package mutating func string(_ text: UnsafeRawBufferPointer) { bytes.append(json: text, .lines) }

  /// Appends a string of base64 with padding.
  package mutating func base64(_ data: UnsafeRawBufferPointer) {
    bytes.append(UInt8(ascii: "\""))
    bytes.append(base64: data)
    bytes.append(UInt8(ascii: "\""))
  }
}
