public import MergewalkPropertyLists

/// The state that imports keep in a store: one key of its metadata, which Core Data keeps and ignores.
///
/// It holds three dictionaries, each by the name of a pipeline: `runs` (the checkpoint of a run that is not finished),
/// `cursors` (how far incremental sources have been read) and `finished` (which inputs the last finished run had). A
/// store whose imports need none of them does not have the key. What is not known is kept as it is.
///
/// It is written in the transaction that holds the rows it speaks of:
/// ```swift
/// var metadata = file.metadata
/// metadata.mergewalk.cursors["orders"] = .dictionary([PropertyList.Entry("date", .string("2024-05-01"))])
/// try file.writeMetadata(metadata)
/// ```
public struct MergewalkState: Sendable, Hashable {
  /// The key in the metadata.
  public static let key = "MergewalkState"

  /// The entries of the key's dictionary, in their order.
  public var entries: [PropertyList.Entry]

  /// Takes a value of the metadata's key; what is no dictionary counts as an empty one.
  public init(_ list: PropertyList? = nil) { entries = list?.entries ?? [] }

  /// The checkpoints of runs that are not finished, by the pipeline's name.
  public var runs: Values {
    get { Values(self["runs"]) }
    set { self["runs"] = newValue.list }
  }
  /// How far incremental sources have been read, by the pipeline's name.
  public var cursors: Values {
    get { Values(self["cursors"]) }
    set { self["cursors"] = newValue.list }
  }
  /// Which inputs the last finished run had, by the pipeline's name.
  public var finished: Values {
    get { Values(self["finished"]) }
    set { self["finished"] = newValue.list }
  }

  /// The value for the metadata's key; `nil` when there is nothing to remember.
  public var list: PropertyList? { entries.isEmpty ? nil : .dictionary(entries) }

  private subscript(name: String) -> PropertyList? {
    get { entries.first { $0.key == name }?.value }
    set {
      let index = entries.firstIndex { $0.key == name }
      switch (index, newValue) {
      case (let index?, let value?): entries[index].value = value
      case (let index?, nil): entries.remove(at: index)
      case (nil, let value?): entries.append(PropertyList.Entry(name, value))
      case (nil, nil): break
      }
    }
  }

  /// Values by name, in the order in which they came.
  public struct Values: Sendable, Hashable {
    /// The values with their names.
    public private(set) var entries: [PropertyList.Entry]

    init(_ list: PropertyList?) { entries = list?.entries ?? [] }

    /// The value of a name; setting `nil` removes it.
    public subscript(name: String) -> PropertyList? {
      get { entries.first { $0.key == name }?.value }
      set {
        entries.removeAll { $0.key == name }
        if let newValue { entries.append(PropertyList.Entry(name, newValue)) }
      }
    }

    /// The names in their order.
    public var names: [String] { entries.map(\.key) }

    var list: PropertyList? { entries.isEmpty ? nil : .dictionary(entries) }
  }
}

extension StoreMetadata {
  /// The state that imports keep; an empty one removes the key from the metadata.
  public var mergewalk: MergewalkState {
    get { MergewalkState(self[MergewalkState.key]) }
    set { self[MergewalkState.key] = newValue.list }
  }
}
