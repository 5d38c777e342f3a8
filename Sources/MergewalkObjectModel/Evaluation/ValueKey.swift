/// A value as sets and dictionaries of values hold it: two keys are equal when `==`, with the same options, finds the
/// values equal.
///
/// Swift's own equality of strings would find composed and decomposed accents equal, and that of ``AttributeValue``
/// would tell the integer 1 from the Double 1.
struct ValueKey: Hashable, Sendable {
  private enum Storage: Hashable, Sendable {
    case null
    case integer(Int64)
    case decimal(Int128, Int)
    case double(UInt64)
    case text(TextKey)
    /// The key by which `[l]` compares a text.
    case collated([UInt8])
    case date(UInt64)
    case binary([UInt8])
    case uuid(UInt64, UInt64)
    case objectID(ManagedObjectID)
    case list([ValueKey])
    case members([TextKey: ValueKey])
    case identity(ObjectIdentifier)
    case unique(UInt64)
  }

  private let storage: Storage

  private init(_ storage: Storage) { self.storage = storage }

  init(_ value: AttributeValue, _ policy: ArithmeticPolicy = .stored, options: ComparisonPredicate.Options = []) {
    switch value {
    case _ where value.isNull: storage = .null
    case .string(let text), .uri(let text): storage = Self.storage(text, options)
    // Adding zero makes one of the two zeros.
    case .date(let seconds): storage = .date((seconds + 0).bitPattern)
    case .binary(let bytes): storage = .binary(bytes)
    case .uuid(let high, let low): storage = .uuid(high, low)
    default:
      switch value.number(policy) {
      case .integer(let number): storage = .integer(number)
      case .decimal(let number):
        let number = number.number
        storage = ExactDecimal(number).integer.map { .integer($0) } ?? .decimal(number.significand, number.exponent)
      case .double(let number):
        storage = Int64(exactly: number).map { .integer($0) } ?? .double(number.bitPattern)
      case nil: storage = .null
      }
    }
  }

  init(
    _ value: EvaluatedValue, _ policy: ArithmeticPolicy = .stored, options: ComparisonPredicate.Options = [],
    depth: Int = 0
  ) throws(PredicateError) {
    guard depth < ValueNesting.limit else { throw ValueNesting.tooDeep }
    switch value {
    case .attribute(let value): self.init(value, policy, options: options)
    case .objectID(let id): self.init(Storage.objectID(id))
    case .collection(let elements):
      var keys: [ValueKey] = []
      keys.reserveCapacity(elements.count)
      for element in elements { keys.append(try ValueKey(element, policy, options: options, depth: depth + 1)) }
      self.init(Storage.list(keys))
    case .object(let object):
      if let id = object.evaluatedObjectID {
        self.init(Storage.objectID(id))
      } else if let dictionary = object as? KeyedDictionary {
        var members: [TextKey: ValueKey] = [:]
        for (name, member) in dictionary.values {
          members[TextKey(name)] = try ValueKey(member, policy, options: options, depth: depth + 1)
        }
        self.init(Storage.members(members))
      } else if type(of: object) is AnyObject.Type {
        self.init(Storage.identity(ObjectIdentifier(object as AnyObject)))
      } else {
        // Something that cannot be told to be equal to anything.
        self.init(Storage.unique(UInt64.random(in: .min ... .max)))
      }
    }
  }

  /// The key of a constant, which is that of its value.
  init(
    _ constant: ConstantValue, _ policy: ArithmeticPolicy = .stored, options: ComparisonPredicate.Options = []
  ) throws(PredicateError) {
    if case .attribute(let value) = constant {
      self.init(value, policy, options: options)
    } else {
      try self.init(EvaluatedValue(constant), policy, options: options)
    }
  }

  /// What is the same for all texts that are equal with the options.
  private static func storage(_ text: String, _ options: ComparisonPredicate.Options) -> Storage {
    guard options.contains(.localeSensitive), !options.contains(.normalized) else {
      return .text(TextKey(TextFolding.fold(text, options)))
    }
    return .collated(text.withBytes { TextCollation.collation(options).sortKey($0) })
  }
}

extension ConstantValue {
  /// The constants that are not null, each once as `==` compares them, in order of first occurrence.
  package static func distinct(_ constants: [ConstantValue]) throws(PredicateError) -> [ConstantValue] {
    var seen: Set<ValueKey> = [ValueKey(AttributeValue.null)]
    var result: [ConstantValue] = []
    for constant in constants where seen.insert(try ValueKey(constant)).inserted { result.append(constant) }
    return result
  }
}

/// A text that is compared and hashed by its bytes.
struct TextKey: Hashable, Sendable {
  let text: String

  init(_ text: String) { self.text = text }

  static func == (left: TextKey, right: TextKey) -> Bool { left.text.hasSameBytes(as: right.text) }

  func hash(into hasher: inout Hasher) {
    text.withBytes { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }
}
