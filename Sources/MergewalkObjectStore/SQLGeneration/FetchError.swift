package import MergewalkObjectModel

/// Why a compiled fetch cannot start or go on.
package enum FetchError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The request itself: a pattern that takes too long, a sum beyond 64 bits, a statement too large for SQLite.
  case predicate(PredicateError)
  case store(StoreError)

  /// The error's own words.
  package var description: String {
    switch self {
    case .predicate(let error): error.description
    case .store(let error): error.description
    }
  }
}
