package import MergewalkPropertyLists

/// The state that imports keep in a store: one key of its metadata, which Core Data keeps and ignores.
///
/// It holds three dictionaries, each by the name of a pipeline: `runs` (the checkpoint of a run that is not finished),
/// `cursors` (how far incremental sources have been read) and `finished` (which inputs the last finished run had). A
/// store whose imports need none of them does not have the key. What is not known is kept as it is.
///
/// It is written in the transaction that holds the rows it speaks of:
/// ```swift
/// var metadata = file.metadata
/// metadata.mergewalk.cursors["orders"] = ["date": .string("2024-05-01")]
/// try file.writeMetadata(metadata)
/// ```
package struct MergewalkState: Sendable, Hashable {
  package static let key = "MergewalkState"

  /// The entries of the key's dictionary, in their order.
  package var entries: [PropertyList.Entry]

  /// Takes a value of the metadata's key; what is no dictionary counts as an empty one.
  package init(_ list: PropertyList? = nil) { entries = list?.entries ?? [] }

  /// The checkpoints of runs that are not finished, by the pipeline's name.
  package var runs: Values {
    get { Values(entries[key: "runs"]) }
    set { entries[key: "runs"] = newValue.list }
  }
  /// How far incremental sources have been read, by the pipeline's name.
  package var cursors: Values {
    get { Values(entries[key: "cursors"]) }
    set { entries[key: "cursors"] = newValue.list }
  }
  /// Which inputs the last finished run had, by the pipeline's name.
  package var finished: Values {
    get { Values(entries[key: "finished"]) }
    set { entries[key: "finished"] = newValue.list }
  }

  /// The value for the metadata's key; `nil` when there is nothing to remember.
  package var list: PropertyList? { entries.isEmpty ? nil : .dictionary(entries) }

  /// Values by name, in the order in which they came.
  package struct Values: Sendable, Hashable {
    /// The values with their names.
    package private(set) var entries: [PropertyList.Entry]

    init(_ list: PropertyList?) { entries = list?.entries ?? [] }

    /// The value of a name; setting `nil` removes it.
    package subscript(name: String) -> PropertyList? {
      get { entries[key: name] }
      set {
        entries.removeAll { $0.key == name }
        if let newValue { entries.append(PropertyList.Entry(name, newValue)) }
      }
    }

    package var names: [String] { entries.map(\.key) }

    var list: PropertyList? { entries.isEmpty ? nil : .dictionary(entries) }
  }
}

extension StoreMetadata {
  /// The state that imports keep; an empty one removes the key from the metadata.
  package var mergewalk: MergewalkState {
    get { MergewalkState(self[MergewalkState.key]) }
    set { self[MergewalkState.key] = newValue.list }
  }
}

extension [PropertyList.Entry] {
  /// The value of a key; setting one that is there keeps its place, setting `nil` removes it.
  subscript(key key: String) -> PropertyList? {
    get { first { $0.key == key }?.value }
    set {
      let index = firstIndex { $0.key == key }
      switch (index, newValue) {
      case (let index?, let value?): self[index].value = value
      case (let index?, nil): remove(at: index)
      case (nil, let value?): append(PropertyList.Entry(key, value))
      case (nil, nil): break
      }
    }
  }
}
