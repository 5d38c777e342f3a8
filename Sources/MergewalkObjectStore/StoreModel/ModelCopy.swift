import MergewalkObjectModel
import MergewalkPropertyLists

/// The copy of its model that a store made by this project carries in its metadata.
///
/// Core Data lets apps keep keys of their own in a store's metadata and never looks at them. The copy is the model in
/// YAML: as text when it is short, as a raw DEFLATE stream of the text when it is long. Xcode's diagram and the version of
/// Xcode are left out.
enum ModelCopy {
  static let key = "MergewalkModel"
  /// The longest text that is kept as it is, in bytes.
  static let longestText = 1024

  /// The value of the key for a model.
  static func value(_ model: ManagedObjectModel) throws(StoreError) -> PropertyList {
    var draft = model.draft
    draft.diagram = []
    draft.xmlAttributes = [:]
    let text = ModelWriter.yaml(draft)
    return text.utf8.count > longestText ? .data(try Deflate.deflate(Array(text.utf8))) : .string(text)
  }

  /// The model in a value of the key; `nil` when it is none.
  static func model(_ value: PropertyList) -> ManagedObjectModel? {
    guard let bytes = value.string.map({ Array($0.utf8) }) ?? value.data.flatMap(Deflate.inflate),
      let draft = try? ModelReader.parse(bytes, path: "model.yaml")
    else { return nil }
    return try? ManagedObjectModel(draft)
  }
}
