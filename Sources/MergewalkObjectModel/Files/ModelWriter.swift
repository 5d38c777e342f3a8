import MergewalkBytes
import MergewalkPropertyLists
import MergewalkYAML

/// Writes models as text: Xcode's XML and Mergewalk's YAML.
///
/// The same draft always gives the same text. Reading it gives the same draft again, apart from positions.
public enum ModelWriter {
  /// The text of a `contents` file as current versions of Xcode lay it out, without a line feed at its end.
  ///
  /// A draft from YAML may have characters that no XML document can have, such as U+0001; the text then has them, and
  /// cannot be read: ``invalidXMLCharacter(in:)``.
  ///
  /// - Complexity: O(text).
  public static func xml(_ draft: ModelDraft) -> String {
    var writer = ModelXMLWriter()
    writer.write(draft)
    return writer.text
  }

  /// Descriptions of what ``xml(_:)`` leaves out, as Xcode's XML has no word for it; empty for most models.
  ///
  /// - Complexity: O(indexes).
  package static func leftOutOfXML(_ draft: ModelDraft) -> [String] {
    draft.entities.flatMap { entity in
      entity.fetchIndexes.filter(\.isAlone).map { "“alone” of the index “\($0.name)” of “\(entity.name)”" }
    }
  }

  /// The first character of a text that no XML document can have, or `nil`.
  ///
  /// - Complexity: O(text).
  public static func invalidXMLCharacter(in text: String) -> Unicode.Scalar? { text.firstOutsideXML }

  /// The bytes of a compiled model, a `.mom` file, and descriptions of the parts left out.
  ///
  /// Fetch requests, fetched properties and indexes with unknown predicates or expressions are left out, and so are
  /// flags for which no archive is known to have a key. How Core Data archives composite attributes is a guess.
  ///
  /// - Complexity: O(properties).
  public static func compiled(_ model: ManagedObjectModel) -> (bytes: [UInt8], leftOut: [String]) {
    ModelArchiver.archive(model, for: .file)
  }

  /// The bytes of the `VersionInfo.plist` of a `.momd` folder with one version.
  public static func versionInfo(_ model: ManagedObjectModel, version: String) -> [UInt8] {
    let hashes = model.versionHashes.map { PropertyList.Entry($0.name, .data($0.hash)) }
    return BinaryPropertyListWriter.write([
      "NSManagedObjectModel_CurrentVersionName": .string(version),
      "NSManagedObjectModel_VersionHashes": [version: .dictionary(hashes)],
      // Newer compilers add it, as published lists show.
      "NSManagedObjectModel_VersionChecksums": [version: .string(model.versionChecksum)],
    ])
  }

  /// The text of a model in YAML, as `docs/model-yaml.md` describes it.
  ///
  /// - Precondition: names are unique, as ``ModelLint`` requires; of several equal names, readers keep the last.
  /// - Complexity: O(text).
  public static func yaml(_ draft: ModelDraft) -> String { ModelYAMLWriter.tree(draft).text }
}
