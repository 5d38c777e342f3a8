/// A change that a run makes to one object: a sample for people.
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
    /// The value: a text as it is, a number or a truth value in digits or words, bytes in hexadecimal digits; cut to
    /// ``greatestLength`` bytes.
    public var text: String
    /// Whether the text is to be read as a text; else it is a number, `true` or `false`.
    public var isText: Bool
    /// How long the whole value is in bytes, when it is cut; else `nil`.
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
    /// The value afterwards; `nil` for none, and for objects that are deleted.
    public var after: Value?
  }

  /// The kind of change.
  public var kind: Kind
  /// The entity's name.
  public var entity: String
  /// The primary key, which together with the entity names the object in its store.
  public var primaryKey: Int64
  /// The values, with commas, of the attributes by which the import finds the object, or of the model's first uniqueness
  /// constraint; `nil` when there are none.
  public var key: String?
  /// The properties that change; of new and deleted objects those that have a value.
  public var properties: [Property]
}
