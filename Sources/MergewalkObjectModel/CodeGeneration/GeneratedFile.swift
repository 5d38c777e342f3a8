/// A Swift file that ``CodeGenerator`` made of an entity.
public struct GeneratedFile: Sendable, Hashable {
  /// The owner of the file: the generator or the programmer.
  public enum Kind: Sendable, Hashable {
    /// The class (`Employee+CoreDataClass.swift`): made once, then a person's own.
    case classFile
    /// Its modelled properties (`Employee+CoreDataProperties.swift`): written anew whenever the model changes.
    case properties
  }

  /// The file's name.
  public let name: String
  /// The owner of the file.
  public let kind: Kind
  /// The name of the entity it was made of.
  public let entityName: String
  /// Its text, with a line feed at its end.
  public let text: String
}
