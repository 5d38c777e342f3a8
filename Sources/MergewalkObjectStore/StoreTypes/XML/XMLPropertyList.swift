import MergewalkBytes
import MergewalkPropertyLists

/// Property lists as elements of an XML document.
enum XMLPropertyList {
  /// Writes the `plist` element.
  static func write(_ list: PropertyList, indent: Int, to file: AtomicFile) throws(StoreError) {
    let space = String(repeating: " ", count: indent)
    try file.write("\(space)<plist version=\"1.0\">\n")
    try element(list, indent + 4, file)
    try file.write("\(space)</plist>\n")
  }

  private static func element(_ list: PropertyList, _ indent: Int, _ file: AtomicFile) throws(StoreError) {
    let space = String(repeating: " ", count: indent)
    switch list {
    case .dictionary(let entries):
      try file.write("\(space)<dict>\n")
      for entry in entries {
        try text("key", entry.key, indent + 4, file)
        try element(entry.value, indent + 4, file)
      }
      try file.write("\(space)</dict>\n")
    case .array(let elements):
      try file.write("\(space)<array>\n")
      for value in elements { try element(value, indent + 4, file) }
      try file.write("\(space)</array>\n")
    case .string(let string): try text("string", string, indent, file)
    case .integer(let number): try file.write("\(space)<integer>\(number)</integer>\n")
    case .unsigned(let number): try file.write("\(space)<integer>\(number)</integer>\n")
    case .real(let number): try file.write("\(space)<real>\(number)</real>\n")
    case .boolean(let flag): try file.write("\(space)<\(flag)/>\n")
    case .data(let bytes):
      try file.write("\(space)<data>")
      try file.write(Base64.text(bytes))
      try file.write("</data>\n")
    // Property lists in XML know whole seconds only, so the number itself is written.
    case .date(let seconds): try file.write("\(space)<date seconds=\"\(seconds)\"></date>\n")
    case .uid(let number):
      try file.write("\(space)<dict>\n\(space)    <key>CF$UID</key>\n\(space)    <integer>\(number)</integer>\n")
      try file.write("\(space)</dict>\n")
    }
  }

  private static func text(_ name: String, _ text: String, _ indent: Int, _ file: AtomicFile) throws(StoreError) {
    try file.write(String(repeating: " ", count: indent) + "<" + name)
    try file.write(text: text)
    try file.write("</\(name)>\n")
  }
}

extension AtomicFile {
  /// Ends the tag of an element with text, and writes the text.
  func write(text: String) throws(StoreError) {
    if text.isXML {
      try write(">")
      try write(text.xml([.element, .quote]))
    } else {
      try write(" encoding=\"base64\">")
      try write(Base64.text(Array(text.utf8)))
    }
  }
}
