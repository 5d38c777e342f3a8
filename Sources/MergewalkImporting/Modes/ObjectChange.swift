/// A change of one object by a run, as a sample for people.
public struct ObjectChange: Sendable, Hashable {
  /// The kind of change.
  public enum Kind: String, Sendable, Hashable {
    /// It is created.
    case inserted
    /// Some of its values change.
    case updated
    /// It is deleted.
    case deleted
  }

  /// A value as text.
  public struct Value: Sendable, Hashable {
    /// The value: text as it is, a number or a Boolean in digits or words, dates in ISO 8601, bytes in hexadecimal
    /// digits; truncated to ``greatestLength`` bytes.
    public var text: String
    /// Whether the text is to be read as text; otherwise it is a number, `true` or `false`.
    public var isText: Bool
    /// The length of the whole value in bytes if it is truncated; otherwise `nil`.
    public var wholeLength: Int?
    /// The object that a relationship leads to; `nil` for attributes.
    public var target: Target?

    /// Texts and bytes are shown up to this many bytes.
    public static let greatestLength = 200
  }

  /// An object that a value refers to.
  public struct Target: Sendable, Hashable {
    /// The name of its entity.
    public var entity: String
    /// Its primary key.
    public var primaryKey: Int64
    /// The object's key, as in ``ObjectChange/key``.
    public var key: String?
  }

  /// One attribute or to-one relationship.
  public struct Property: Sendable, Hashable {
    /// Its name.
    public var name: String
    /// The value before; `nil` for none, and for new objects.
    public var before: Value?
    /// The value afterwards; `nil` for none, and for deleted objects.
    public var after: Value?
  }

  /// The kind of change.
  public var kind: Kind
  /// The entity's name.
  public var entity: String
  /// The primary key, which together with the entity names the object in its store.
  public var primaryKey: Int64
  /// The values, separated by commas, of the attributes by which the import finds the object, or of the model's first
  /// uniqueness constraint; `nil` if there are none.
  public var key: String?
  /// The properties that change; for new and deleted objects, those with a value.
  public var properties: [Property]
}
