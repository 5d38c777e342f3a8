public import MergewalkObjectStore

/// The reason why default data was not installed; the store is unchanged.
public enum DefaultDataError: Error, CustomStringConvertible {
  /// The store, or the prepared one, could not be opened, created, read or written.
  case store(StoreError)
  /// The objects that the code created cannot be saved.
  case save(SaveError)
  /// The code that creates the data failed.
  case fill(any Error)

  init(_ error: any Error) {
    switch error {
    case let error as StoreError: self = .store(error)
    case let error as SaveError: self = .save(error)
    default: self = .fill(error)
    }
  }

  /// The message.
  public var description: String {
    switch self {
    case .store(let error): error.description
    case .save(let error): "the default data cannot be saved: \(error)"
    case .fill(let error): "the default data cannot be made: \(error)"
    }
  }
}
