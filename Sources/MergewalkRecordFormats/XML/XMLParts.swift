import MergewalkXML

/// One name of the records' path; nil names match any.
struct XMLStep {
  var isAny: Bool
  var local: UnsafePointer<UInt8>?
  var space: UnsafePointer<UInt8>?

  func matches(_ tag: XMLTag, _ comparesURIs: Bool) -> Bool {
    isAny || (local == tag.local && space == (comparesURIs ? tag.uri : tag.prefix))
  }
}

/// Names with a meaning of their own, in the parser's dictionary.
struct XMLKnownNames {
  var nilName: UnsafePointer<UInt8>?
  var schemaInstance: UnsafePointer<UInt8>?
  var value: UnsafePointer<UInt8>?
  var name: UnsafePointer<UInt8>?
  var encoding: UnsafePointer<UInt8>?
  var of: UnsafePointer<UInt8>?
}

/// A text: in the document's text by offset, or among the copies by index.
struct XMLTextRange {
  var isCopy = false
  var start = 0
  var count = 0
}

/// A further piece of a text whose copies do not follow each other.
struct XMLTextPiece {
  var start: Int
  var end: Int
  var next: Int32 = -1
}

/// An open element of a record.
struct XMLOpenElement {
  /// The node of the requested columns, or -1.
  var node: Int32 = -1
  /// The node of the tree for JSON, or -1.
  var tree: Int32 = -1
  /// The offset behind the start tag's names and attributes.
  var tagEnd = 0
  var text = XMLTextRange()
  var hasChildren = false
  /// Whether it has text that is not white space.
  var hasInk = false
  var wantsText = false
  var isNil = false
  /// Whether its text is the base64 of a text that XML cannot hold, as `RowWriter` writes it.
  var isCoded = false
  /// Whether its text has pieces from `firstPiece` to `lastPiece` behind that of `text`.
  var hasPieces = false
  var firstPiece: Int32 = -1
  var lastPiece: Int32 = -1
  var collectStart = 0

  /// Makes it a new element; what has no meaning yet stays.
  @inline(__always) mutating func begin(node: Int32, tagEnd: Int, wantsText: Bool) {
    self.node = node
    tree = -1
    self.tagEnd = tagEnd
    text.count = 0
    text.isCopy = false
    hasChildren = false
    hasInk = false
    self.wantsText = wantsText
    isNil = false
    isCoded = false
    hasPieces = false
  }
}

/// The value of one column of a record that is open.
struct XMLCell {
  enum Place: UInt8 { case text, copies, json, strings }

  /// The first byte: an offset of the text, or an index of the place.
  var start: Int
  /// The offset of the value, for its position.
  var at: Int
  var count: Int32
  /// The next value of the same column, and on the first one the last.
  var next: Int32 = -1
  var last: Int32 = -1
  var place: Place
  var state: FieldState

  @inline(__always) init(_ place: Place, _ state: FieldState, start: Int, count: Int, at: Int) {
    self.place = place
    self.state = state
    self.start = start
    self.count = Int32(truncatingIfNeeded: count)
    self.at = at
  }

  /// Nothing.
  static let absent = XMLCell(.text, .absent, start: 0, count: 0, at: 0)
}

/// The value of one column of a child record.
struct XMLChildCell {
  var row: Int
  var column: Int
  var cell: XMLCell
}

enum XMLText {
  /// Whether a text is white space only.
  @inline(__always) static func isBlank(_ text: UnsafePointer<UInt8>, _ count: Int) -> Bool {
    var i = 0
    while i < count {
      let byte = text[i]
      if byte > 32 || (byte != 32 && byte != 10 && byte != 9 && byte != 13) { return false }
      i &+= 1
    }
    return true
  }

  /// Whether a value is `true` as XML Schema spells it.
  static func isTrue(_ text: UnsafePointer<UInt8>, _ count: Int) -> Bool {
    let bytes = UnsafeBufferPointer(start: text, count: count)
    return bytes.elementsEqual("true".utf8) || bytes.elementsEqual("1".utf8)
  }
}
