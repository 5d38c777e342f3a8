/// A Swift file that ``CodeGenerator`` generated from an entity.
public struct GeneratedFile: Sendable, Hashable {
  /// The owner of the file: the generator or the programmer.
  public enum Kind: Sendable, Hashable {
    /// The class (`Employee+CoreDataClass.swift`): generated once, then yours.
    case classFile
    /// Its modelled properties (`Employee+CoreDataProperties.swift`): rewritten whenever the model changes.
    case properties
  }

  /// The file's name.
  public let name: String
  /// The owner of the file.
  public let kind: Kind
  /// The name of its entity.
  public let entityName: String
  /// Its text, with a line feed at its end.
  public let text: String
}
