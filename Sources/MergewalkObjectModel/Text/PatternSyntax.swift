import MergewalkBytes

/// The tree of a regular expression.
indirect enum PatternNode: Sendable {
  case empty
  case characters(CharacterClass)
  case sequence([PatternNode])
  case choice([PatternNode])
  case repeated(PatternNode, least: Int, most: Int?)
  case start
  case end

  /// Whether only characters of no width are in it.
  var isAnchor: Bool {
    switch self {
    case .empty, .start, .end: true
    default: false
    }
  }
}

/// An expression that is malformed, or that an automaton cannot express.
struct PatternSyntaxError: Error {
  var isUnsupported: Bool
  var message: String
}

/// Parses ICU's regular expressions, as far as an automaton can express them.
struct PatternSyntax {
  /// Groups nest no deeper, so that the parser's stack is bounded.
  private static let greatestDepth = 100
  /// Expressions with greater counts in braces are left to ICU.
  private static let greatestCount = 1_000

  private let scalars: [Unicode.Scalar]
  private var index = 0
  private var depth = 0
  private var groupNames: Set<String> = []

  private let ignoresCase: Bool

  private init(_ expression: String, ignoresCase: Bool) {
    scalars = Array(expression.unicodeScalars)
    self.ignoresCase = ignoresCase
  }

  /// Returns the expression's tree, its anchors resolved; when case is ignored, it holds for texts of ASCII.
  static func parse(_ expression: String, ignoresCase: Bool = false) throws(PatternSyntaxError) -> PatternNode {
    var parser = PatternSyntax(expression, ignoresCase: ignoresCase)
    let node = try parser.choice()
    if let rest = parser.peek {
      throw PatternSyntaxError(isUnsupported: false, message: "there is no group that \"\(rest)\" closes")
    }
    return try resolveAnchors(node, isAtStart: true, isAtEnd: true)
  }

  private var peek: Unicode.Scalar? { index < scalars.count ? scalars[index] : nil }

  private func peek(_ offset: Int) -> Unicode.Scalar? {
    index + offset < scalars.count ? scalars[index + offset] : nil
  }

  private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
    guard peek == scalar else { return false }
    index += 1
    return true
  }

  private func unsupported(_ what: String) -> PatternSyntaxError {
    PatternSyntaxError(isUnsupported: true, message: what)
  }

  // MARK: - Structure

  private mutating func choice() throws(PatternSyntaxError) -> PatternNode {
    depth += 1
    defer { depth -= 1 }
    guard depth <= Self.greatestDepth else {
      throw PatternSyntaxError(isUnsupported: false, message: "groups nest deeper than \(Self.greatestDepth)")
    }
    var branches = [try sequence()]
    while take("|") { branches.append(try sequence()) }
    return branches.count == 1 ? branches[0] : .choice(branches)
  }

  private mutating func sequence() throws(PatternSyntaxError) -> PatternNode {
    var nodes: [PatternNode] = []
    while let next = peek, next != "|", next != ")" { nodes.append(try quantified()) }
    return nodes.isEmpty ? .empty : nodes.count == 1 ? nodes[0] : .sequence(nodes)
  }

  private mutating func quantified() throws(PatternSyntaxError) -> PatternNode {
    let node = try atom()
    let (least, most): (Int, Int?)
    switch peek {
    case "*": (least, most) = (0, nil)
    case "+": (least, most) = (1, nil)
    case "?": (least, most) = (0, 1)
    case "{": (least, most) = try counts()
    default: return node
    }
    index += 1
    // A lazy quantifier finds another match, but not another answer to whether the whole text matches.
    if peek == "?" { index += 1 }
    if let next = peek, ["*", "+", "?", "{"].contains(next) { throw unsupported("a quantifier behind another") }
    return .repeated(node, least: least, most: most)
  }

  /// Reads `{least}`, `{least,}` or `{least,most}` up to the closing brace.
  private mutating func counts() throws(PatternSyntaxError) -> (Int, Int?) {
    index += 1
    guard let least = number() else { throw unsupported("braces that hold no count") }
    var most: Int? = least
    if take(",") { most = number() }
    guard peek == "}" else { throw unsupported("braces that hold no count") }
    guard most ?? least >= least else {
      throw PatternSyntaxError(isUnsupported: false, message: "the counts {\(least),\(most ?? 0)} are in wrong order")
    }
    guard max(least, most ?? 0) <= Self.greatestCount else {
      throw PatternSyntaxError(isUnsupported: true, message: "a count is above \(Self.greatestCount)")
    }
    return (least, most)
  }

  private mutating func number() -> Int? {
    var value: Int?
    while let digit = peek, ("0"..."9").contains(digit) {
      value = min((value ?? 0) * 10 + Int(digit.value - 48), 1_000_000)
      index += 1
    }
    return value
  }

  private func place(_ characters: CharacterClass) throws(PatternSyntaxError) -> PatternNode {
    guard ignoresCase else { return .characters(characters) }
    guard let both = characters.ignoringCase else { throw unsupported("cases of letters beyond ASCII") }
    return .characters(both)
  }

  private mutating func atom() throws(PatternSyntaxError) -> PatternNode {
    guard let next = peek else { return .empty }
    index += 1
    switch next {
    case "(": return try group()
    case "[": return try place(try characterClass())
    case ".": return .characters(.notLineEnd)
    case "^": return .start
    case "$": return .end
    case "\\":
      if take("A") { return .start }
      if take("z") || take("Z") { return .end }
      return try place(try escape())
    case "*", "+", "?":
      throw PatternSyntaxError(isUnsupported: false, message: "there is nothing that \"\(next)\" repeats")
    case "{", "}", "]": throw unsupported("\"\(next)\" that is not escaped")
    default: return try place(CharacterClass(ranges: [next.value...next.value]))
    }
  }

  private mutating func group() throws(PatternSyntaxError) -> PatternNode {
    if take("?") {
      if take("<"), let first = peek, ("a"..."z").contains(first) || ("A"..."Z").contains(first) {
        var name = ""
        while let letter = peek, letter.isASCII, letter.properties.isAlphabetic || ("0"..."9").contains(letter) {
          name.unicodeScalars.append(letter)
          index += 1
        }
        guard take(">"), groupNames.insert(name).inserted else { throw unsupported("the name of a group") }
      } else if !take(":") {
        throw unsupported("groups that begin with (? other than (?: and (?<name>")
      }
    }
    let node = try choice()
    guard take(")") else { throw PatternSyntaxError(isUnsupported: false, message: "a group is never closed") }
    return node
  }

  // MARK: - Characters

  private mutating func characterClass() throws(PatternSyntaxError) -> CharacterClass {
    var result = CharacterClass()
    if peek == ":" { throw unsupported("sets by name") }
    result.isNegated = take("^")
    if peek == "]" { throw unsupported("\"]\" as the first character of a set") }
    while true {
      guard let next = peek else {
        throw PatternSyntaxError(isUnsupported: false, message: "a set is never closed")
      }
      if take("]") { return result }
      if next == "[" || (next == "&" && peek(1) == "&") || (next == "-" && peek(1) == "-") {
        throw unsupported("sets of sets")
      }
      guard let low = try setCharacter(&result) else { continue }
      guard peek == "-", let after = peek(1), after != "]" else {
        result.ranges.append(low...low)
        continue
      }
      if after == "[" || after == "-" { throw unsupported("sets of sets") }
      index += 1
      var high = CharacterClass()
      guard let end = try setCharacter(&high), high.members.isEmpty else { throw unsupported("a range to a class") }
      guard low <= end else {
        throw PatternSyntaxError(isUnsupported: false, message: "a range of characters is in wrong order")
      }
      result.ranges.append(low...end)
    }
  }

  /// Reads one character of a set and returns it, or adds a class such as `\d` to the set.
  private mutating func setCharacter(_ set: inout CharacterClass) throws(PatternSyntaxError) -> UInt32? {
    guard let next = peek else { return nil }
    index += 1
    guard next == "\\" else { return next.value }
    let escaped = try escape()
    if escaped.members.isEmpty, let range = escaped.ranges.first { return range.lowerBound }
    set.members += escaped.members
    return nil
  }

  /// Reads what follows a backslash.
  private mutating func escape() throws(PatternSyntaxError) -> CharacterClass {
    guard let next = peek else {
      throw PatternSyntaxError(isUnsupported: false, message: "the expression ends in a backslash")
    }
    index += 1
    func member(_ property: CharacterClass.Property, _ isExcluded: Bool) -> CharacterClass {
      CharacterClass(members: [CharacterClass.Member(property: property, isExcluded: isExcluded)])
    }
    func one(_ value: UInt32) -> CharacterClass { CharacterClass(ranges: [value...value]) }
    switch next {
    case "d", "D": return member(.digit, next == "D")
    case "w", "W": return member(.word, next == "W")
    case "s", "S": return member(.space, next == "S")
    case "p", "P":
      guard take("{") else { throw unsupported("\\p without braces") }
      var name = ""
      while let letter = peek, letter != "}" {
        name.unicodeScalars.append(letter)
        index += 1
      }
      guard take("}"), CharacterClass.categoryNames.contains(name) else { throw unsupported("the property \(name)") }
      return member(.category(name), next == "P")
    case "t": return one(0x09)
    case "n": return one(0x0A)
    case "r": return one(0x0D)
    case "f": return one(0x0C)
    case "a": return one(0x07)
    case "e": return one(0x1B)
    case "u": return one(try hexadecimal(4))
    case "x":
      guard take("{") else { return one(try hexadecimal(2)) }
      let value = try hexadecimal(nil)
      guard take("}") else { throw unsupported("\\x{ that is never closed") }
      return one(value)
    default:
      let isASCIILetterOrDigit = ("a"..."z").contains(next) || ("A"..."Z").contains(next) || ("0"..."9").contains(next)
      guard !isASCIILetterOrDigit else { throw unsupported("\\\(next)") }
      return one(next.value)
    }
  }

  /// Reads exactly `count` hexadecimal digits, or one to six.
  private mutating func hexadecimal(_ count: Int?) throws(PatternSyntaxError) -> UInt32 {
    var value: UInt32 = 0
    var read = 0
    while read < count ?? 6, let digit = peek.flatMap({ Hexadecimal.value($0) }) {
      value = value * 16 + digit
      read += 1
      index += 1
    }
    guard read == count ?? max(1, read), Unicode.Scalar(value) != nil else {
      throw unsupported("an escape with another number of digits")
    }
    return value
  }

  // MARK: - Anchors

  /// Removes anchors that the match of the whole text makes true; others are not supported.
  private static func resolveAnchors(
    _ node: PatternNode, isAtStart: Bool, isAtEnd: Bool
  ) throws(PatternSyntaxError) -> PatternNode {
    let misplaced = PatternSyntaxError(isUnsupported: true, message: "anchors inside the expression")
    switch node {
    case .empty, .characters: return node
    case .start:
      guard isAtStart else { throw misplaced }
      return .empty
    case .end:
      guard isAtEnd else { throw misplaced }
      return .empty
    case .choice(let branches):
      var resolved: [PatternNode] = []
      for branch in branches {
        resolved.append(try resolveAnchors(branch, isAtStart: isAtStart, isAtEnd: isAtEnd))
      }
      return .choice(resolved)
    case .sequence(let nodes):
      var resolved: [PatternNode] = []
      for (index, child) in nodes.enumerated() {
        let isFirst = isAtStart && nodes[..<index].allSatisfy(\.isAnchor)
        let isLast = isAtEnd && nodes[(index + 1)...].allSatisfy(\.isAnchor)
        resolved.append(try resolveAnchors(child, isAtStart: isFirst, isAtEnd: isLast))
      }
      return .sequence(resolved)
    case .repeated(let child, let least, let most):
      let isOnce = most == 1
      return .repeated(
        try resolveAnchors(child, isAtStart: isAtStart && isOnce, isAtEnd: isAtEnd && isOnce), least: least,
        most: most)
    }
  }
}
